/* The page of a case: the text of a namelist is the one thing that is kept; the form is made from it and from the program's table of keys,
 * and each change of the form is a change of the text, which the server makes. SPDX-License-Identifier: MIT */
"use strict";

const at = id => document.getElementById(id);
const state = {text: "", groups: [], model: "", keys: [], digest: "", origin: "", findings: [], open: new Set(), tables: {}};
const PAGE = Math.random().toString(36).slice(2);  // this page's checks take each other's place
const SHOWN_MOST = 60;  // keys that a search shows

/* An answer of the server. A refusal is told on the page, and null. */
async function ask(what, question, quiet) {
    let answer;
    try {
        const reply = await fetch("/api/" + what, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(question)});
        if (!reply.ok) throw new Error(await reply.text());
        answer = await reply.json();
    } catch (e) {
        tell(e instanceof TypeError ? "sferic-view does not answer: it has ended; the text here can still be copied" : String(e.message));
        return null;
    }
    if (answer.error && !quiet) {
        tell(answer.error);
        return null;
    }
    return answer;
}

function tell(text, good) {
    at("message").textContent = text;
    at("message").className = good ? "good" : "";
}

/* An action that waits for a pause. Those that wait are done at once before a text is saved. */
const waiting = new Map();
function later(wait, action) {
    const key = {};
    return () => {
        clearTimeout((waiting.get(key) || {}).timer);
        waiting.set(key, {action, timer: setTimeout(() => {
            waiting.delete(key);
            action();
        }, wait)});
    };
}

async function settle() {
    for (const [key, {action, timer}] of [...waiting]) {
        clearTimeout(timer);
        waiting.delete(key);
        action();
    }
    await changes;
}

function make(name, about, ...children) {
    const e = Object.assign(document.createElement(name), about);
    e.append(...children);
    return e;
}

/* ---- the text ---- */

/* One change after the other, each of the text that the one before left; what was typed into the text meanwhile is not lost. */
let changes = Promise.resolve();
function change(what, question, from) {
    changes = changes.then(() => changeNow(what, question, from));
    return changes;
}

async function changeNow(what, question, from) {
    let answer, text;
    do {
        text = state.text;
        answer = await ask(what, {text, ...question});
        if (!answer) return;
    } while (text !== state.text);
    tell("");
    if (answer.text !== undefined) {
        state.text = answer.text;
        if (from !== "text") at("text").value = state.text;
    }
    Object.assign(state, {groups: answer.groups, name: answer.name});
    if (answer.model !== state.model) {
        state.model = answer.model;
        await keysGet();
    }
    if (!state.outGiven) at("out").value = "out/" + (state.name || "unnamed");
    formMake();
    checkSoon();
    changedShow();
}

function changedShow() {
    document.title = (state.text !== state.saved ? "* " : "") + at("file").value;
    at("save").textContent = state.text !== state.saved ? "save" : "saved";
}

async function keysGet() {
    if (!state.tables[state.model]) {
        const answer = await ask("keys", {model: state.model, origin: state.origin});
        if (answer) state.tables[state.model] = answer.keys;
    }
    state.keys = state.tables[state.model] || state.tables.dynamics || [];
}

/* ---- the form ---- */

function rangeText(k) {
    const type = k.type === "choice" ? "" : k.type + (k.count > 1 ? ` (${k.is_entry ? "of each entry, or " : ""}up to ${k.count})` : "");
    const unit = k.unit && k.unit !== "1" ? `[${k.unit}]` : "";
    const range = k.min !== undefined && k.max !== undefined ? `${k.min} to ${k.max}` : k.min !== undefined ? `at least ${k.min}` :
        k.max !== undefined ? `at most ${k.max}` : "";
    return [[type, unit, range].filter(Boolean).join(" "), `default ${k.default || "empty"}`].filter(Boolean).join("; ");
}

function bare(value) {
    const quote = value[0];
    return value.length > 1 && (quote === "'" || quote === '"') && value.endsWith(quote) && !value.slice(1, -1).replaceAll(quote + quote, "").includes(quote)
        ? value.slice(1, -1).replaceAll(quote + quote, quote) : value;
}

/* Lists of words are written with their quotes, one word without. */
const isOne = k => k.count === 1 || k.is_entry;

function controlMake(k, id, held) {
    const value = held ? (k.type === "string" || k.type === "choice" ? bare(held.value) : held.value) : "";
    const options = k.type === "choice" ? k.choices.split(" ") : k.type === "logical" ? [".true.", ".false."] : null;
    if (options && isOne(k) && (!value || options.includes(value.toLowerCase()) || /^\.?[tf]/i.test(value) && k.type === "logical")) {
        const normal = k.type === "logical" && value ? (/^\.?t/i.test(value) ? ".true." : ".false.") : value.toLowerCase();
        const select = make("select", {id}, make("option", {value: "", textContent: `(${bare(k.default) || "default"})`}),
            ...options.map(o => make("option", {value: o, textContent: o})));
        select.value = normal;
        return select;
    }
    return make("input", {id, value, placeholder: bare(k.default || ""), spellcheck: false, autocomplete: "off"});
}

function keyMake(k, number, held) {
    const id = `${k.group}-${number}-${k.key}`;
    const control = controlMake(k, id, held);
    const kind = isOne(k) && (k.type === "string" || k.type === "choice") && !/^\s*['"].*['"]\s*,|\d\*/.test(control.value) ? k.type : "";
    const send = () => change("edit", {group: k.group, number, key: k.key, value: control.value, kind});
    if (held && held.several) {
        control.disabled = true;
        control.title = "given more than once, or element by element: change it in the text";
    }
    control.addEventListener(control.tagName === "SELECT" ? "change" : "input", control.tagName === "SELECT" ? send : later(350, send));
    const told = state.findings.filter(f => f.group === k.group && f.key === k.key && f.number === number);
    const row = make("div", {className: "key" + (held ? " set" : "") + (told.some(f => f.kind === "error") ? " bad" : "")},
        make("label", {htmlFor: id, textContent: k.key}), control,
        make("div", {className: "about"}, make("span", {textContent: k.meaning}), make("br"), make("span", {className: "range", textContent: rangeText(k)})));
    for (const f of told) row.append(make("div", {className: "told " + f.kind, textContent: f.text}));
    return row;
}

function groupMake(name, number, held, keys, isList, count, rows) {
    const mark = `${name}-${number}`;
    const isOpen = state.open.has(mark);
    const card = make("section", {className: "group" + (held ? "" : " absent"), id: "group-" + mark});
    const head = make("h3", {}, make("span", {textContent: `&${name}` + (isList && held ? ` ${number + 1}` : "")}));
    const button = (text, title, action) => {
        const b = make("button", {textContent: text, title, type: "button"});
        b.addEventListener("click", action);
        head.append(b);
    };
    if (!rows) {
        button(isOpen ? "those given" : `all ${keys.length} keys`, "", () => {
            if (isOpen) state.open.delete(mark); else state.open.add(mark);
            formMake();
        });
    }
    if (held && isList && number === count - 1) button("another", "one more entry of this list", () => {
        state.open.add(`${name}-${count}`);
        change("add", {group: name, number: count});
    });
    if (held) button("take away", "this group, with all its keys", () => change("drop", {group: name, number}));
    card.append(head);
    const told = state.findings.filter(f => f.group === name && f.number === number && (!f.key || !keys.some(k => k.key === f.key)));
    for (const f of told) card.append(make("div", {className: f.kind, textContent: f.text}));
    for (const k of rows || keys) {
        const value = held && held.keys[k.key];
        if (rows || value || isOpen || state.findings.some(f => f.group === name && f.key === k.key && f.number === number)) card.append(keyMake(k, number, value));
    }
    return card;
}

/* The form anew, with the cursor where it was. */
function formMake() {
    const active = document.activeElement, id = active && at("groups").contains(active) ? active.id : "";
    const kept = id && active.tagName === "INPUT" ? [active.value, active.selectionStart, active.selectionEnd] : null;
    const wanted = at("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const names = [...new Set(state.keys.map(k => k.group))];
    const cards = [], absent = [];
    let shown = 0;
    for (const name of names) {
        const keys = state.keys.filter(k => k.group === name), isList = keys.some(k => k.is_entry);
        const found = wanted.length ? keys.filter(k => wanted.every(w => `&${k.group}%${k.key} ${k.meaning} ${k.choices || ""}`.toLowerCase().includes(w))) : null;
        if (found && (!found.length || shown > SHOWN_MOST)) continue;
        shown += found ? found.length : 0;
        const held = state.groups.filter(g => g.name === name);
        for (const g of held) cards.push(groupMake(name, g.number, g, keys, isList, held.length, found));
        if (!held.length) (found ? cards : absent).push(groupMake(name, 0, null, keys, isList, 0, found));
    }
    at("found").textContent = wanted.length ? `${shown} key${shown === 1 ? "" : "s"}` + (shown > SHOWN_MOST ? ", of the first groups" : "") : "";
    const rest = absent.length ? [make("h2", {textContent: "groups that are not given: their defaults hold"}), ...absent] : [];
    at("groups").replaceChildren(...cards, ...rest);
    const again = id && at(id);
    if (again) {
        again.focus({preventScroll: true});
        if (kept && again.tagName === "INPUT") {
            again.value = kept[0];
            again.setSelectionRange(kept[1], kept[2]);
        }
    }
}

/* ---- what sferic check says ---- */

async function check() {
    const text = state.text;
    at("checked").textContent = "…";
    const answer = await ask("check", {page: PAGE, text, origin: state.origin, out: at("out").value || "out/unnamed", force: at("force").checked}, true);
    if (!answer || answer.superseded || text !== state.text) return;
    if (answer.error) answer.findings = [{kind: "error", text: answer.error, line: 0, group: "", number: 0, key: ""}];
    state.findings = answer.findings;
    const errors = answer.findings.filter(f => f.kind === "error").length;
    const warnings = answer.findings.filter(f => f.kind === "warning").length;
    at("checked").textContent = (errors ? `${errors} error${errors > 1 ? "s" : ""}` : "no errors") +
        (warnings ? `, ${warnings} warning${warnings > 1 ? "s" : ""}` : "");
    at("checked").className = errors ? "error" : "";
    at("findings").replaceChildren(...answer.findings.map(f => {
        const item = make("li", {className: f.kind, textContent: (f.line ? `line ${f.line}: ` : "") + (f.key ? `${f.group}%${f.key}: ` : "") + f.text});
        item.addEventListener("click", () => findingShow(f));
        return item;
    }));
    const lines = (answer.costs || "").split("\n");
    at("brief").replaceChildren(...lines.map(l => l.trim().replace(/ +/g, " ")).filter(l => /^(memory|disk|wall time|time): /.test(l)).map(l => make("li", {textContent: l})));
    at("costs").textContent = answer.costs || "";
    at("all").hidden = !answer.costs;
    formMake();
}
const checkSoon = later(400, check);

function findingShow(f) {
    if (f.line) {
        const lines = state.text.split("\n"), begin = lines.slice(0, f.line - 1).reduce((n, l) => n + l.length + 1, 0);
        const box = at("text");
        box.focus();
        box.setSelectionRange(begin, begin + lines[f.line - 1].length);
        box.scrollTop = (f.line - 5) * box.scrollHeight / lines.length;
    }
    const row = at(`${f.group}-${f.number}-${f.key}`);
    if (row) row.scrollIntoView({block: "center"});
}

/* ---- the file and its run ---- */

let replaceNext = "";
async function save() {
    await settle();
    const file = at("file").value;
    const answer = await ask("save", {file, text: state.text, digest: state.savedAs === file ? state.digest : "", origin: state.origin, replace: replaceNext === file}, true);
    if (!answer) return false;
    if (answer.error) {
        replaceNext = answer.exists ? file : "";
        tell(answer.error + (answer.exists ? ": save again to replace it, or give another name" : ""));
        return false;
    }
    replaceNext = "";
    const moved = answer.text !== state.text;
    if (moved) at("text").value = answer.text;
    Object.assign(state, {digest: answer.digest, savedAs: file, origin: answer.origin, saved: answer.text, text: answer.text});
    if (moved) await change("look", {});
    tell(`${file} is saved` + (answer.brought.length ? `, and beside it ${answer.brought.join(", ")}` : ""), true);
    changedShow();
    return true;
}

async function run(how) {
    await settle();
    if (!(state.text === state.saved && state.savedAs === at("file").value) && !await save()) return;
    const job = await ask("run", {file: at("file").value, out: at("out").value, how});
    if (job) {
        tell("");
        jobShow(job);
        jobFollow();
    }
}

function jobShow(job) {
    at("progress").hidden = !job.state;
    at("stop").disabled = !job.is_running;
    at("run").disabled = at("restart").disabled = job.is_running;
    if (!job.state) return;
    at("state").textContent = job.state;
    at("line").textContent = job.command;
    if (at("terminal").textContent !== job.text) {
        at("terminal").textContent = job.text;
        at("terminal").scrollTop = at("terminal").scrollHeight;
    }
    at("see").hidden = false;
    at("see").href = "/view?run=" + encodeURIComponent(job.out);
    at("see").target = "_blank";
}

let following = false;
async function jobFollow() {
    if (following) return;
    following = true;
    for (;;) {
        const job = await ask("job", {out: at("out").value});
        if (!job) break;
        jobShow(job);
        if (!job.is_running) break;
        await new Promise(done => setTimeout(done, 500));
    }
    following = false;
    checkSoon();
}

/* ---- beginning ---- */

async function begin() {
    const file = new URLSearchParams(location.search).get("file") || "";
    const answer = await ask("open", {file});
    if (!answer) return;
    Object.assign(state, {text: answer.text, origin: answer.origin, digest: answer.digest, savedAs: answer.is_shipped ? "" : answer.file,
        saved: answer.is_shipped ? null : answer.text, groups: answer.groups, model: answer.model, name: answer.name});
    at("file").value = answer.file;
    at("text").value = answer.text;
    at("out").value = "out/" + (answer.name || "unnamed");
    await keysGet();
    if (!state.tables.dynamics) await fetchDefault();
    formMake();
    changedShow();
    check();
    jobFollow();
}

/* Of a model that is not there the keys of all cases are better than none. */
async function fetchDefault() {
    const answer = await ask("keys", {model: "dynamics", origin: state.origin}, true);
    if (answer && answer.keys) state.tables.dynamics = answer.keys;
    if (!state.keys.length) state.keys = state.tables.dynamics || [];
}

at("text").addEventListener("input", () => {
    state.text = at("text").value;
    changedShow();
});
at("text").addEventListener("input", later(350, () => change("look", {}, "text")));
at("search").addEventListener("input", later(150, formMake));
at("out").addEventListener("input", later(400, () => {
    state.outGiven = true;
    check();
    jobFollow();
}));
at("file").addEventListener("input", changedShow);
at("force").addEventListener("change", check);
at("save").addEventListener("click", save);
at("run").addEventListener("click", () => run(at("force").checked ? "force" : ""));
at("restart").addEventListener("click", () => run("restart"));
at("stop").addEventListener("click", async () => {
    const job = await ask("stop", {out: at("out").value});
    if (job) jobShow(job);
});
window.addEventListener("beforeunload", e => {
    if (state.text !== state.saved && state.saved !== null) e.preventDefault();
});
begin();
