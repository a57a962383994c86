/* Kernels of points whose threads take vectors of columns, row after row: see pipeline/printed.h. What points beside
 * each other read comes as vectors, and what the next row reads again stays. SPDX-License-Identifier: MIT */
#include "stages/print_parts.h"

#include <stdlib.h>

/* What is read of a field, as it was or as it is (is_made), so many rows and levels away: a vector, and those beside it
 * where columns further on are read. */
struct strip {
    const struct node *of;
    int west, east; /* columns */
};
/* Rows of the own level that are read of a field, the lowest and the highest. */
struct ring {
    const struct node *of;
    int south, north;
};
enum { STRIPS = 64 };
struct strips {
    struct strip strip[STRIPS];
    struct ring ring[STRIPS]; /* of a strip each at least */
    int nstrips, nrings, lacks; /* lacks: it reads more, or further than the vector beside */
};

static int is_same_field(const struct node *a, const struct node *b)
{
    return a->symbol == b->symbol && a->is_made == b->is_made;
}

static void strips_find(struct strips *x, const struct node *e)
{
    const int is_field =
        e->kind == NODE_NAME && e->symbol && e->symbol->kind == SYMBOL_FIELD && e->symbol->field.shape == SHAPE_FULL;
    for (int n = 0; n < e->narg; n++) strips_find(x, e->arg[n]);
    if (!is_field) return;
    int n = 0, m = 0;
    while (n < x->nstrips && (!is_same_field(x->strip[n].of, e) || x->strip[n].of->index[1] != e->index[1] ||
                              x->strip[n].of->index[2] != e->index[2]))
        n++;
    if (n == STRIPS || abs(e->index[0]) > DESCRIBE_VECTOR) return (void)(x->lacks = 1);
    if (n == x->nstrips) x->strip[x->nstrips++] = (struct strip){.of = e};
    x->strip[n].west = SF_MAX(x->strip[n].west, -e->index[0]), x->strip[n].east = SF_MAX(x->strip[n].east, e->index[0]);
    if (e->index[2]) return;
    while (m < x->nrings && !is_same_field(x->ring[m].of, e)) m++;
    if (m == x->nrings) x->ring[x->nrings++] = (struct ring){e, e->index[1], e->index[1]};
    x->ring[m].south = SF_MIN(x->ring[m].south, e->index[1]), x->ring[m].north = SF_MAX(x->ring[m].north, e->index[1]);
}

static struct strips strips_of(const struct described *s)
{
    struct strips x = {.nstrips = 0};
    for (int n = 0; n < s->nlines; n++)
        if (!s->line[n].is_uniform) strips_find(&x, s->line[n].value);
    return x;
}

/* Vectors that a thread holds of a ring: its rows, and the next one on its way. */
static int ring_vectors(const struct ring *r) { return r->north - r->south + 2; }

/* Vectors that a thread holds at once; 0: it cannot. */
static int vectors_of(const struct strips *x)
{
    int vectors = 0;
    for (int n = 0; n < x->nrings; n++) vectors += ring_vectors(&x->ring[n]);
    for (int n = 0; n < x->nstrips; n++)
        vectors += (x->strip[n].west > 0) + (x->strip[n].east > 0) + (x->strip[n].of->index[2] != 0);
    return x->lacks ? 0 : vectors;
}

int describe_vectors_fit(const struct described *s)
{
    const struct strips x = strips_of(s);
    const int vectors = vectors_of(&x);
    return vectors > 0 && vectors <= DESCRIBE_VECTORS_MOST;
}

/* r: as a line has it where the step began; w: where the stage writes it. */
static int pointer_of(const struct node *e) { return e->is_made ? 'w' : 'r'; }

static void strip_print(FILE *to, const struct node *e)
{
    fprintf(to, "p%c_%s", pointer_of(e), e->name);
    for (int a = 1; a < 3; a++) describe_print_step(to, e->index[a]);
}

void describe_print_in_vector(FILE *to, const struct node *e)
{
    fprintf(to, "SF_IN_VECTOR(around->"), strip_print(to, e), fprintf(to, ", m");
    if (e->index[0]) fprintf(to, " %c %d", e->index[0] < 0 ? '-' : '+', abs(e->index[0]));
    fprintf(to, ")");
}

/* Number n of the rows that a thread has of a field. */
static void ring_print(FILE *to, const struct ring *r, int n)
{
    fprintf(to, "g%c_%s[%d]", pointer_of(r->of), r->of->name, n);
}

/* `points<MADE_VECTOR>` of a field, so many vectors, rows and levels away. */
static void vector_print(FILE *to, const struct node *e, int vectors, int row, int level)
{
    fprintf(to, "made_vector_at(l->%c_%s + i", pointer_of(e), e->name);
    if (vectors) fprintf(to, " %c MADE_VECTOR", vectors < 0 ? '-' : '+');
    if (row) fprintf(to, " + (%d) * l->sj", row);
    if (level) fprintf(to, " + (%d) * l->sk", level);
    fprintf(to, ")");
}

/* Where the ring of a strip's field has its row; -1: it is in none. */
static int ring_place(const struct strips *x, const struct strip *s, const struct ring **ring)
{
    for (int n = 0; n < x->nrings && !s->of->index[2]; n++)
        if (is_same_field(x->ring[n].of, s->of)) return *ring = &x->ring[n], s->of->index[1] - x->ring[n].south;
    return -1;
}

/* NAME_begin(&line, i, &around): what the first row finds in the rings. */
static void begin_print(FILE *to, const struct described *s, const struct strips *x)
{
    fprintf(to, "SF_POINT void %s_begin(const struct %s_line *l, int i, struct %s_around *around)\n{\n", s->name,
            s->name, s->name);
    for (int n = 0; n < x->nrings; n++)
        for (int row = x->ring[n].south; row <= x->ring[n].north; row++) {
            fprintf(to, "    around->"), ring_print(to, &x->ring[n], row - x->ring[n].south + 1);
            fprintf(to, " = "), vector_print(to, x->ring[n].of, 0, row, 0), fprintf(to, ";\n");
        }
    fprintf(to, "}\n\n");
}

/* NAME_next(&line, i, end, goes_on, &around): what the line's row reads, and, where another follows, its northmost. */
static void next_print(FILE *to, const struct described *s, const struct strips *x)
{
    fprintf(
        to,
        "SF_POINT void %s_next(const struct %s_line *l, int i, int end, int goes_on, struct %s_around *around)\n{\n",
        s->name, s->name, s->name);
    for (int n = 0; n < x->nrings; n++) {
        const struct ring *const r = &x->ring[n];
        const int last = ring_vectors(r) - 1;
        for (int m = 0; m < last; m++) {
            fprintf(to, "    around->"), ring_print(to, r, m), fprintf(to, " = around->");
            ring_print(to, r, m + 1), fprintf(to, ";\n");
        }
        fprintf(to, "    if (goes_on) around->"), ring_print(to, r, last), fprintf(to, " = ");
        vector_print(to, r->of, 0, r->north + 1, 0), fprintf(to, ";\n");
    }
    for (int n = 0; n < x->nstrips; n++) {
        const struct strip *const strip = &x->strip[n];
        const struct ring *ring = NULL;
        const int *const at = strip->of->index, place = ring_place(x, strip, &ring);
        for (int vector = -1; vector <= 1; vector++) {
            if ((vector < 0 && !strip->west) || (vector > 0 && !strip->east)) continue;
            fprintf(to, vector > 0 ? "    if (i + MADE_VECTOR < end + %d) around->" : "    around->", strip->east);
            strip_print(to, strip->of), fprintf(to, ".of[%d] = ", vector + 1);
            if (!vector && place >= 0) fprintf(to, "around->"), ring_print(to, ring, place);
            else vector_print(to, strip->of, vector, at[1], at[2]);
            fprintf(to, ";\n");
        }
    }
    fprintf(to, "    (void)end, (void)goes_on;\n}\n\n");
}

int describe_vector_blocks(const struct described *s)
{
    /* Of 64 and of 80 registers so many are left to vectors and pointers: where they were more, kernels spilled. */
    enum { FEW = 56, SOME = 76, POINTER = 2 };
    const struct strips x = strips_of(s);
    int registers = DESCRIBE_VECTOR * vectors_of(&x);
    for (int n = 0; n < s->ntouches; n++) {
        const struct touch *const t = &s->touch[n];
        if (t->field->field.shape == SHAPE_LEVELS) continue;
        registers += POINTER * (touch_has_read(s, t) + (t->writes || t->is_both));
    }
    return registers <= FEW ? 4 : registers <= SOME ? 3 : 2;
}

void describe_print_vectors(FILE *to, const struct described *s)
{
    const struct strips x = strips_of(s);
    fprintf(to, "enum { %s_BLOCKS = %d };\nstruct %s_around {\n", s->name, describe_vector_blocks(s), s->name);
    for (int n = 0; n < x.nrings; n++)
        fprintf(to, "    points<MADE_VECTOR> "), ring_print(to, &x.ring[n], ring_vectors(&x.ring[n])),
            fprintf(to, ";\n");
    for (int n = 0; n < x.nstrips; n++)
        fprintf(to, "    struct made_strip "), strip_print(to, x.strip[n].of), fprintf(to, ";\n");
    fprintf(to, "};\n\n");
    fprintf(to, "SF_POINT void %s_on(struct %s_line *l)\n{\n    (void)l;\n", s->name, s->name);
    describe_print_advance(to, s, "l->", "l->", "");
    fprintf(to, "}\n\n");
    begin_print(to, s, &x), next_print(to, s, &x);
}

void describe_print_put(FILE *to, const struct described *s)
{
    fprintf(to, "SF_POINT void %s_put(const struct %s_line *l, int i, const struct %s_values *x)\n{\n", s->name,
            s->name, s->name);
    for (int n = 0; n < s->nlines; n++) {
        const char *const name = s->line[n].name;
        if (!s->line[n].field) continue;
        fprintf(to, "    made_vector_put(l->w_%s + i", name);
        for (int m = 0; m < DESCRIBE_VECTOR; m++) fprintf(to, ", x[%d].%s", m, name);
        fprintf(to, ");\n");
    }
    fprintf(to, "}\n\n");
}
