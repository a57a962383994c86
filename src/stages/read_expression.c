/* Reads expressions of a description, by descent: an operator that binds less reads those that bind more.
 * SPDX-License-Identifier: MIT */
#include "stages/read_parts.h"

struct node *node(struct reader *r, enum node_kind kind, const char *name, const char *at)
{
    struct node *const e = describe_memory(r->d, sizeof *e);
    e->kind = kind, e->name = name, e->at = at;
    return e;
}

void arguments(struct reader *r, struct node *e, const char *close)
{
    open_bracket(r);
    while (!r->is_lost && !is(r, close)) {
        *ADD(r->d, e->arg, e->narg) = expression(r);
        if (!is(r, close)) expect(r, ",");
    }
    close_bracket(r, close);
}

static int distance(struct reader *r)
{
    enum { FAR = 8 };
    const char *const at = r->at;
    const double x = number_take(r);
    if (x >= -FAR && x <= FAR && !(x < (int)x || x > (int)x)) return (int)x;
    wrong(r, at, "distances are whole numbers of points, -8 to 8");
    return 0;
}

static void indices(struct reader *r, struct node *e)
{
    open_bracket(r);
    for (; !r->is_lost && !is(r, "]"); e->nindex++) {
        if (e->nindex == 3)
            return (void)(r->depth--, wrong(r, r->at, "a point lies [columns, rows, levels] away: three numbers"));
        e->index[e->nindex] = distance(r);
        const char *const at = r->at;
        if (take(r, "..")) {
            if (e->span) wrong(r, at, "points lie on a line: one distance is a range, the others are numbers");
            e->along = e->nindex, e->span = distance(r) - e->index[e->nindex];
            if (e->span < 1) wrong(r, at, "a range goes from the lower distance to the higher one");
        }
        if (!is(r, "]")) expect(r, ",");
    }
    close_bracket(r, "]");
}

/* .NAME, of a structure */
static struct node *members(struct reader *r, struct node *e)
{
    for (const char *at = r->at; take(r, "."); at = r->at) {
        struct node *const part = node(r, NODE_PART, name_take(r, "the name of a member is missing here"), at);
        *ADD(r->d, part->arg, part->narg) = e;
        e = part;
    }
    return e;
}

static struct node *primary(struct reader *r)
{
    const char *const at = r->at;
    enum { DEEPEST = 64 };
    if (r->depth > DEEPEST) wrong(r, at, "brackets 64 deep are too many");
    if (r->is_lost) return node(r, NODE_NUMBER, "0", at);
    if (r->token == NUMBER) {
        struct node *const e = node(r, NODE_NUMBER, copy(r, at, r->n), at);
        number_take(r);
        return e;
    }
    if (is(r, "(")) {
        open_bracket(r);
        struct node *const e = expression(r);
        close_bracket(r, ")");
        return e;
    }
    const int is_old = take(r, "old");
    struct node *const e = node(r, NODE_NAME, name_take(r, "a name, a number or '(' is missing here"), at);
    e->is_old = is_old;
    if (is(r, "(")) e->kind = NODE_CALL, arguments(r, e, ")");
    else if (is(r, "[")) indices(r, e);
    return members(r, e);
}

/* x^n by products, n a small whole number. */
static struct node *power(struct reader *r)
{
    struct node *const x = primary(r);
    if (!take(r, "^")) return x;
    const char *const at = r->at;
    const double n = number_take(r);
    struct node *product = x;
    if (n < 2 || n > 8 || n < (int)n || n > (int)n)
        wrong(r, at, "a power is a whole number from 2 to 8: pow(x, y) takes any");
    for (int k = 1; k < (int)n && !r->is_lost; k++) {
        struct node *const both = node(r, NODE_BOTH, "*", at);
        *ADD(r->d, both->arg, both->narg) = product;
        *ADD(r->d, both->arg, both->narg) = x;
        product = both;
    }
    return product;
}

static struct node *unary(struct reader *r)
{
    const char *const at = r->at;
    if (!take(r, "-")) return power(r);
    struct node *const e = node(r, NODE_MINUS, "-", at);
    *ADD(r->d, e->arg, e->narg) = power(r);
    return e;
}

/* Operators of one rank are taken from the left. */
static struct node *binary(struct reader *r, int rank)
{
    static const char *const mark[][7] = {{"||"}, {"&&"}, {"<=", ">=", "<", ">", "==", "!="}, {"+", "-"}, {"*", "/"}};
    if (rank == (int)(sizeof mark / sizeof mark[0])) return unary(r);
    struct node *left = binary(r, rank + 1);
    for (int n = 0; mark[rank][n] && !r->is_lost; n++) {
        const char *const at = r->at;
        if (!take(r, mark[rank][n])) continue;
        lines_skip(r);
        struct node *const both = node(r, NODE_BOTH, mark[rank][n], at);
        *ADD(r->d, both->arg, both->narg) = left;
        *ADD(r->d, both->arg, both->narg) = binary(r, rank + 1);
        left = both, n = -1;
    }
    return left;
}

struct node *expression(struct reader *r)
{
    lines_skip(r);
    struct node *const e = binary(r, 0);
    const char *const at = r->at;
    if (!take(r, "?")) return e;
    struct node *const choice = node(r, NODE_CHOICE, "?", at);
    *ADD(r->d, choice->arg, choice->narg) = e;
    *ADD(r->d, choice->arg, choice->narg) = expression(r);
    lines_skip(r);
    expect(r, ":");
    *ADD(r->d, choice->arg, choice->narg) = expression(r);
    return choice;
}
