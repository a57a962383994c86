/* A model as its description says it: fields, numbers, functions, stages, the step. docs/models.md has the language.
 *
 *     text     ->  description      describe_read: what each line says (read.c)
 *              ->  accesses, flops  describe_settle: names, reaches, what a step may do (settle.c)
 *              ->  C and CUDA       describe_print: loops and kernels (print.c; of columns print_column.c)
 *
 * A stage has lines, which are printed as loops and kernels; or, of `elements`, lists of fields, which are printed as a
 * pack that a body in C is handed: see pipeline/printed.h.
 *
 * A description knows neither grid nor memory. The program that builds sferic reads the descriptions of our own models;
 * sferic reads those of its users when it starts. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

#include <stdio.h>

/* The values of a model: dx, dy, dz, and behind them its parameters and numbers in the order of their lines. */
enum { DESCRIBE_VALUES = 3 };

/* A text, as it was read: it stays while the description is used. */
struct sheet {
    const char *path, *text;
};

/* An expression. `at`: its first character in a sheet. */
enum node_kind {
    NODE_NUMBER, /* text */
    NODE_NAME, /* name[dx, dy, dz]: a field, number, local or argument; `old name`: as it was at the start of the step
                */
    NODE_CALL, /* name(arg, ...) */
    NODE_MAKE, /* {arg, ...}: the values of a structure `name` */
    NODE_PART, /* arg[0].name, of a structure */
    NODE_MINUS, /* -arg[0] */
    NODE_BOTH, /* arg[0] name arg[1] */
    NODE_CHOICE /* arg[0] ? arg[1] : arg[2] */
};
struct node {
    enum node_kind kind;
    const char *name, *at;
    struct node **arg;
    int narg, is_old;
    int is_made; /* a field of a stage with layers: as it is where the stage writes it */
    int index[3], nindex; /* x, y, z: columns, rows, levels away */
    int span, along; /* a range: so many points more along that axis; 0: one point */
    const struct symbol *symbol; /* once it is known */
    const struct assignment *line; /* of a local: the line that names it */
    int is_inside; /* of a field in a column: its level lies within, where the value is used (at_top, at_bottom) */
};

enum symbol_kind {
    SYMBOL_FIELD,
    SYMBOL_PARAMETER, /* a key of the namelist */
    SYMBOL_NUMBER, /* made of parameters and the grid */
    SYMBOL_MEMBER, /* of the structure of the model's numbers */
    SYMBOL_FORM, /* a member that picks a form of a stage, known when that is compiled: one of `argument` */
    SYMBOL_FUNCTION, /* of expressions: put in their place */
    SYMBOL_FORMULA, /* an SF_FORMULA of a header, or of sfmath.h */
    SYMBOL_WORD, /* dt, time, dx, dy, dz, x, y, z, pi: the program's own */
    SYMBOL_LINE, /* a number by column, row or level, in an array of the model's structure */
    SYMBOL_TABLE, /* a number by medium: of a field of media, in an array of the model's structure */
    SYMBOL_BEYOND, /* a value that may lie beyond an open side: `argument` are the winds through sides along x and y */
    SYMBOL_LOCAL
};
struct symbol {
    enum symbol_kind kind;
    const char *name, *at;
    const char *id, *long_name, *unit, *standard_name; /* of a field; of a number its unit and meaning */
    struct field field; /* its role, shape, stagger, banks */
    int is_metric; /* of a profile: where the ground is not flat a map times it, or a field (pipeline/printed.h) */
    unsigned odd; /* sum of STAG_X, _Y, _Z: changes its sign in a mirror across that axis, beside its own axis */
    const struct node *value; /* initial state, number, body of a function */
    double initial, min, max; /* of a parameter */
    const char *const *argument; /* of a function, and how many of a formula; the literals of a form */
    int narguments;
    const char *c_name; /* of a formula, a word, a type of a function's structure, an array, a member */
    const char *gives; /* of a formula: the structure that it returns; NULL: a number */
    const char *wide; /* of a table: which member of the structure has the bytes of a medium's number */
    const char *id_high, *face[2]; /* of a memory: its id at the high end; of the first of a layer: both faces */
    int axis; /* of a line; of a memory of a layer */
    int is_member; /* a field whose row is that of its family, not made of the description */
    int is_each; /* a field that each member of a family has; id: which of a member's it is */
    int is_media, is_memory; /* a field: numbers of media; what a layer remembers, at both ends of its axis */
    double late; /* of a field: steps */
    const char *between, *imaginary; /* of a field: whose value it has between two steps that go together, whose
                                        imaginary part it is; NULL: of none */
    int is_double; /* of a member: it stays in double precision */
    int is_called; /* a function that is called by what was settled */
    int number; /* of a field: its place; of a parameter or number: among the values of the model */
};

/* name = value: a local; into a field: its new value at the point. `only where value`: where that does not hold, the
 * lines behind change nothing. In columns beside that
 *
 *     carry name = value                           a variable that goes from level to level
 *     solve name = tridiagonal(a, b, c, r)         a local of the sweep behind this one
 *
 * AGAIN: a variable's next value. READS, CHANGES: a list of fields, the arguments of `value`. */
enum line_kind { LINE_VALUE, LINE_CARRY, LINE_AGAIN, LINE_SOLVE, LINE_ONLY, LINE_READS, LINE_CHANGES };
struct assignment {
    enum line_kind kind;
    const char *name, *at;
    int part; /* of the stage */
    int is_once; /* that part comes once a column */
    int is_new; /* `new name`: into the other bank, where the field is from then on */
    const struct symbol *field; /* NULL: a local */
    int is_uniform; /* a local that is the same at all points: made once for all of them */
    int is_double; /* and stays in double precision, as a variable may */
    int is_kept; /* a local that later parts of the stage read: the last of them, counted from 1 */
    int carried; /* of a variable, and what of a column is known at all levels: its place among the column's own */
    struct kept_place { /* of what is kept at every level: a result that is written later, in whose place it waits;
                           NULL: a slot of the scratch memory */
        const struct symbol *lodging;
        int slot;
    } kept[2];
    const struct assignment *carry; /* of LINE_AGAIN: where the variable was declared */
    int layer; /* 0: everywhere; 1 + axis: within the layers at both ends of it, once the lines before are done */
    struct node *value;
};

/* Lines that run together: at each point; or of a column once, beneath it; or in a sweep of its levels. */
enum part_kind { PART_POINTS, PART_ONCE, PART_UP, PART_DOWN };
struct part {
    enum part_kind kind;
    int first, end; /* lines */
};

/* What a stage does with a field. */
struct touch {
    const struct symbol *field;
    int reads, writes, is_new, is_old;
    int is_both; /* read as it is, too, where is_old */
    int is_partly; /* written at some points, where is_old: elsewhere it stays what it is */
    int behind; /* the part, counted from 1, that reads it at levels that its sweep has been at */
    int last_read; /* the last part that reads it, counted from 1 */
    int is_everywhere; /* at every point: not once a column, beside a side, nor only where the stage changes something
                        */
    int changes_everywhere; /* and so is it written */
    int layer; /* where it was written last, as assignment.layer */
    struct reach reach;
};

/* That many fields a stage may touch, numbers it may know, stages a sweep may take; a model may have that many sums,
 * and characters in a name. */
enum { TOUCHES = 40, NEEDS = 96, SWEEP_STAGES = 3, SUMS = 64, NAME_MOST = 48 };

/* Who follows from a stage: the same of fields between two steps, of imaginary parts. */
enum variant { VARIANT_NO, VARIANT_RIM, VARIANT_IM };

/* A stage of the step; or a value at every point that the history or a sum shows. */
enum shown { SHOWN_NOT, SHOWN_HISTORY, SHOWN_SUM };

/* How a stage reads the field, where it does, and how it writes it beside that: rows of its table. ACCESS_END: not. */
enum access_mode touch_reading(const struct touch *t);
enum access_mode touch_writing(const struct touch *t);
enum rare touch_rare_reading(const struct touch *t);
enum rare touch_rare_writing(const struct touch *t);
int touch_is_update(const struct touch *t);

/* `name` for another; of a stage also the name of a list of such: in_place_of is NULL. */
struct swap {
    const char *name, *in_place_of, *at;
    int is_used; /* it stood for something */
    struct swap *of; /* where a stage has it from a list: the list's own */
};
/* Names that change places where a western side is turned to a southern one. */
struct turn {
    const char *name[2], *at;
};
struct swap_list {
    const char *name, *at;
    struct swap *swap;
    int nswaps, is_taken; /* by a stage */
};

struct described {
    const char *name, *title, *at; /* name: of what is printed of it, */
    const char *called; /* and what its description calls it */
    enum unit unit;
    struct assignment *line;
    struct part *part;
    int nlines, nparts, nslots, ncarried; /* slots of scratch memory a level; variables a column */
    int extend;
    int is_apart; /* each result has a loop of its own */
    const struct symbol *form; /* it comes in the forms of this; NULL: in one */
    const struct symbol *beyond; /* how it takes values beyond open sides; NULL: it takes none */
    int is_each; /* of all members of a family */
    enum shown is_shown;
    const char *shown_as, *unit_shown, *standard_name; /* of what is shown */
    const char *cpu, *work, *gpu, *sides, *flops_name, *lowest, *id; /* NULL: none */
    struct touch touch[TOUCHES];
    int ntouches;
    double flops; /* of what its description says, at every point, */
    struct tally_of {
        const char *formula;
        int times;
    } * counted; /* and what formulas of headers have beside it (dynamics/flops.h) */
    int ncounted;
    const char *of[SWEEP_STAGES]; /* a sweep, in which kernels by hand take stages at once, one behind the other */
    int nof;
    enum between { BETWEEN_NO, BETWEEN_INTO, BETWEEN_FROM } between; /* see settle_sweep.c */
    const char *like; /* another stage whose lines are its own but for some fields: `new`, or read as `old` */
    struct swap *swap; /* what such a stage reads in place of names that stand there */
    int nswaps;
    const char **changed;
    int nchanged, is_like_new;
    int beside; /* so many columns next to each open side it computes; 0: all of the domain */
    const char *open; /* array of the model's structure: which sides are open */
    struct described *side; /* made of it, `beside` for each side in turn: see settle_beside.c */
    int nsides;
    int is_side; /* it is one of these: */
    int facing, nearness; /* enum face; 0: next to the side */
    int is_on_face; /* its results stand on the side */
    int is_elements; /* its lines are lists; C functions NAME_elements and NAME_elements_gpu do what it does */
    const char *pack, *sums, *within; /* of it; id of the first field of sums, the row's `changes`, or NULL */
    int is_shared; /* a stage before it has the same pack */
    unsigned variants; /* sum of 1 << enum variant: stages that follow from it */
    enum variant variant; /* which one this is, */
    const struct described *base; /* of that one */
};

struct described_op {
    const char *stage, *at;
    int number; /* of the stage */
    double factor;
    int every;
};

/* A number of the series, or a limit of the time step: over all cells. */
enum sum_kind { SUM_TOTAL, SUM_LARGEST };
struct described_sum {
    int stage; /* that makes its value at each point */
    enum sum_kind kind;
    const char *name, *long_name, *unit;
};

struct description {
    const char *name, *title;
    const char *numbers; /* the structure of the model's numbers; NULL: made from `number` lines */
    struct header {
        const char *path, *at;
    } * header; /* that formulas come from */
    struct symbol *symbol;
    struct described *stage;
    struct swap_list *swaps;
    struct turn *turn;
    struct described_op *op;
    struct described_sum *sum;
    const struct node *limit; /* s */
    const char *limit_by;
    int nheaders, nsymbols, nstages, nswaps, nturns, nops, nsums, nfields, nvalues;
    struct sheet *sheet;
    int nsheets;
    struct chunk *memory;
    char *errors; /* what is wrong, each with its line and a caret; NULL: nothing */
    size_t errors_n;
    int nerrors;
};

/* Adds what a text says. Mistakes are noted in d->errors; what can be read is read on. */
void describe_read(struct description *d, const char *path, const char *text);
/* Resolves all names, and finds what each stage touches, how far it reaches, its flops. */
void describe_settle(struct description *d);
/* The same of a sweep, behind the stages that it takes (settle_sweep.c). */
void describe_sweep(struct description *d, struct described *s);
void describe_free(struct description *d);

/* Notes a mistake at a place in a sheet: "path:line:column: text", the line, a caret. */
__attribute__((format(printf, 3, 4))) void describe_wrong(struct description *d, const char *at, const char *format,
                                                          ...);

/* Memory of a description, zeroed; ends the program when there is none. */
void *describe_memory(struct description *d, size_t bytes);
/* Both texts, one behind the other. */
const char *describe_joined(struct description *d, const char *a, const char *b);
/* A list of n with room for one more: rooms are 8, 16, 32, ... */
void *describe_more(struct description *d, void *list, int n, size_t each);
#define ADD(d, list, n) ((list) = describe_more(d, list, n, sizeof *(list)), &(list)[(n)++])
const struct symbol *describe_find(const struct description *d, const char *name);
/* The structure that an expression gives; NULL: a number. */
const char *describe_structure(const struct node *e);
/* A function of sfmath.h, by the name that descriptions have for it, in double precision. */
const char *describe_twice(const char *name);

/* print.c */
void describe_print_fields(const struct description *d, FILE *to); /* rows for .def files */
void describe_print_table(const struct description *d, FILE *to);
void describe_print_forms(const struct description *d, FILE *to);
void describe_print_packs(const struct description *d, FILE *to); /* a header: of stages of elements */
void describe_print_code(const struct description *d, FILE *to); /* loops in a .c file, kernels in a .cu file */
/* The same of the stages of one sheet, with the headers that it names. */
void describe_print_sheet(const struct description *d, const struct sheet *of, FILE *to);
/* The sheet that a place lies in. */
const struct sheet *describe_sheet(const struct description *d, const char *at);
/* What a run begins with, in double precision; v: the values of the model.
 *     void numbers_make(double *v)      those behind the parameters
 *     double limit_of_step(const double *v)     s, where the description has one
 *     double NAME_start(const double *v, double x, double y, double z)
 * and of what is shown: void NAME_row(slab, numbers, j, out), see struct diagnostic. */
void describe_print_begin(const struct description *d, FILE *to);

/* The element of a field that `e` reads, and `further` in the same terms. is_near: of kernels that count places from
 * where fields begin. */
void describe_print_element(FILE *to, const struct node *e, const char *further, int is_near);
/* An expression in part `part` of a column. */
void describe_print_value(FILE *to, const struct node *e, int part);
/* print_column.c: places for what is kept, and the parts of a stage of columns. */
void describe_lodge(struct described *s);
void describe_needs_check(struct description *d, const struct described *s); /* print.c: for the numbers of a stage */
void describe_columns_check(struct description *d, const struct described *s); /* room for what its sweeps read */
void describe_print_parts(FILE *to, const struct described *s);
/* Which kernels a stage of points has (pipeline/printed.h): whose threads take a column of several rows; the same, but
 * that they count places from where fields begin, in 32 bits, which pays where a thread has much to read; whose threads
 * take vectors of columns, row after row, which pays while they can hold what a row reads: at most
 * DESCRIBE_VECTORS_MOST vectors (describe_vectors_fit). */
enum kernels { KERNELS_ROWS, KERNELS_NEAR, KERNELS_VECTORS };
enum { DESCRIBE_VECTOR = 4, DESCRIBE_VECTORS_MOST = 28 };
enum kernels describe_kernels(const struct described *s);
/* print_vectors.c */
int describe_vectors_fit(const struct described *s);
int describe_vector_blocks(const struct described *s); /* of a multiprocessor, that leave registers for the vectors */
void describe_print_vectors(FILE *to, const struct described *s); /* what such a kernel takes, before its values */
void describe_print_put(FILE *to, const struct described *s); /* and behind them */
void describe_print_in_vector(FILE *to, const struct node *e); /* the element of a field that `e` reads */
/* Levels that a thread takes together: several, where what they read is mostly the same (print_column.c). */
int describe_levels_together(const struct described *s);
/* 1: kernels may share out the levels of its columns among warps; *deep: levels below one that it must know. */
int describe_by_blocks(const struct described *s, int *deep);
void describe_print_blocks(FILE *to, const struct described *s); /* what such kernels take; of others nothing */
/* The line of a part that says where it changes something; NULL: everywhere. */
const struct assignment *describe_only(const struct described *s, int part);
/* Does that line need line n, before it? (print.c) */
int describe_only_needs(const struct described *s, const struct assignment *only, int n);
void describe_print_read(FILE *to, const struct node *e); /* the name of a field as it was read */
