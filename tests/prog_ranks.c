/* The engine under the ranks that it was launched with: random programs and the heat equation, cut at random, against what
 * one rank computes by plain loops: `prog_ranks PROGRAMS [FIRST SEED [CUTS OF EACH]]`, `prog_ranks --mpi`.
 *
 * Prints one line when all is well; the exit code is 1 at the first wrong bit, which is printed with its seed. A killer for
 * faults planted in the engine as well: small programs, no test library. SPDX-License-Identifier: MIT */
#include "support_heat.h"
#include "support_program.h"

#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tell all ranks what rank 0 found; 1 when something is wrong. */
static int verdict(const struct comm *c, int rc, int wrong)
{
    int worst = rc || wrong;
    return comm_max(c, &worst) || worst;
}

static int program_check(const struct comm *c, unsigned seed, int cuts)
{
    struct program p;
    program_make(&p, seed);
    const int steps = 1 + (int)(seed % 5);
    int bad = 0;
    if (p.grid.ny >= c->size) {
        real *want = c->rank == 0 ? program_reference(&p, steps) : NULL;
        for (int v = 0; v < cuts && !bad; v++) {
            const struct engine_options o = program_options(seed * 7 + (unsigned)v);
            int rc;
            real *got = program_run(&p, c, &o, steps, &rc);
            const char *where = !rc && c->rank == 0 ? program_difference(&p, want, got) : "";
            const int strangers = *p.strangers;
            bad = verdict(c, rc, where[0] || strangers);
            if (bad && (c->rank == 0 || rc || strangers))
                printf("rank %d of %d: seed %u, cut %d (slabs %d, overlapped %d, steps per pass %d, window %d, exchange %d, "
                       "threads %d): %s%s%s\n",
                       c->rank, c->size, seed, v, o.slabs, o.overlapped, o.steps_per_pass, o.window_rows, o.exchange, o.threads,
                       where, rc ? sf_error_text() : "", strangers ? "; a stage saw what it did not declare" : "");
            free(got);
        }
        free(want);
    }
    program_free(&p);
    return bad;
}

static double bump(const struct heat *h, const void *how, int j, int k, int i)
{
    (void)h, (void)how;
    return (i * 7 + j * 5 + k * 3) % 11 - 3.0;
}

static int heat_check(const struct comm *c, unsigned seed)
{
    static const double sizes[] = {1, 1, 1};
    const struct comm alone = {.rank = 0, .size = 1};
    const struct engine_options plain = {.threads = 1, .slabs = 1, .steps_per_pass = 1}, o = program_options(seed);
    const int cells[] = {9, c->size + (int)(seed % 19), 4}, side = seed % 2 ? SIDE_PERIODIC : SIDE_WALL, steps = 1 + (int)(seed % 6);
    struct heat h;
    int rc = heat_open(&h, cells, sizes, side, side, 1.0), rc0 = 0, wrong = 0;
    if (verdict(c, rc, 0)) return 1;
    real *want = c->rank == 0 ? heat_run(&h, &alone, &plain, bump, NULL, 0.125, steps, &rc0) : NULL;
    real *got = heat_run(&h, c, &o, bump, NULL, 0.125, steps, &rc);
    if (c->rank == 0 && !rc && !rc0)
        wrong = memcmp(want, got, (size_t)(cells[0] * cells[1] * cells[2]) * sizeof *want) != 0;
    const int bad = verdict(c, rc || rc0, wrong);
    if (bad && c->rank == 0) printf("%d ranks: heat, seed %u, differs: %s\n", c->size, seed, sf_error_text());
    free(want);
    free(got);
    heat_close(&h);
    return bad;
}

int main(int argc, char **argv)
{
    struct comm c;
    if (argc > 1 && strcmp(argv[1], "--mpi") == 0) return puts(comm_version()), 0;
    if (comm_begin(&argc, &argv, &c)) return fprintf(stderr, "%s\n", sf_error_text()), 1;
    const int programs = argc > 1 ? atoi(argv[1]) : 100, cuts = argc > 3 ? atoi(argv[3]) : 2;
    const unsigned first = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    int bad = 0;
    for (int n = 0; n < programs && !bad; n++) {
        bad = program_check(&c, first + (unsigned)n, cuts);
        if (!bad && n % 4 == 0) bad = heat_check(&c, first + (unsigned)n);
    }
    if (!bad && c.rank == 0) printf("%d ranks: %d programs, %d cuts of each: the same bits\n", c.size, programs, cuts);
    fflush(stdout);
    comm_end();
    return bad;
}
