/* Columns: where what a sweep leaves for the next one waits, and the code of their parts. SPDX-License-Identifier: MIT
 *
 * A part of a column becomes a function of one level, NAME_0, NAME_1, ..., which pipeline/printed.h puts into loops:
 *
 *     g_NAME_p1_0_m1     a field as it was read there, one column further and one level below
 *     c_NAME             a variable that goes from level to level
 *     k_NAME             what an earlier sweep left at this level
 *     x_NAME             a value of this level
 *
 * On a CPU variables lie in rows of memory, a column beside the other, and a loop goes over columns; a thread of a GPU
 * has them in registers, and reads levels before it computes them. */
#include "stages/describe.h"

#include <stdlib.h>
#include <string.h>

static int is_sweep(const struct described *s, int part) { return s->part[part].kind > PART_ONCE; }

/* ---- places ---- */

/* May what sweep `part` leaves, and nobody reads behind part `last`, wait where `t` will be written? */
static int can_lodge(const struct described *s, const struct touch *t, int part, int last)
{
    int written = -1;
    for (int n = 0; n < s->nlines; n++) {
        if (s->line[n].field == t->field) written = s->line[n].part;
        for (int q = 0; q < 2; q++)
            if (s->line[n].kept[q].lodging == t->field) return 0;
    }
    const int is_read = t->reads && !t->is_new && !t->is_old;
    return written > part && is_sweep(s, written) && last <= written &&
           !(is_read && (t->last_read > part + 1 || t->behind == part + 1));
}

static void place_find(struct described *s, struct assignment *a, int n, int last)
{
    for (int t = 0; t < s->ntouches; t++)
        if (can_lodge(s, &s->touch[t], a->part, last)) {
            a->kept[n].lodging = s->touch[t].field;
            return;
        }
    a->kept[n].slot = s->nslots++;
}

void describe_lodge(struct described *s)
{
    enum { SOLVE_CARRIES = 3 };
    for (int n = 0; n < s->nlines; n++) {
        struct assignment *const a = &s->line[n];
        const int sweeps = is_sweep(s, a->part), is_left = a->is_kept && !a->is_uniform && !a->field;
        if (a->kind == LINE_CARRY || (a->kind == LINE_VALUE && is_left && !sweeps))
            a->carried = s->ncarried, s->ncarried += 1 + a->is_double; /* in double precision two places */
        else if (a->kind == LINE_VALUE && is_left) place_find(s, a, 0, a->is_kept - 1);
        if (a->kind != LINE_SOLVE) continue;
        a->carried = s->ncarried, s->ncarried += SOLVE_CARRIES;
        place_find(s, a, 0, a->part + 2), place_find(s, a, 1, a->part + 2);
    }
}

/* ---- what a part reads ---- */

enum { READS = 96 };
struct reads {
    const struct node *field[READS];
    const struct assignment *kept[READS];
    int nfields, nkept, lacks; /* lacks: there were more */
};

static int is_same_place(const struct node *a, const struct node *b)
{
    return a->symbol == b->symbol && !memcmp(a->index, b->index, sizeof a->index) && a->is_inside == b->is_inside;
}

static void reads_find(struct reads *x, const struct described *s, int part, const struct node *e)
{
    const struct assignment *const a = e->line;
    const int is_field =
        e->kind == NODE_NAME && e->symbol && e->symbol->kind == SYMBOL_FIELD && e->symbol->field.shape != SHAPE_LEVELS;
    const int is_left = a && a->kind == LINE_VALUE && !a->is_uniform && a->part != part && is_sweep(s, a->part);
    int n = 0;
    while (is_field && n < x->nfields && !is_same_place(x->field[n], e)) n++;
    if (is_field && n == READS) x->lacks = 1;
    else if (is_field && n == x->nfields) x->field[x->nfields++] = e;
    n = 0;
    while (is_left && n < x->nkept && x->kept[n] != a) n++;
    if (is_left && n == READS) x->lacks = 1;
    else if (is_left && n == x->nkept) x->kept[x->nkept++] = a;
    for (int m = 0; m < e->narg; m++) reads_find(x, s, part, e->arg[m]);
}

/* only: what that line needs; NULL: all. */
static struct reads reads_of(const struct described *s, int part, const struct assignment *only)
{
    struct reads x = {.nfields = 0};
    for (int n = s->part[part].first; n < s->part[part].end; n++) {
        const struct assignment *const a = &s->line[n];
        const int is_needed = !only || a == only || (a < only && describe_only_needs(s, only, n));
        if (!a->is_uniform && is_needed) reads_find(&x, s, part, a->value);
    }
    return x;
}

void describe_columns_check(struct description *d, const struct described *s)
{
    for (int part = 0; part < s->nparts && s->unit == UNIT_COLUMN; part++)
        if (reads_of(s, part, NULL).lacks)
            describe_wrong(d, s->line[s->part[part].first].at, "a sweep reads at most %d values of fields", READS);
}

/* _p1, _m2, _0 */
static void step_print(FILE *to, int n)
{
    if (n) fprintf(to, "_%c%d", n < 0 ? 'm' : 'p', abs(n));
    else fprintf(to, "_0");
}

void describe_print_read(FILE *to, const struct node *e)
{
    fprintf(to, "g_%s", e->name);
    step_print(to, e->index[0]), step_print(to, e->index[1]);
    if (e->is_inside) fprintf(to, e->index[2] > 0 ? "_up" : "_down");
    else step_print(to, e->index[2]);
}

/* The element of a field that a read stands for. */
static void element_print(FILE *to, const struct node *e)
{
    struct node same = *e;
    same.index[2] = e->is_inside ? 0 : e->index[2];
    describe_print_element(to, &same, !e->is_inside ? "" : e->index[2] > 0 ? " + l->up" : " - l->down");
}

static void place_print(FILE *to, const struct kept_place *p)
{
    if (p->lodging) fprintf(to, "l->w_%s[i]", p->lodging->name);
    else fprintf(to, "l->keep[%d * l->apart + m]", p->slot);
}

/* ---- what a part has of the column ---- */

/* Does an expression read what line `a` named? */
static int is_read(const struct node *e, const struct assignment *a)
{
    int is = e->line == a;
    for (int n = 0; n < e->narg && !is; n++) is = is_read(e->arg[n], a);
    return is;
}

/* Of variable `a`, number k: does a part, or (-1) any, read or change it? */
static int is_used(const struct described *s, const struct assignment *a, int k, int part)
{
    if (part < 0 || part == a->part) return 1;
    if (a->kind == LINE_SOLVE) return part == a->part - 1 || (k == 0 && part == a->part + 2);
    int is = 0;
    for (int n = s->part[part].first; n < s->part[part].end; n++)
        is |= s->line[n].carry == a || is_read(s->line[n].value, a);
    return is;
}

/* `form` for each variable of a part: @ its name, # its place, $ its type. */
static void carried_print(FILE *to, const struct described *s, int part, const char *form)
{
    static const char *const of_solve[] = {"", "_ratio", "_value"};
    for (int n = 0; n < s->nlines; n++) {
        const struct assignment *const a = &s->line[n];
        const int is_one =
            a->kind == LINE_CARRY || (a->kind == LINE_VALUE && a->is_kept && !a->is_uniform && !is_sweep(s, a->part));
        for (int k = 0; k < (a->kind == LINE_SOLVE ? 3 : is_one) && is_used(s, a, k, part); k++)
            for (const char *c = form; *c; c++)
                if (*c == '@') fprintf(to, "%s%s", a->name, of_solve[k]);
                else if (*c == '#') fprintf(to, "%d", a->carried + k);
                else if (*c == '$') fprintf(to, a->is_double ? "double" : "real");
                else fputc(*c, to);
    }
}

static const struct assignment *solve_before(const struct described *s, int part, int n)
{
    const struct assignment *const a = &s->line[n];
    return a->kind == LINE_SOLVE && a->part == part - 2 ? a : NULL;
}

/* `how` for each value that a part reads, of its kind. */
enum how { HOW_MEMBER, HOW_MEMORY, HOW_HANDED, HOW_FILLED };

static void read_print(FILE *to, enum how how, const char *letter, const char *name, const struct node *e,
                       const struct kept_place *p)
{
    static const char *const before[] = {"    real ", "    const real ", "    const real ", "    x."};
    fprintf(to, "%s", before[how]);
    if (e) describe_print_read(to, e);
    else fprintf(to, "%s%s", letter, name);
    if (how != HOW_MEMBER) fprintf(to, " = ");
    if (how == HOW_HANDED) {
        fprintf(to, "g->");
        if (e) describe_print_read(to, e);
        else fprintf(to, "%s%s", letter, name);
    } else if (how != HOW_MEMBER && e) element_print(to, e);
    else if (how != HOW_MEMBER) place_print(to, p);
    fprintf(to, ";\n");
}

static void reads_print(FILE *to, const struct described *s, int part, const struct reads *x, enum how how,
                        const struct assignment *only)
{
    for (int n = 0; n < x->nfields; n++) read_print(to, how, "", "", x->field[n], NULL);
    for (int n = 0; n < x->nkept; n++) read_print(to, how, "k_", x->kept[n]->name, NULL, &x->kept[n]->kept[0]);
    for (int n = 0; n < s->nlines && !only; n++) {
        const struct assignment *const a = solve_before(s, part, n);
        if (!a) continue;
        read_print(to, how, "ratio_", a->name, NULL, &a->kept[0]);
        read_print(to, how, "value_", a->name, NULL, &a->kept[1]);
    }
}

/* ---- the parts ---- */

static void solve_print(FILE *to, const struct assignment *a)
{
    fprintf(to, "    const struct tridiagonal s_%s = tridiagonal_eliminate(", a->name);
    for (int n = 0; n < 4; n++) describe_print_value(to, a->value->arg[n], a->part), fprintf(to, ", ");
    fprintf(to, "c_%s_ratio, c_%s_value);\n", a->name, a->name);
    fprintf(to, "    c_%s_ratio = s_%s.ratio, c_%s_value = s_%s.value;\n", a->name, a->name, a->name, a->name);
}

/* until: of the lines before that one those that it needs; NULL: all lines. */
static void value_lines_print(FILE *to, const struct described *s, int part, const struct assignment *until)
{
    for (int n = 0; n < s->nlines && !until; n++) {
        const struct assignment *const a = solve_before(s, part, n);
        if (a)
            fprintf(to, "    const real x_%s = tridiagonal_solve(ratio_%s, value_%s, c_%s);\n", a->name, a->name,
                    a->name, a->name);
    }
    for (int n = s->part[part].first; n < s->part[part].end; n++) {
        const struct assignment *const a = &s->line[n];
        const int is_carried = a->kind != LINE_VALUE || (a->is_kept && !is_sweep(s, part));
        if (a == until) return;
        if (a->is_uniform || (until && !describe_only_needs(s, until, n))) continue;
        if (a->kind == LINE_ONLY) {
            fprintf(to, "#ifdef __cplusplus\n    if (!("), describe_print_value(to, a->value, part);
            fprintf(to, ")) return;\n#else\n    const int only = "), describe_print_value(to, a->value, part);
            fprintf(to, ";\n#endif\n");
            continue;
        }
        if (a->kind == LINE_SOLVE) {
            solve_print(to, a);
            continue;
        }
        const char *const structure = describe_structure(a->value);
        if (structure) fprintf(to, "    const struct %s x_%s = ", structure, a->name);
        else fprintf(to, "    %s%s = ", a->field ? "const real to_" : is_carried ? "c_" : "const real x_", a->name);
        describe_print_value(to, a->value, part), fprintf(to, ";\n");
        if (a->kind == LINE_VALUE && !a->field && is_carried)
            fprintf(to, "    const real x_%s = c_%s;\n    (void)x_%s;\n", a->name, a->name, a->name);
    }
}

/* What the part leaves: where that is not everywhere, on a CPU, what was there elsewhere. */
static void left_print(FILE *to, const struct described *s, int part)
{
    const int has_only = describe_only(s, part) != NULL;
    for (int n = 0; n < s->nlines; n++) {
        const struct assignment *const a = &s->line[n];
        if (solve_before(s, part, n)) fprintf(to, "    c_%s = x_%s;\n", a->name, a->name);
        if (a->part != part || a->is_uniform) continue;
        if (a->field && has_only)
            fprintf(to, "    l->w_%s[i] = SF_ONLY(to_%s, l->w_%s[i]);\n", a->name, a->name, a->name);
        else if (a->field) fprintf(to, "    l->w_%s[i] = to_%s;\n", a->name, a->name);
        else if (a->kind == LINE_VALUE && a->is_kept && is_sweep(s, part)) {
            fprintf(to, "    "), place_print(to, &a->kept[0]), fprintf(to, " = x_%s;\n", a->name);
        } else if (a->kind == LINE_SOLVE) {
            fprintf(to, "    "), place_print(to, &a->kept[0]), fprintf(to, " = s_%s.ratio;\n", a->name);
            fprintf(to, "    "), place_print(to, &a->kept[1]), fprintf(to, " = s_%s.value;\n", a->name);
        }
    }
    for (int n = 0; n < s->nlines; n++) /* the system of the sweep that follows */
        if (s->line[n].kind == LINE_SOLVE && s->line[n].part == part + 1)
            fprintf(to, "    c_%s = R(0.0), c_%s_ratio = R(0.0), c_%s_value = R(0.0);\n", s->line[n].name,
                    s->line[n].name, s->line[n].name);
}

static int is_empty(const struct described *s, int part)
{
    int n = s->part[part].end - s->part[part].first;
    for (int k = 0; k < s->nlines; k++) n += s->line[k].kind == LINE_SOLVE && s->line[k].part == part + 1;
    return !n;
}

/* NAME_1_only: may the level of a column change something? */
static void only_part_print(FILE *to, const struct described *s, int part)
{
    const struct assignment *const only = describe_only(s, part);
    fprintf(to, "SF_POINT int %s_%d_only(const struct %s_line *l, int i, int m)\n{\n", s->name, part, s->name);
    if (only) {
        const struct reads x = reads_of(s, part, only);
        reads_print(to, s, part, &x, HOW_MEMORY, only);
        carried_print(to, s, part, "    const $ c_@ = SF_CARRIED($, l, #, m);\n    (void)c_@;\n");
        value_lines_print(to, s, part, only);
    }
    fprintf(to, "    (void)l, (void)i, (void)m;\n    return ");
    if (only) describe_print_value(to, only->value, part);
    else fprintf(to, "1");
    fprintf(to, ";\n}\n");
}

static void part_print(FILE *to, const struct described *s, int part)
{
    const char *const name = s->name;
    const struct reads x = reads_of(s, part, NULL);
    const int reads = SF_MAX(x.nfields + x.nkept, 1);
    int together = 8; /* levels: what is read of twice as many is in registers */
    while (together > 1 && together * reads > 80) together /= 2;
    fprintf(to, "enum { %s_%d_TOGETHER = %d, %s_%d_IS_ONLY = %d };\n", name, part, together, name, part,
            describe_only(s, part) != NULL);
    const char *const head = "SF_POINT void %s_%d(const struct %s_line *l, int i, int m";
    fprintf(to, "#ifndef __cplusplus\n"), only_part_print(to, s, part), fprintf(to, head, name, part, name),
        fprintf(to, ")\n{\n");
    reads_print(to, s, part, &x, HOW_MEMORY, NULL);
    carried_print(to, s, part, "    $ c_@ = SF_CARRIED($, l, #, m);\n");
    fprintf(to, "#else\nstruct %s_%d_reads {\n", name, part), reads_print(to, s, part, &x, HOW_MEMBER, NULL);
    fprintf(to, "};\nSF_POINT struct %s_%d_reads %s_%d_read(const struct %s_line *l, int i, int m)\n{\n", name, part,
            name, part, name);
    fprintf(to, "    (void)l, (void)i, (void)m;\n    struct %s_%d_reads x;\n", name, part);
    reads_print(to, s, part, &x, HOW_FILLED, NULL), fprintf(to, "    return x;\n}\n");
    fprintf(to, head, name, part, name);
    fprintf(to, ", const struct %s_%d_reads *g, struct %s_carried *c)\n{\n    (void)g, (void)c;\n", name, part, name);
    reads_print(to, s, part, &x, HOW_HANDED, NULL);
    carried_print(to, s, part, "    $ c_@ = c->c_@;\n");
    fprintf(to, "#endif\n    (void)l, (void)i, (void)m;\n");
    value_lines_print(to, s, part, NULL), left_print(to, s, part);
    const char *const keep = describe_only(s, part)
                                 ? "    SF_CARRIED($, l, #, m) = SF_ONLY(c_@, SF_CARRIED($, l, #, m));\n"
                                 : "    SF_CARRIED($, l, #, m) = c_@;\n";
    fprintf(to, "#ifndef __cplusplus\n"), carried_print(to, s, part, keep);
    fprintf(to, "#else\n"), carried_print(to, s, part, "    c->c_@ = c_@;\n"), fprintf(to, "#endif\n}\n\n");
}

void describe_print_parts(FILE *to, const struct described *s)
{
    static const char *const word[] = {[PART_ONCE] = "ONCE", [PART_UP] = "UP", [PART_DOWN] = "DOWN"};
    fprintf(to, "enum { %s_SLOTS = %d, %s_CARRIED = %d };\n\n#ifdef __cplusplus\nstruct %s_carried {\n", s->name,
            s->nslots, s->name, s->ncarried, s->name);
    carried_print(to, s, -1, "    $ c_@;\n"), fprintf(to, "};\n#endif\n\n");
    for (int p = 0; p < s->nparts; p++)
        if (!is_empty(s, p)) part_print(to, s, p);
    fprintf(to, "#define %s_PARTS", s->name);
    for (int p = 0; p < s->nparts; p++)
        if (!is_empty(s, p)) fprintf(to, " SF_COLUMN_%s(%s, %d)", word[s->part[p].kind], s->name, p);
    fprintf(to, "\n\n");
}
