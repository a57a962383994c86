/* The terms of the prediction; each is s for a point of the domain. SPDX-License-Identifier: MIT */
#include "command/predict.h"

/* Cycles from a load to its value out of memory, and from an instruction of a thread to its next: of devices from sm_70
 * to sm_90, 500 to 800 and 2 to 5 were measured (Jia et al. 2018, arXiv:1804.06826; Luo et al. 2024, arXiv:2402.13499);
 * neighbours in a kernel seldom wait for each other. */
static const double memory_cycles = 650, instruction_cycles = 2;
/* And until a thread has begun. So many give what an H200 measured of theta' of the weather and of heat diffusion with
 * 1 and 2 rows a thread, 4.8 and 3.2 ps a point, where memory alone allows 2.9 and 2.0. */
static const double start_cycles = 1900;

enum { WIDTH = 32 }; /* threads whose words a multiprocessor loads or stores a cycle */

const char *predict_name(enum predict_by by)
{
    static const char *const name[PREDICTS] = {"issue", "load/store", "L2", "DRAM", "latency"};
    return name[by];
}

/* Values of a point that an access is about: of every member of a family one. */
static double values_of(const struct predict_kernel *k, const struct access *a)
{
    if (k->field[a->field].shape != SHAPE_FULL || a->rare == RARE_ALL) return 0;
    return a->family ? SF_MAX(k->members, 1) : 1;
}

static double levels_of(const struct predict_kernel *k)
{
    return k->shape.tile_k > 0 ? SF_MIN(k->shape.tile_k, k->nk) : k->nk;
}

static double rows_of(const struct predict_kernel *k)
{
    return k->shape.rows > 0 ? SF_MIN(k->shape.rows, k->nj) : k->nj;
}

double predict_loads(const struct predict_kernel *k)
{
    const double ti = k->shape.tile_i > 0 ? SF_MIN(k->shape.tile_i, k->ni) : k->ni, tk = levels_of(k),
                 rows = rows_of(k);
    double loads = 0;
    for (const struct access *a = k->stage->access; a->mode != ACCESS_END; a++) {
        const struct reach r = a->reach;
        if (!access_reads(a->mode)) continue;
        loads += values_of(k, a) * (ti + r.im + r.ip) * (tk + r.km + r.kp) * (rows + r.jm + r.jp) / (ti * tk * rows);
    }
    return loads;
}

static double stores_of(const struct predict_kernel *k)
{
    double stores = 0;
    for (const struct access *a = k->stage->access; a->mode != ACCESS_END; a++)
        stores += access_writes(a->mode) && a->rare == RARE_NOT ? values_of(k, a) : 0;
    return stores;
}

/* Every value once; and once more the rows on both sides of where one block ends and another begins, if all that a
 * layer of blocks reads meanwhile is more than the second-level cache keeps. */
static double memory_values(const struct predict_kernel *k, const struct predict_device *d)
{
    const double rows = rows_of(k);
    double fields = 0, again = 0;
    for (const struct access *a = k->stage->access; a->mode != ACCESS_END; a++) {
        const double values = access_reads(a->mode) ? values_of(k, a) : 0;
        fields += values;
        if (rows < k->nj) again += values * (a->reach.jm + a->reach.jp) / rows;
    }
    const int kept = fields * k->ni * k->nk * rows * (double)sizeof(real) < (double)d->l2;
    return fields + (kept ? 0 : again) + stores_of(k);
}

/* Threads of tiles that stick out of the domain. */
static double waste(const struct predict_kernel *k)
{
    const int ti = k->shape.tile_i > 0 ? k->shape.tile_i : k->ni, tk = k->shape.tile_k > 0 ? k->shape.tile_k : k->nk;
    const double across = (double)((k->ni + ti - 1) / ti) * ti, up = (double)((k->nk + tk - 1) / tk) * tk;
    return across * up / ((double)k->ni * k->nk);
}

/* The last round of blocks may leave multiprocessors idle. */
static double tail(const struct predict_kernel *k, const struct predict_device *d)
{
    const double at_once = SF_MAX(1.0, k->resident / k->block) * d->multiprocessors,
                 rounds = k->threads / k->block / at_once;
    const double whole = (double)(long)rounds;
    return (whole < rounds ? whole + 1 : whole) / rounds;
}

static double over(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

static void longest_find(struct prediction *p)
{
    for (int n = 0; n < PREDICTS; n++)
        if (p->part[n] > p->part[p->by]) p->by = (enum predict_by)n;
    p->seconds = p->part[p->by];
}

struct prediction predict(const struct predict_kernel *k, const struct predict_device *d, const struct machine *m)
{
    struct prediction p = {.by = PREDICT_ISSUE};
    const double members = SF_MAX(k->members, 1), share = k->share > 0 ? k->share : 1;
    const double all = members * instructions_all(&k->count), idle = waste(k) * tail(k, d),
                 cycles = d->multiprocessors * d->clock;
    const double l2 = (predict_loads(k) + stores_of(k)) * (double)sizeof(real),
                 dram = memory_values(k, d) * (double)sizeof(real);
    p.part[PREDICT_ISSUE] = over(all, m->issue) * idle;
    p.part[PREDICT_LOAD_STORE] = over(members * k->count.words, cycles * WIDTH) * idle;
    p.part[PREDICT_L2] = over(l2, m->cache);
    p.part[PREDICT_DRAM] = over(dram, m->memory);
    /* A thread begins once for all its points, waits once for what those of a turn take from memory, and its
     * instructions follow each other; all that are resident do so at the same time. */
    const double a_point = k->threads / ((double)k->ni * k->nk * k->nj),
                 wait = start_cycles * a_point + members * memory_cycles / SF_MAX(1.0, k->count.turn) +
                        instruction_cycles * all;
    p.part[PREDICT_LATENCY] = over(wait, cycles * k->resident) * idle;
    for (int n = 0; n < PREDICTS; n++) p.part[n] *= share;
    longest_find(&p);
    return p;
}

struct instructions predict_count(const struct stage *s, const struct field *f)
{
    struct instructions n = {.fp = s->flops, .turn = 1};
    for (const struct access *a = s->access; a->mode != ACCESS_END; a++) {
        const struct reach r = a->reach;
        if (f[a->field].shape != SHAPE_FULL || a->rare == RARE_ALL) continue;
        if (access_reads(a->mode)) n.memory += 1 + r.im + r.ip + r.km + r.kp + r.jm + r.jp;
        n.memory += access_writes(a->mode) && a->rare == RARE_NOT;
    }
    n.words = n.memory * (double)sizeof(real) / 4;
    return n;
}

/* ---- a CPU ------------------------------------------------------------------------------------------------------- */

/* Windows of ops lie on a slant, each the lag of its op behind the one before it. */
double predict_window_bytes(const struct predict_window *w)
{
    return w->line * (w->rows * w->levels + w->lag * w->levels + w->lag_k * w->rows);
}

double predict_far(const struct predict_window *w)
{
    if (!(w->ops > 0) || w->line * w->rows * w->levels > w->cache) return 1;
    const double behind = w->lag / w->ops_of_pass / w->rows, below = w->lag_k / w->ops_of_pass / w->levels;
    const int keeps = predict_window_bytes(w) <= w->cache;
    return SF_MIN(1, w->least / w->ops + (keeps && !(w->lag_k > 0) ? 0 : behind) + (keeps ? 0 : below));
}

struct prediction predict_on_cpu(const struct instructions *count, double bytes, double far, const struct machine *m)
{
    struct prediction p = {.by = PREDICT_ISSUE};
    p.part[PREDICT_ISSUE] = over(instructions_all(count), 0.5 * m->fma);
    p.part[PREDICT_L2] = over(bytes, m->cache);
    p.part[PREDICT_DRAM] = over(far * bytes, m->memory);
    longest_find(&p);
    return p;
}
