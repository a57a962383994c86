/* sferic doctor: what this machine has for the program, and what it lacks, each with the line that mends it. It changes
 * nothing. SPDX-License-Identifier: MIT */
#include "command/doctor.h"

#include "command/command.h"
#include "command/probe.h"
#include "pipeline/error.h"
#include "version.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {"--out", "-o", "DIR", "where output is to go (out)"},
    {"--json", NULL, NULL, "for programs: one object, its array `lines`"},
};

struct doctor_options {
    const char *out;
    int json;
};

static int option_take(void *to, const struct option *o, const char *value)
{
    struct doctor_options *opt = to;
    SF_CHECK(o, SF_USAGE, "sferic doctor takes no argument, and there is '%s'; --out names a directory", value);
    if (!strcmp(o->name, "--json")) opt->json = 1;
    else opt->out = value;
    return SF_OK;
}

static struct doctor_line *line_add(struct doctor *d, const char *name)
{
    static struct doctor_line spare;
    struct doctor_line *l = d->n < DOCTOR_LINES ? &d->line[d->n++] : &spare;
    *l = (struct doctor_line){.name = name};
    return l;
}

void doctor_fact(struct doctor *d, const char *name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(line_add(d, name)->what, DOCTOR_TEXT, fmt, args);
    va_end(args);
}

void doctor_lack(struct doctor *d, const char *name, int code, const char *remedy, const char *fmt, ...)
{
    struct doctor_line *l = line_add(d, name);
    va_list args;
    va_start(args, fmt);
    vsnprintf(l->what, sizeof l->what, fmt, args);
    va_end(args);
    l->is_lack = 1, l->code = code;
    snprintf(l->remedy, sizeof l->remedy, "%s", remedy);
}

const char *doctor_install(const char *packages)
{
    static char line[DOCTOR_TEXT];
    char path[PROBE_PATH];
    const char *const by = geteuid() ? "sudo " : "";
    if (probe_find("apt-get", path)) snprintf(line, sizeof line, "%sapt-get install -y %s", by, packages);
    else snprintf(line, sizeof line, "install what Debian calls %s by this system's package manager", packages);
    return line;
}

/* What every binary tells of itself. */
static void program_look(struct doctor *d)
{
    doctor_fact(d, "program", "%s", version_source());
    doctor_fact(d, "built", "by %s, for %s, %d-bit numbers", SF_COMPILER, SF_ARCH, SF_PREC);
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

static void json_string(const char *text)
{
    putchar('"');
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s == '"' || *s == '\\') printf("\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f) printf("\\u%04x", *s);
        else putchar(*s);
    }
    putchar('"');
}

static void json_print(const struct doctor *d, int code)
{
    printf("{\"runs\": %s, \"exit_code\": %d, \"lines\": [", code ? "false" : "true", code);
    for (int n = 0; n < d->n; n++) {
        const struct doctor_line *l = &d->line[n];
        printf("%s\n  {\"name\": ", n ? "," : "");
        json_string(l->name);
        printf(", \"lack\": %s, \"what\": ", l->is_lack ? "true" : "false");
        json_string(l->what);
        if (l->is_lack) {
            printf(", \"stops\": %s, \"remedy\": ", l->code ? "true" : "false");
            json_string(l->remedy);
        }
        printf("}");
    }
    printf("\n]}\n");
}

static void text_print(const struct doctor *d, int code)
{
    int lacks = 0;
    for (int n = 0; n < d->n; n++) {
        lacks += d->line[n].is_lack;
        if (!d->line[n].is_lack) printf("%-10s %s\n", d->line[n].name, d->line[n].what);
    }
    if (lacks) printf("\n");
    for (int n = 0; n < d->n; n++)
        if (d->line[n].is_lack) printf("lacks %s: %s; type: %s\n", d->line[n].name, d->line[n].what, d->line[n].remedy);
    printf("\n%s here; %d thing%s lacking\n", code ? "cases do not run" : "cases run", lacks, lacks == 1 ? "" : "s");
}

/* The first of the lines that no case runs with. */
static const struct doctor_line *stop_find(const struct doctor *d)
{
    for (int n = 0; n < d->n; n++)
        if (d->line[n].code) return &d->line[n];
    return NULL;
}

int command_doctor(struct comm *c, int argc, char **argv)
{
    static const struct usage usage = {
        .name = "doctor",
        .arguments = "",
        .about =
            "Tells what this machine has for the program and what it lacks, each lack with what cannot be done for "
            "want of it\nand the line to type. It changes nothing.\n\n"
            "Exit codes: 0 cases run here, whatever else is lacking; 1 the processor lacks what this program was built "
            "for;\n6 no output can be written; 9 too little memory",
        .option = options,
        .noptions = sizeof options / sizeof options[0],
        .take = option_take};
    static struct doctor d;
    struct doctor_options o = {.out = "out"};
    SF_TRY(options_read(&usage, c->rank, argc, argv, &o));
    SF_CHECK(o.out[0], SF_USAGE, "the name of the output directory is empty");
    d = (struct doctor){.out = o.out};
    program_look(&d);
    doctor_machine(&d);
    doctor_programs(&d);
    doctor_python(&d);
    const struct doctor_line *const stop = stop_find(&d);
    const int code = stop ? stop->code : SF_OK;
    if (o.json) json_print(&d, code);
    else text_print(&d, code);
    SF_CHECK(!stop, code, "no case runs here: %s", stop->what);
    return SF_OK;
}
