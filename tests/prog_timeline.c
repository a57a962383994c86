/* A timeline of all ranks that it was launched with: `prog_timeline FILE SPANS [BYTES]`, rank r giving SPANS * r of
 * them that follow each other, one a millisecond and a millisecond later on each rank; files may grow to BYTES. Exit
 * code: that of timeline_write. SPDX-License-Identifier: MIT */
#include "io/timeline.h"
#include "pipeline/error.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* From here on: MPI has made its own files. */
static void files_limit(const char *bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){strtoul(bytes, NULL, 10), RLIM_INFINITY});
}

int main(int argc, char **argv)
{
    struct comm c;
    if (comm_begin(&argc, &argv, &c) || argc < 3) return SF_USAGE;
    if (argc > 3) files_limit(argv[3]);
    const size_t n = (size_t)strtoul(argv[2], NULL, 10) * (size_t)c.rank;
    struct span *span = malloc((n + 1) * sizeof *span);
    if (!span) return SF_MEMORY;
    for (size_t m = 0; m < n; m++) {
        const double begin = 1000 + 1e-3 * ((double)m + c.rank);
        span[m] =
            (struct span){.lane = (int)(m % 3), .slab = (int)m, .step = c.rank, .begin = begin, .end = begin + 1e-3};
    }
    const int rc = timeline_write(argv[1], &c, span, n);
    if (rc) fprintf(stderr, "rank %d: %s\n", c.rank, sf_error_text());
    free(span);
    comm_end();
    return rc;
}
