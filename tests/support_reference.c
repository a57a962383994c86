/* What a random program must give: plain loops over the whole domain, which look up every value beyond a side by the
 * rule of that side, one step of the rule at a time. Nothing of the engine is used. SPDX-License-Identifier: MIT */
#include "support_program.h"

#include <stdlib.h>
#include <string.h>

static real noise(int f, int j, int k, int i)
{
    unsigned h =
        (unsigned)f * 73856093u ^ (unsigned)j * 19349663u ^ (unsigned)k * 83492791u ^ (unsigned)i * 2971215073u;
    h ^= h >> 13;
    h *= 2246822519u;
    h ^= h >> 16;
    return (real)(int)(h % 2001u) * R(0.001) - R(1.0);
}

static int staggered_zero(const struct field *x, int axis, int at)
{
    return ((x->stagger >> axis) & 1) && at == 0 && x->ghost[2 * axis] == GHOST_ODD;
}

/* Is (j, k, i) on a face where the field is zero? Maps have no levels, profiles no rows and columns. */
static int is_zero(const struct field *x, int j, int k, int i)
{
    return staggered_zero(x, 0, i) || staggered_zero(x, 1, j) || (x->shape == SHAPE_FULL && staggered_zero(x, 2, k));
}

real program_start(const struct program *p, int f, int j, int k, int i)
{
    const struct field *x = &p->in.field[f];
    return x->shape != SHAPE_LEVELS && is_zero(x, j, k, i) ? 0 : noise(f, j, k, i);
}

int program_number(const struct program *p, int f, int j, int k, int i)
{
    const int rows = p->grid.ny;
    if (p->sides == SIDE_PERIODIC) j = (j % rows + rows) % rows;
    return (int)(noise(f, j, k, i) * 100) + 100;
}

double program_time(long s) { return 0.0625 * (double)(s % 7); }

/* Fold an index into the domain by the rules of the sides; returns the sign, 0 on a face where the field is zero. */
static int fold(const struct field *x, int axis, int n, int *at)
{
    const int st = (x->stagger >> axis) & 1;
    int sign = 1;
    for (;;) {
        const enum ghost rule = x->ghost[2 * axis + (*at >= n)];
        if (*at >= 0 && *at < n) return staggered_zero(x, axis, *at) ? 0 : sign;
        if (st && *at == n && rule == GHOST_ODD) return *at = 0, 0;
        if (st && *at == n && rule != GHOST_PERIODIC) return sign; /* its own value */
        if (rule == GHOST_PERIODIC) *at += *at < 0 ? n : -n;
        else if (rule == GHOST_OPEN) *at = *at < 0 ? 0 : n - !st;
        else {
            if (rule == GHOST_ODD) sign = -sign;
            *at = *at < 0 ? -*at - !st : 2 * n - !st - *at;
        }
    }
}

/* Two banks of every changing field, with room for the far faces. */
struct world {
    const struct program *p;
    real *bank[PROGRAM_MAX_FIELDS][2];
    int now[PROGRAM_MAX_FIELDS];
};

static size_t box_index(const struct program *p, int f, int m, int j, int k, int i)
{
    const struct field *x = &p->in.field[f];
    const struct program_extent e = program_extent_of(p, f);
    return ((size_t)(j - e.j0) * (size_t)e.nk + (size_t)program_box_level(x, m, k)) * (size_t)e.ni +
           (size_t)(i - x->box.i0);
}

static size_t index_of(const struct program *p, int j, int k, int i)
{
    return ((size_t)j * (size_t)(p->grid.nz + 1) + (size_t)k) * (size_t)(p->grid.nx + 1) + (size_t)i;
}

static real value_at(const struct world *w, int f, int back, int m, int j, int k, int i)
{
    const struct program *p = w->p;
    const struct field *x = &p->in.field[f];
    if (x->bytes) return (real)program_number(p, f, j, k, i);
    if (x->shape == SHAPE_BOX) {
        if (!program_in_box(p, x, j, k, i)) return R(0.0);
        if (p->sides == SIDE_PERIODIC) j = (j % p->grid.ny + p->grid.ny) % p->grid.ny;
        return w->bank[f][0][box_index(p, f, m, j, k, i)];
    }
    if (x->shape == SHAPE_LEVELS) return program_start(p, f, 0, k, 0);
    if (x->shape == SHAPE_MAP) k = 0;
    const int sign_k = x->shape == SHAPE_MAP ? 1 : fold(x, 2, p->grid.nz, &k);
    const int sign = fold(x, 1, p->grid.ny, &j) * sign_k * fold(x, 0, p->grid.nx, &i);
    const real v =
        x->role == ROLE_STATIC ? program_start(p, f, j, k, i) : w->bank[f][w->now[f] ^ back][index_of(p, j, k, i)];
    return sign > 0 ? v : sign < 0 ? -v : R(0.0);
}

static real terms_reference(const struct world *w, const struct op *o, real sum, long step, int j, int k, int i)
{
    const struct spec *x = &w->p->spec[o->arg];
    for (int t = 0; t < x->nterms; t++) {
        const struct term *y = &x->term[t];
        const int f = y->field + (y->family ? o->member : 0), back = x->back >> y->field & 1;
        sum += y->weight * value_at(w, f, back, y->value, j + y->dj, k + y->dk, i + y->di);
    }
    if (x->clock) sum += R(0.125) * (real)(step % 5) + (real)program_time(step);
    return sum * (real)(1.0 * o->dt_factor);
}

static void box_reference(struct world *w, const struct op *o, long step)
{
    const int target = w->p->spec[o->arg].target;
    const struct extent *b = &w->p->in.field[target].box;
    real *const out = w->bank[target][0];
    for (int j = b->j0; j < b->j1; j++)
        for (int k = b->k0; k < b->k1; k++)
            for (int i = b->i0; i < b->i1; i++)
                for (int m = 0; m < b->n; m++) {
                    const size_t at = box_index(w->p, target, m, j, k, i);
                    out[at] = terms_reference(w, o, out[at] * R(0.5) + R(0.125) * (real)m, step, j, k, i);
                }
}

static void op_reference(struct world *w, const struct op *o, long step)
{
    const struct program *p = w->p;
    const struct spec *x = &p->spec[o->arg];
    const int target = x->target + (x->family ? o->member : 0);
    const struct field *f = &p->in.field[target];
    if (f->shape == SHAPE_BOX) {
        box_reference(w, o, step);
        return;
    }
    const int nj = p->grid.ny + program_owns(f, 1), ni = p->grid.nx + program_owns(f, 0),
              nk = p->grid.nz + program_owns(f, 2);
    const int to = x->how == ACCESS_WRITE && f->banks == 2 ? !w->now[target] : w->now[target];
    real *const out = w->bank[target][to];
    for (int j = 0; j < nj; j++)
        for (int k = x->column; k < nk; k++)
            for (int i = 0; i < ni; i++) {
                if (!program_changes(x, j, k, i)) continue;
                real sum = x->column ? out[index_of(p, j, k, i)] + R(0.25) * out[index_of(p, j, k - 1, i)]
                           : x->how == ACCESS_UPDATE ? out[index_of(p, j, k, i)] * R(0.5)
                                                     : R(0.25);
                out[index_of(p, j, k, i)] = terms_reference(w, o, sum, step, j, k, i);
            }
    w->now[target] = to;
    for (int j = 0; j < nj; j++)
        for (int k = 0; k < nk; k++)
            for (int i = 0; i < ni; i++)
                if (is_zero(f, j, k, i)) out[index_of(p, j, k, i)] = 0;
}

size_t program_size(const struct program *p)
{
    size_t n = 0;
    for (int f = 0; f < p->nkept; f++) {
        const struct program_extent e = program_extent_of(p, f);
        n += (size_t)e.nj * (size_t)e.nk * (size_t)e.ni;
    }
    return n;
}

/* Boxes lie as they are compared, other fields with room for their far faces. */
static size_t offset_of(const struct program *p, int f, int j, int k)
{
    const struct program_extent e = program_extent_of(p, f);
    if (p->in.field[f].shape == SHAPE_BOX) return ((size_t)j * (size_t)e.nk + (size_t)k) * (size_t)e.ni;
    return index_of(p, j, k, 0);
}

real *program_reference(const struct program *p, int steps)
{
    struct world w = {.p = p};
    const size_t n = 3 * (size_t)(p->grid.nx + 1) * (size_t)(p->grid.ny + 1) * (size_t)(p->grid.nz + 1);
    for (int f = 0; f < p->nchanging; f++)
        for (int b = 0; b < 2; b++) w.bank[f][b] = calloc(n, sizeof(real));
    for (int f = 0; f < p->nkept; f++) {
        const struct program_extent e = program_extent_of(p, f);
        for (int j = 0; j < e.nj; j++)
            for (int k = 0; k < e.nk; k++)
                for (int i = 0; i < e.ni; i++)
                    w.bank[f][0][offset_of(p, f, j, k) + (size_t)i] = program_start(p, f, e.j0 + j, k, i);
    }
    for (int s = 0; s < steps; s++)
        for (int o = 0; o < p->in.nops; o++)
            if (s % p->op[o].every == 0) op_reference(&w, &p->op[o], s);
    real *out = malloc(program_size(p) * sizeof *out), *at = out;
    for (int f = 0; f < p->nkept; f++) {
        const struct program_extent e = program_extent_of(p, f);
        for (int j = 0; j < e.nj; j++)
            for (int k = 0; k < e.nk; k++, at += e.ni)
                memcpy(at, w.bank[f][w.now[f]] + offset_of(p, f, j, k), (size_t)e.ni * sizeof *at);
    }
    for (int f = 0; f < p->nchanging; f++)
        for (int b = 0; b < 2; b++) free(w.bank[f][b]);
    return out;
}
