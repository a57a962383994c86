/* What files that settle and print share. SPDX-License-Identifier: MIT */
#pragma once

#include "stages/describe.h"

/* Of a point; in double precision, once for all points or before the run; of a point of a kernel that counts places
 * from where fields begin, of one whose threads take vectors of columns (pipeline/printed.h). */
enum form { FORM_POINT, FORM_TWICE, FORM_NEAR, FORM_VECTORS, FORM_COLUMN /* + the part of it */ };
void print(FILE *to, const struct node *e, enum form form);
/* The head of what is made of a sheet. */
void made_print(FILE *to, const struct sheet *s);

struct need {
    const struct symbol *symbol;
    int level; /* of a profile, from the own one */
};
struct needs {
    struct need of[NEEDS];
    int n, lacks; /* lacks: there were more */
};

/* Does it know media or layers? */
int is_layered(const struct described *s);
/* Has a pack a pointer of its own to what is read? */
static inline int touch_has_read(const struct described *s, const struct touch *t)
{
    return t->reads && !(is_layered(s) && touch_is_update(t));
}

/* print.c: lines that move the pointers of a pack or a line so many rows on; `grid` has the strides. */
void describe_print_advance(FILE *to, const struct described *s, const char *of, const char *grid, const char *rows);

/* print_column.c: _p1, _m2, _0 */
void describe_print_step(FILE *to, int n);

/* print_layers.c: stages that do. */
/* A field of media or a memory: as a member of a pack, and what it is. */
void part_member_print(FILE *to, const struct symbol *f);
void part_take_print(FILE *to, const struct symbol *f);
/* The rest of such a pack. */
void layered_take_print(FILE *to, const struct description *d, const struct needs *x);
/* What stands behind the pack and its line. */
void layered_print(FILE *to, const struct described *s);

/* settle_expand.c */
struct scope {
    struct description *d;
    const struct described *stage; /* whose swaps stand for names; NULL: none do */
    const struct symbol *function; /* whose body it is; NULL: of none */
    struct node **value; /* of its arguments */
    int depth, *nodes;
};
/* An expression without calls of functions: each stands as its body does. */
struct node *describe_expand(const struct scope *c, const struct node *e);

/* settle_shown.c */
/* Every field that the step changes is in the history; and its largest and smallest values are in the series, of a
 * model that names no sums. */
void describe_show(struct description *d);

/* settle.c: what names stand for in a stage with lines of its own, and what it touches. */
void describe_stage(struct description *d, struct described *s);

/* settle_sweep.c: the further one of both along each way; that of a point so many columns, rows, levels away. */
struct reach describe_reach_both(struct reach a, struct reach b);
struct reach describe_reach_of(const int index[3]);

/* settle_elements.c: a stage of elements; stages that follow from others, when all is settled. */
void describe_elements(struct description *d, struct described *s);
void describe_variants(struct description *d);
/* print_elements.c: of either, what hands a pack on. */
void elements_print(FILE *to, const struct described *s);

/* settle_beside.c */
/* The same of a stage beside open sides. */
void describe_beside(struct description *d, struct described *s);
/* An expression of the western side, as it is beside that of `s`. */
struct node *describe_turned(struct description *d, const struct described *s, const struct node *e);
/* settle_like.c */
/* Lists stand for what is in them, and stages that are like others have their lines. */
void describe_likes(struct description *d);
/* What stands for a name that nobody names was written by mistake. When all is settled. */
void describe_swaps_check(struct description *d);

/* settle_step.c: when all stages are settled. */
void describe_banks(struct description *d);
void describe_step(struct description *d);
/* What the engine has room for. */
void describe_limits_check(struct description *d);
