/* The engine under the ranks that it was launched with: random programs and the heat equation, cut at random, against
 * what one rank computes by plain loops: `prog_ranks PROGRAMS [FIRST SEED [CUTS OF EACH]]`, `prog_ranks --mpi`,
 * `prog_ranks --large`.
 *
 * Prints one line when all is well; the exit code is 1 at the first wrong bit, which is printed with its seed. A killer
 * for faults planted in the engine as well: small programs, no test library. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create, MAP_NORESERVE */
#include "support_heat.h"
#include "support_program.h"

#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
                printf(
                    "rank %d of %d: seed %u, cut %d (slabs %d, overlapped %d, steps per pass %d, window %d, exchange %d, "
                    "threads %d): %s%s%s\n",
                    c->rank, c->size, seed, v, o.slabs, o.overlapped, o.steps_per_pass, o.window_rows, o.exchange,
                    o.threads, where, rc ? sf_error_text() : "",
                    strangers ? "; a stage saw what it did not declare" : "");
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
    const int cells[] = {9, c->size + (int)(seed % 19), 4}, side = seed % 2 ? SIDE_PERIODIC : SIDE_WALL,
              steps = 1 + (int)(seed % 6);
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

/* ---- a message whose bytes no int counts ------------------------------------------------------------------------- */

enum { PAGES = 1 << 24, TIMES = 128, TAIL = 3 * (1 << 20) + 5, GUARD = 11 };
static const size_t large = (size_t)PAGES * TIMES + TAIL; /* 2 GiB and some: more than INT_MAX */

/* Room for `large` bytes and a guard behind them that takes 16 MiB of memory: the same pages over and over, then a tail
 * of its own. */
static unsigned char *large_make(void)
{
    const size_t room = (size_t)PAGES * (TIMES + 1);
    unsigned char *const at =
        mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const int fd = at == MAP_FAILED ? -1 : memfd_create("large", MFD_CLOEXEC);
    int good = fd >= 0 && !ftruncate(fd, PAGES);
    for (size_t n = 0; good && n < TIMES; n++)
        good = mmap(at + n * PAGES, PAGES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
    if (fd >= 0) close(fd);
    return good ? at : NULL;
}

static unsigned char large_byte(size_t n) { return (unsigned char)(n % 251 + n / PAGES % 2); }

static int large_agrees(const unsigned char *at)
{
    for (size_t n = large - TAIL - PAGES; n < large; n++)
        if (at[n] != large_byte(n)) return 0;
    for (size_t n = large; n < large + GUARD; n++)
        if (at[n] != 0) return 0;
    return 1;
}

/* From rank 0 to the last, posted and not, and to all. */
static int large_check(const struct comm *c)
{
    unsigned char *const at = large_make();
    struct comm_request request = {0};
    int wrong = 0, rc = SF_OK;
    if (verdict(c, at ? SF_OK : SF_MEMORY, 0)) return 1;
    for (int round = 0; round < 2 && !rc && !wrong; round++) {
        memset(at + (size_t)PAGES * (TIMES - 1), 0, PAGES + TAIL + GUARD);
        if (c->rank == 0)
            for (size_t n = large - TAIL - PAGES; n < large; n++) at[n] = large_byte(n);
        if (round == 1) rc = comm_bcast(c, at, large);
        else if (c->rank == 0) rc = comm_isend(at, large, c->size - 1, 0, &request);
        else if (c->rank == c->size - 1) rc = comm_irecv(at, large, 0, 0, &request);
        if (!rc) rc = comm_wait(&request);
        wrong = !rc && (round == 1 || c->rank == c->size - 1) && !large_agrees(at);
        const int bad = verdict(c, rc, wrong);
        if (bad && c->rank == 0) printf("a message of %zu bytes did not arrive: %s\n", large, sf_error_text());
        wrong = bad;
    }
    if (!wrong && c->rank == 0) printf("%d ranks: a message of %zu bytes arrived whole\n", c->size, large);
    return wrong;
}

int main(int argc, char **argv)
{
    struct comm c;
    if (argc > 1 && strcmp(argv[1], "--mpi") == 0) return puts(comm_version()), 0;
    if (comm_begin(&argc, &argv, &c)) return fprintf(stderr, "%s\n", sf_error_text()), 1;
    if (argc > 1 && strcmp(argv[1], "--large") == 0) {
        const int bad = large_check(&c);
        fflush(stdout);
        comm_end();
        return bad;
    }
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
