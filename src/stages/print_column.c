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
    return a->symbol == b->symbol && !memcmp(a->index, b->index, sizeof a->index) && a->is_inside == b->is_inside &&
           a->is_made == b->is_made;
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

/* Does it read an array by column, row or level? */
static int is_by_line(const struct node *e)
{
    int is = e->symbol && e->symbol->kind == SYMBOL_LINE;
    for (int n = 0; n < e->narg; n++) is |= is_by_line(e->arg[n]);
    return is;
}

/* Of how many values does the next point along an axis read the same? */
static int are_shared(const struct reads *x, int axis)
{
    int shared = 0;
    for (int n = 0; n < x->nfields; n++)
        for (int m = 0; m < x->nfields; m++) {
            const struct node *const a = x->field[n], *const b = x->field[m];
            int same = a->symbol == b->symbol && a->is_made == b->is_made && a->symbol->field.shape == SHAPE_FULL;
            for (int q = 0; q < 3; q++) same &= a->index[q] + (q == axis) == b->index[q];
            shared += same;
        }
    return shared;
}

int describe_levels_together(const struct described *s)
{
    enum { TOGETHER = 4, SHARED = 8 };
    struct reads x = {.nfields = 0};
    for (int n = 0; n < s->nlines; n++)
        if (!s->line[n].is_uniform) reads_find(&x, s, s->line[n].part, s->line[n].value);
    const int along_z = are_shared(&x, 2);
    return along_z >= SHARED && along_z > are_shared(&x, 1) ? TOGETHER : 1;
}

void describe_columns_check(struct description *d, const struct described *s)
{
    for (int part = 0; part < s->nparts && s->unit == UNIT_COLUMN; part++)
        if (reads_of(s, part, NULL).lacks)
            describe_wrong(d, s->line[s->part[part].first].at, "a sweep reads at most %d values of fields", READS);
}

void describe_print_step(FILE *to, int n)
{
    if (n) fprintf(to, "_%c%d", n < 0 ? 'm' : 'p', abs(n));
    else fprintf(to, "_0");
}

void describe_print_read(FILE *to, const struct node *e)
{
    fprintf(to, "g_%s", e->name);
    describe_print_step(to, e->index[0]), describe_print_step(to, e->index[1]);
    if (e->is_inside) fprintf(to, e->index[2] > 0 ? "_up" : "_down");
    else describe_print_step(to, e->index[2]);
}

/* The element of a field that a read stands for. */
static void element_print(FILE *to, const struct node *e)
{
    struct node same = *e;
    same.index[2] = e->is_inside ? 0 : e->index[2];
    describe_print_element(to, &same, !e->is_inside ? "" : e->index[2] > 0 ? " + l->up" : " - l->down", 0);
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

/* `form` for each variable of a part: @ its name, # its place, $ its type. solves: those of systems, too. */
static void carried_print_with(FILE *to, const struct described *s, int part, const char *form, int solves)
{
    static const char *const of_solve[] = {"", "_ratio", "_value"};
    for (int n = 0; n < s->nlines; n++) {
        const struct assignment *const a = &s->line[n];
        const int is_one =
            a->kind == LINE_CARRY || (a->kind == LINE_VALUE && a->is_kept && !a->is_uniform && !is_sweep(s, a->part));
        for (int k = 0; k < (a->kind == LINE_SOLVE ? 3 * solves : is_one) && is_used(s, a, k, part); k++)
            for (const char *c = form; *c; c++)
                if (*c == '@') fprintf(to, "%s%s", a->name, of_solve[k]);
                else if (*c == '#') fprintf(to, "%d", a->carried + k);
                else if (*c == '$') fprintf(to, a->is_double ? "double" : "real");
                else fputc(*c, to);
    }
}

static void carried_print(FILE *to, const struct described *s, int part, const char *form)
{
    carried_print_with(to, s, part, form, 1);
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

/* Where an equation goes: it is eliminated; or it waits, the n-th of the level's, until a warp solves all of a column.
 */
enum systems { SYSTEMS_NOW, SYSTEMS_WAIT };

static void solve_print(FILE *to, const struct assignment *a, enum systems when, int n)
{
    if (when == SYSTEMS_WAIT) {
        static const char *const word[] = {"before", "here", "after", "right"};
        for (int m = 0; m < 4; m++) {
            fprintf(to, "    equation[%d].%s = ", n, word[m]), describe_print_value(to, a->value->arg[m], a->part);
            fprintf(to, ";\n");
        }
        return;
    }
    fprintf(to, "    const struct tridiagonal s_%s = tridiagonal_eliminate(", a->name);
    for (int n = 0; n < 4; n++) describe_print_value(to, a->value->arg[n], a->part), fprintf(to, ", ");
    fprintf(to, "c_%s_ratio, c_%s_value);\n", a->name, a->name);
    fprintf(to, "    c_%s_ratio = s_%s.ratio, c_%s_value = s_%s.value;\n", a->name, a->name, a->name, a->name);
}

/* until: of the lines before that one those that it needs; NULL: all lines. */
static void value_lines_print(FILE *to, const struct described *s, int part, const struct assignment *until,
                              enum systems when)
{
    int systems = 0;
    for (int n = 0; n < s->nlines && !until; n++) {
        const struct assignment *const a = solve_before(s, part, n);
        if (a && when == SYSTEMS_WAIT)
            fprintf(to, "    const real x_%s = found[%d], c_%s = found[%d];\n    (void)c_%s;\n", a->name, 2 * systems,
                    a->name, 2 * systems + 1, a->name),
                systems++;
        else if (a)
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
            solve_print(to, a, when, systems++);
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
        value_lines_print(to, s, part, only, SYSTEMS_NOW);
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
    value_lines_print(to, s, part, NULL, SYSTEMS_NOW), left_print(to, s, part);
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

/* ---- by blocks ---- */

/* So many levels below one may be computed again to know what that one needs of them. */
enum { DEEP_MOST = 3 };

static int sweep_with_systems(const struct described *s)
{
    for (int n = 0; n < s->nlines; n++)
        if (s->line[n].kind == LINE_SOLVE) return s->line[n].part;
    return -1;
}

static int is_in_line(const struct described *s, const struct assignment *a) { return a ? (int)(a - s->line) : -1; }

/* Of how many levels below must a value in sweep `up` know? depth: of each of its lines so far, and of its variables.
 */
static int depth_of(const struct described *s, int up, const struct node *e, const int *depth)
{
    const int n = is_in_line(s, e->line);
    int most = n >= 0 && (s->line[n].kind == LINE_CARRY || s->line[n].part == up) ? depth[n] : 0;
    for (int m = 0; m < e->narg; m++) most = SF_MAX(most, depth_of(s, up, e->arg[m], depth));
    return most;
}

/* The most that a level of the sweep needs of those below it; more than DEEP_MOST: as many as there are. A variable is
 * what its line made it one level below, of what that level knew: after so many turns no depth grows any more. */
static int sweep_depth(const struct described *s, int up, int *depth)
{
    int most = 0;
    memset(depth, 0, (size_t)s->nlines * sizeof *depth);
    for (int turn = 0; turn <= DEEP_MOST + 1; turn++) {
        most = 0;
        for (int n = s->part[up].first; n < s->part[up].end; n++) {
            const struct assignment *const a = &s->line[n];
            if (a->is_uniform) continue;
            depth[n] = depth_of(s, up, a->value, depth);
            if (a->kind == LINE_AGAIN) depth[is_in_line(s, a->carry)] = depth[n];
            else most = SF_MAX(most, depth[n]);
        }
        for (int n = s->part[up].first; n < s->part[up].end; n++)
            if (s->line[n].kind == LINE_AGAIN) depth[is_in_line(s, s->line[n].carry)] = 1 + depth[n];
    }
    return most;
}

static int is_carry_read(const struct node *e)
{
    int is = e->line && e->line->kind == LINE_CARRY;
    for (int n = 0; n < e->narg; n++) is |= is_carry_read(e->arg[n]);
    return is;
}

/* Does the stage write, in the bank where it is, a field that this reads elsewhere than where it stands? */
static int is_read_beside(const struct described *s, const struct node *e)
{
    int is = 0;
    for (int n = 0; n < s->nlines; n++)
        is |= s->line[n].field && !s->line[n].is_new && s->line[n].field == e->symbol &&
              (e->index[0] || e->index[1] || e->index[2]);
    for (int n = 0; n < e->narg; n++) is |= is_read_beside(s, e->arg[n]);
    return is;
}

/* May warps share out the levels of its columns? Two sweeps, up with systems and down with their solution: of the first
 * a level needs few others, of the second none but the one above. *deep: how many of the first. */
int describe_by_blocks(const struct described *s, int *deep)
{
    const int up = s->unit == UNIT_COLUMN ? sweep_with_systems(s) : -1, down = up + 2;
    if (up < 0 || s->beyond || down >= s->nparts || s->part[down].kind != PART_DOWN) return 0;
    for (int p = 0; p < s->nparts; p++)
        if (is_sweep(s, p) ? p != up && p != down : p == up + 1 && s->part[p].end > s->part[p].first) return 0;
    for (int n = 0; n < s->nlines; n++) {
        const struct assignment *const a = &s->line[n];
        if (a->kind == LINE_ONLY || (a->field && a->part < down) || (a->kind == LINE_SOLVE && a->part != up)) return 0;
        if (a->part >= down && !a->is_uniform && (a->kind == LINE_AGAIN || is_carry_read(a->value))) return 0;
        if ((a->part == down && is_read_beside(s, a->value)) || is_by_line(a->value)) return 0;
    }
    int *const depth = calloc((size_t)s->nlines, sizeof *depth);
    *deep = depth ? sweep_depth(s, up, depth) : DEEP_MOST + 1;
    free(depth);
    return *deep <= DEEP_MOST;
}

static int is_left_up(const struct assignment *a, int up)
{
    return a->kind == LINE_VALUE && a->part == up && a->is_kept && !a->is_uniform && !a->field;
}

/* ---- what a kernel of blocks reads ---- */

static int is_of_map(const struct node *e) { return e->symbol->field.shape == SHAPE_MAP; }

/* Does the sweep read the same field one level further up? That is what this will be at the next level. */
static int is_carried_on(const struct reads *x, const struct node *e, const struct node **from)
{
    for (int n = 0; n < x->nfields && !is_of_map(e); n++) {
        const struct node *const f = x->field[n];
        *from = f;
        if (f->symbol == e->symbol && f->is_made == e->is_made && f->index[0] == e->index[0] &&
            f->index[1] == e->index[1] && f->index[2] == e->index[2] + 1)
            return 1;
    }
    return 0;
}

/* An element of a full field: all places are whole numbers of 32 bits, of which one instruction makes an address. */
static void block_element_print(FILE *to, const struct node *e)
{
    struct node same = *e;
    same.index[2] = e->is_inside ? 0 : e->index[2];
    describe_print_element(to, &same, !e->is_inside ? "" : e->index[2] > 0 ? " + up" : " - down", 1);
}

/* Does it stand in the thread's own column, and the way down read nothing of its field? It goes first where the
 * second-level cache is full. Of u and v, which columns beside read as well, that is as fast. */
static int is_read_once(const struct reads *down, const struct node *e)
{
    int is = !e->index[0] && !e->index[1];
    for (int n = 0; n < down->nfields; n++) is &= down->field[n]->symbol != e->symbol;
    return is;
}

static void block_read_print(FILE *to, const struct node *e, int once)
{
    if (once) fprintf(to, "read_once(&");
    block_element_print(to, e);
    if (once) fprintf(to, ")");
}

/* down: of the way up, what the way down reads beside it; NULL: this is the way down. */
static void block_reads_print(FILE *to, const struct reads *x, const struct reads *down)
{
    const struct node *from;
    for (int n = 0; n < x->nfields; n++) {
        fprintf(to, "    const real "), describe_print_read(to, x->field[n]), fprintf(to, " = ");
        if (is_of_map(x->field[n])) fprintf(to, "maps->"), describe_print_read(to, x->field[n]);
        else if (down && is_carried_on(x, x->field[n], &from))
            fprintf(to, "ahead->"), describe_print_read(to, x->field[n]);
        else block_read_print(to, x->field[n], down && is_read_once(down, x->field[n]));
        fprintf(to, ";\n");
    }
}

/* NAME_maps: of both sweeps, what they read of maps. NAME_ahead: what the level below has read of this one. */
static void block_structures_print(FILE *to, const struct described *s, const struct reads *up,
                                   const struct reads *down)
{
    const char *const name = s->name;
    const struct node *from;
    for (int fills = 0; fills < 2; fills++) {
        fprintf(
            to,
            fills
                ? "};\nSF_BLOCK_POINT struct %s_maps %s_maps(const struct %s_line *l, int i)\n{\n    (void)l, (void)i;\n"
                  "    struct %s_maps x;\n"
                : "struct %s_maps {\n",
            name, name, name, name);
        for (int n = 0; n < up->nfields; n++)
            if (is_of_map(up->field[n])) read_print(to, fills ? HOW_FILLED : HOW_MEMBER, "", "", up->field[n], NULL);
        for (int n = 0; n < down->nfields; n++) {
            int is_there = !is_of_map(down->field[n]);
            for (int m = 0; m < up->nfields; m++) is_there |= is_same_place(down->field[n], up->field[m]);
            if (!is_there) read_print(to, fills ? HOW_FILLED : HOW_MEMBER, "", "", down->field[n], NULL);
        }
    }
    fprintf(to, "    return x;\n}\nstruct %s_ahead {\n", name);
    for (int n = 0; n < up->nfields; n++)
        if (is_carried_on(up, up->field[n], &from)) read_print(to, HOW_MEMBER, "", "", up->field[n], NULL);
    fprintf(
        to,
        "};\nSF_BLOCK_POINT struct %s_ahead %s_ahead(const struct %s_line *l, int i, const struct made_strides *at)\n{\n"
        "    const int up = l->is_top ? 0 : at->sk, down = l->is_bottom ? 0 : at->sk;\n"
        "    (void)i, (void)up, (void)down;\n    struct %s_ahead x;\n",
        name, name, name, name);
    for (int n = 0; n < up->nfields; n++) {
        if (!is_carried_on(up, up->field[n], &from)) continue;
        fprintf(to, "    x."), describe_print_read(to, up->field[n]), fprintf(to, " = ");
        block_element_print(to, up->field[n]), fprintf(to, ";\n");
    }
    fprintf(to, "    return x;\n}\n");
}

static void block_head_print(FILE *to, const struct described *s, const char *sweep, const char *further)
{
    const char *const name = s->name;
    fprintf(
        to,
        "SF_BLOCK_POINT void %s_%s(const struct %s_line *l, int i, const struct made_strides *at, const struct %s_maps *maps, "
        "struct %s_carried *c, struct %s_kept *kept, ",
        name, sweep, name, name, name, name);
    fprintf(to, further, name);
    fprintf(to, ")\n{\n    const int up = l->is_top ? 0 : at->sk, down = l->is_bottom ? 0 : at->sk;\n"
                "    (void)i, (void)maps, (void)c, (void)kept, (void)up, (void)down;\n");
}

/* NAME_raise and NAME_lower: a level of both sweeps, where a warp solves the systems in between. */
void describe_print_blocks(FILE *to, const struct described *s)
{
    int deep = 0, systems = 0;
    if (!describe_by_blocks(s, &deep)) return;
    const char *const name = s->name;
    const int part = sweep_with_systems(s);
    const struct reads up = reads_of(s, part, NULL), down = reads_of(s, part + 2, NULL);
    const struct node *from;
    for (int n = 0; n < s->nlines; n++) systems += s->line[n].kind == LINE_SOLVE;
    fprintf(to, "#ifdef __cplusplus\nenum { %s_SYSTEMS = %d, %s_DEEP = %d };\nstruct %s_kept {\n", name, systems, name,
            deep, name);
    for (int n = 0; n < s->nlines; n++)
        if (is_left_up(&s->line[n], part)) fprintf(to, "    real k_%s;\n", s->line[n].name);
    fprintf(to, "};\n"), block_structures_print(to, s, &up, &down);
    block_head_print(to, s, "raise", "struct %s_ahead *ahead, struct column_equation *equation");
    fprintf(to, "    (void)ahead;\n"), block_reads_print(to, &up, &down);
    carried_print_with(to, s, part, "    $ c_@ = c->c_@;\n", 0), value_lines_print(to, s, part, NULL, SYSTEMS_WAIT);
    for (int n = 0; n < s->nlines; n++)
        if (is_left_up(&s->line[n], part)) fprintf(to, "    kept->k_%s = x_%s;\n", s->line[n].name, s->line[n].name);
    carried_print_with(to, s, part, "    c->c_@ = c_@;\n", 0);
    for (int n = 0; n < up.nfields; n++) {
        if (!is_carried_on(&up, up.field[n], &from)) continue;
        fprintf(to, "    ahead->"), describe_print_read(to, up.field[n]), fprintf(to, " = ");
        describe_print_read(to, from), fprintf(to, ";\n");
    }
    fprintf(to, "}\n"), block_head_print(to, s, "lower", "const real *found");
    block_reads_print(to, &down, NULL);
    for (int n = 0; n < down.nkept; n++)
        fprintf(to, "    const real k_%s = kept->k_%s;\n", down.kept[n]->name, down.kept[n]->name);
    carried_print_with(to, s, part + 2, "    const $ c_@ = c->c_@;\n", 0);
    value_lines_print(to, s, part + 2, NULL, SYSTEMS_WAIT);
    for (int n = 0; n < s->nlines; n++)
        if (s->line[n].part == part + 2 && s->line[n].field)
            fprintf(to, "    l->w_%s[i] = to_%s;\n", s->line[n].name, s->line[n].name);
    fprintf(to, "}\n#define %s_BEFORE", name);
    for (int p = 0; p < part; p++)
        if (!is_empty(s, p)) fprintf(to, " SF_COLUMN_ONCE(%s, %d)", name, p);
    fprintf(to, "\n#define %s_BEHIND", name);
    for (int p = part + 3; p < s->nparts; p++)
        if (!is_empty(s, p)) fprintf(to, " SF_COLUMN_ONCE(%s, %d)", name, p);
    fprintf(to, "\n#endif\n\n");
}
