/* A variable in three dimensions: surfaces of one value, of a signed variable of both signs, or a volume that is the denser the farther values
 * are from nothing. plotly.js makes them of the values that the server sends. SPDX-License-Identifier: MIT */
"use strict";

const at = id => document.getElementById(id);
const asked = new URLSearchParams(location.search);
let solid = null, count = 0;

async function get(name, frame) {
    const mine = ++count;
    let answer;
    try {
        const reply = await fetch("/api/solid", {method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({run: asked.get("run") || "", name, frame})});
        if (!reply.ok) throw new Error(await reply.text());
        answer = await reply.json();
    } catch (e) {
        answer = {error: e instanceof TypeError ? "sferic-view does not answer: it has ended" : e.message};
    }
    if (mine !== count) return;
    at("message").textContent = answer.error || "";
    if (answer.error) return;
    const raw = Uint8Array.from(atob(answer.values), c => c.charCodeAt(0));
    solid = {...answer, values: new Float32Array(raw.buffer)};
    show();
}

/* The same coordinate for every point, z slowest, x fastest. */
function grid(axis) {
    const {x, y, z} = solid.axes, all = new Float32Array(x.length * y.length * z.length);
    let n = 0;
    for (let k = 0; k < z.length; k++)
        for (let j = 0; j < y.length; j++)
            for (let i = 0; i < x.length; i++) all[n++] = axis === "x" ? x[i] : axis === "y" ? y[j] : z[k];
    return all;
}

function show() {
    document.title = `${solid.case}: ${solid.title}, 3-D`;
    at("case").textContent = solid.case;
    at("back").href = "/view?run=" + encodeURIComponent(asked.get("run") || "");
    at("name").replaceChildren(...solid.names.map(([value, textContent]) => Object.assign(document.createElement("option"), {value, textContent})));
    at("name").value = solid.name;
    at("frame").max = solid.times.length - 1;
    at("frame").value = solid.frame;
    at("time").textContent = `${solid.times[solid.frame]} (${solid.frame + 1} of ${solid.times.length})`;
    at("about").textContent = (solid.thin > 1 ? `Of every ${solid.thin} cells a side one is shown. ` : "") + (solid.is_hilly ? "Heights are those over flat ground." : "");
    draw();
}

function draw() {
    const share = at("share").value / 100, {low, high} = solid;
    const level = solid.is_signed ? share * high : low + share * (high - low);
    at("level").textContent = `${solid.is_signed ? "±" : ""}${level.toPrecision(3)} ${solid.label.replace(/^.*\[|\]$/g, "")}`;
    const common = {type: at("kind").value, x: grid("x"), y: grid("y"), z: grid("z"), value: solid.values, cmin: low, cmax: high, colorscale: solid.colours,
        colorbar: {title: {text: solid.label}, thickness: 14, len: 0.8, y: 0.45}, caps: {x: {show: false}, y: {show: false}, z: {show: false}}, hoverinfo: "x+y+z+text"};
    // A surface between isomin and isomax: two of them are those of the two signs.
    const traces = at("kind").value === "volume" ?
        [{...common, isomin: low, isomax: high, surface: {count: 15}, opacity: 0.12, opacityscale: solid.is_signed ? "extremes" : "max"}] :
        [{...common, isomin: solid.is_signed ? -level : level, isomax: solid.is_signed ? level : level + 1e-6 * (high - low), surface: {count: 2}, opacity: 0.75}];
    const span = a => solid.axes[a].at(-1) - solid.axes[a][0], most = Math.max(span("x"), span("y"), span("z"));
    const ratio = a => Math.max(span(a) / most, 0.25);
    const axis = a => ({title: {text: `${a} [${solid.unit}]`}, range: [solid.axes[a][0], solid.axes[a].at(-1)]});
    Plotly.react("solid", traces, {uirevision: "same", margin: {l: 0, r: 0, t: 0, b: 0}, height: Math.max(window.innerHeight - 130, 300),
        scene: {uirevision: "same", camera: {eye: {x: -0.7, y: -1.5, z: 0.8}}, aspectmode: "manual", aspectratio: {x: ratio("x"), y: ratio("y"), z: ratio("z")}, xaxis: axis("x"), yaxis: axis("y"), zaxis: axis("z")}},
    {displaylogo: false, responsive: true});
}

at("name").addEventListener("change", () => get(at("name").value, +at("frame").value));
at("frame").addEventListener("input", () => get(at("name").value, +at("frame").value));
at("kind").addEventListener("change", draw);
at("share").addEventListener("change", draw);
get(asked.get("name") || "", +(asked.get("frame") || 0));
