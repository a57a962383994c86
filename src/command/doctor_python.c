/* The programs in Python, and a python3 with the modules that each takes: sought where they seek it themselves
 * (tools/sferic_plot/start.py, tools/sferic_view/start.py). Modules are looked for, not loaded, which takes ten times
 * as long. SPDX-License-Identifier: MIT */
#include "command/doctor.h"

#include "command/probe.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PYTHONS = 8, SAID = 4096, TOOLS = 6 };

static const double patience = 3; /* s that a python3 is waited for */

static const char *const tool[TOOLS] = {"sferic-plot",    "sferic-view",       "sferic-prepare",
                                        "sferic-against", "sferic-resonances", "sferic-bscan"};

/* `-` and the version of what is there. */
static const char script[] =
    "import sys, importlib.util as u\n"
    "sys.path = [p for p in sys.path if p]\n" /* not this directory: the programs do not look there */
    "print('python3', sys.version.split()[0])\n"
    "for m, d in ('xarray', 'xarray'), ('netCDF4', 'netCDF4'), ('matplotlib', 'matplotlib'), ('eccodes', 'eccodes'), ('bokeh', 'bokeh'):\n"
    "    try:\n"
    "        if u.find_spec(m) is None: continue\n"
    "    except Exception: continue\n"
    "    try:\n"
    "        from importlib.metadata import version\n"
    "        v = version(d)\n"
    "    except Exception: v = '?'\n"
    "    print(m, v)\n";

struct python {
    char path[PROBE_PATH], said[SAID];
};

/* ---- where the programs are -------------------------------------------------------------------------------------- */

static int is_tool(const char *folder, const char *name)
{
    char path[PROBE_PATH + 64];
    snprintf(path, sizeof path, "%.4000s/%s", folder, name);
    return !access(path, X_OK);
}

/* Beside this program, in the source tree that it was built in, or on PATH. */
static void tools_look(struct doctor *d)
{
    char self[PROBE_PATH], folder[2][PROBE_PATH] = {"", ""}, path[PROBE_PATH], missing[DOCTOR_TEXT] = "";
    if (probe_self(self) && strrchr(self, '/')) {
        *strrchr(self, '/') = '\0';
        snprintf(folder[0], PROBE_PATH, "%s", self);
        for (int up = 0; up < 2 && strrchr(self, '/'); up++) *strrchr(self, '/') = '\0';
        snprintf(folder[1], PROBE_PATH, "%.4000s/tools", self);
    }
    d->tools[0] = '\0';
    for (int n = 0; n < 2 && !d->tools[0]; n++)
        if (folder[n][0] && is_tool(folder[n], tool[0])) snprintf(d->tools, sizeof d->tools, "%.700s", folder[n]);
    if (!d->tools[0] && probe_find(tool[0], path)) {
        *strrchr(path, '/') = '\0';
        snprintf(d->tools, sizeof d->tools, "%.700s", path);
    }
    for (int n = 0; n < TOOLS; n++)
        if (!d->tools[0] || !is_tool(d->tools, tool[n])) {
            const size_t used = strlen(missing);
            snprintf(missing + used, sizeof missing - used, "%s%s", used ? ", " : "", tool[n]);
        }
    if (d->tools[0]) doctor_fact(d, "tools", "%s", d->tools);
    if (missing[0])
        doctor_lack(d, "tools", 0, "make install", "%s not found: no pictures, or what else they are for", missing);
}

/* ---- pythons ----------------------------------------------------------------------------------------------------- */

/* 1: `path` was not asked before, and answers. */
static int python_add(struct python *all, int *n, const char *name)
{
    struct python *p = &all[*n];
    if (*n == PYTHONS || !name || !probe_find(name, p->path)) return 0;
    for (int m = 0; m < *n; m++)
        if (!strcmp(all[m].path, p->path)) return 0;
    char *const ask[] = {p->path, "-B", "-c", (char *)script, NULL};
    if (probe_ask(ask, patience, 0, p->said, sizeof p->said)) return 0;
    ++*n;
    return 1;
}

/* Of these modules, those that it lacks. */
static int python_lacks(const struct python *p, const char *modules, char *lacking, size_t size)
{
    return doctor_words_lacking(modules, p->said, lacking, size);
}

/* The one that lacks least; its lack in `lacking`. NULL: there is none. */
static const struct python *python_best(const struct python *all, int n, const char *modules, char *lacking,
                                        size_t size)
{
    const struct python *best = NULL;
    char one[DOCTOR_TEXT];
    int least = 0;
    for (int m = 0; m < n; m++) {
        const int lacks = python_lacks(&all[m], modules, one, sizeof one);
        if (best && lacks >= least) continue;
        best = &all[m], least = lacks;
        snprintf(lacking, size, "%s", one);
    }
    return best;
}

/* "xarray 2023.1.0, ..." */
static void versions_write(const struct python *p, const char *modules, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const char *at = p->said; *at && used < size;) {
        const size_t line = strcspn(at, "\n"), word = strcspn(at, " \n");
        char name[64], none[64];
        snprintf(name, sizeof name, "%.*s", (int)word, at);
        if (!doctor_words_lacking(name, modules, none, sizeof none))
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? ", " : "", (int)line, at);
        at += line + (at[line] == '\n');
    }
}

struct python_use {
    const char *name, *modules, *packages, *prevents;
};

/* Does one of them have the modules? */
static void use_look(struct doctor *d, const struct python *all, int n, const struct python_use *u)
{
    char lacking[DOCTOR_TEXT] = "", versions[DOCTOR_TEXT], wanted[DOCTOR_TEXT];
    const struct python *const p = python_best(all, n, u->modules, lacking, sizeof lacking);
    if (!p) doctor_lack(d, u->name, 0, doctor_install(u->packages), "%s: no python3 answers", u->prevents);
    else if (lacking[0])
        doctor_lack(d, u->name, 0, doctor_install(u->packages), "%s: no python3 has %s", u->prevents, lacking);
    else {
        snprintf(wanted, sizeof wanted, "python3 %s", u->modules);
        versions_write(p, wanted, versions, sizeof versions);
        doctor_fact(d, u->name, "%s: %s", p->path, versions);
    }
}

/* sferic-view has an environment of its own, beside the source tree or below the installed data. */
static void view_look(struct doctor *d, struct python *all, int *n)
{
    char folder[PROBE_PATH], name[PROBE_PATH + 64], lacking[DOCTOR_TEXT], versions[DOCTOR_TEXT], line[DOCTOR_TEXT];
    static const char modules[] = "bokeh xarray netCDF4 matplotlib";
    char up[DOCTOR_TEXT];
    const int is_tree = d->tools[0] && is_tool(d->tools, "view-env.sh");
    if (!d->tools[0]) return;
    snprintf(up, sizeof up, "%s", d->tools);
    if (strrchr(up, '/')) *strrchr(up, '/') = '\0';
    snprintf(folder, sizeof folder, "%s/%s", up, is_tree ? "build/view" : "share/sferic/view");
    snprintf(name, sizeof name, "%.4000s/bin/python3", folder);
    if (*n && !python_lacks(&all[0], modules, lacking, sizeof lacking)) name[0] = '\0'; /* the first does */
    else python_add(all, n, name);
    for (int m = 0; m < *n; m++)
        if (!python_lacks(&all[m], modules, lacking, sizeof lacking)) {
            versions_write(&all[m], "python3 bokeh", versions, sizeof versions);
            doctor_fact(d, "view", "%s: %s", all[m].path, versions);
            return;
        }
    const char *const quote = strpbrk(up, " ()&;") ? "'" : "";
    if (is_tree) snprintf(line, sizeof line, "make -C %s%.700s%s install-view", quote, up, quote);
    else
        snprintf(line, sizeof line, "%s%s%.300s/share/sferic/view-env.sh%s %s%.300s/share/sferic/view%s",
                 geteuid() ? "sudo " : "", quote, up, quote, quote, up, quote);
    doctor_lack(d, "view", 0, line, "no runs in the browser by sferic-view: no python3 of its own with Bokeh in %s",
                folder);
}

void doctor_python(struct doctor *d)
{
    static const struct python_use plot = {"plot", "xarray netCDF4 matplotlib",
                                           "python3-xarray python3-netcdf4 python3-matplotlib",
                                           "no pictures by sferic-plot"},
                                   prepare = {"prepare", "netCDF4 eccodes", "python3-netcdf4 python3-eccodes",
                                              "no analyses in GRIB for sferic-prepare"};
    static struct python all[PYTHONS];
    const char *const usual[] = {getenv("PYTHON"), "python3", "/usr/bin/python3", "/usr/local/bin/python3"};
    char lacking[DOCTOR_TEXT];
    int n = 0, is_enough = 0;
    tools_look(d);
    for (size_t m = 0; m < sizeof usual / sizeof usual[0] && !is_enough; m++)
        if (python_add(all, &n, usual[m]))
            is_enough = !python_lacks(&all[n - 1], "xarray netCDF4 matplotlib eccodes", lacking, sizeof lacking);
    use_look(d, all, n, &plot);
    use_look(d, all, n, &prepare);
    view_look(d, all, &n);
}
