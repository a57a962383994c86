/* What a run tells at its end. SPDX-License-Identifier: MIT */
#include "command/run.h"

#include "command/limits.h"
#include "command/rows.h"
#include "command/schedule.h"
#include "io/progress.h"
#include "io/signals.h"
#include "pipeline/memory.h"

#include <stdio.h>
#include <string.h>

static void stages_print(const struct run *r)
{
    const struct session *s = &r->session;
    double sum = 0, ghosts = 0;
    for (int n = 0; n <= s->model->nstages; n++)
        ghosts += s->engine.stage_time[n].ghosts, sum += s->engine.stage_time[n].seconds;
    sum += ghosts;
    if (!(sum > 0)) return;
    printf("  %-16s %10s %8s %14s\n", "stage", "s", "share", "Mpoint/s");
    for (int n = 0; n <= s->model->nstages; n++) { /* the last: settling */
        const struct engine_stage_time *t = &s->engine.stage_time[n];
        const struct stage *of = n < s->model->nstages ? &s->model->stage[n] : &plan_settle;
        if (t->seconds > 0)
            printf("  %-16s %10.3f %6.1f %% %14.1f\n", of->name, t->seconds, 100 * t->seconds / sum,
                   t->points / t->seconds * 1e-6);
    }
    if (ghosts > 0) printf("  %-16s %10.3f %6.1f %%\n", "ghosts", ghosts, 100 * ghosts / sum);
    printf("  %-16s %10.3f\n", "halo waits", s->engine.halo_wait_seconds);
    const int *const received = s->engine.received;
    const char *const way = !received[0]   ? "from GPU to GPU"
                            : !received[1] ? "through the host"
                                           : "from GPU to GPU or through the host";
    if (received[0] + received[1] > 0) printf("  rows of other ranks come to rank 0 %s\n", way);
}

static void writer_print(const struct run *r, double wall)
{
    const struct history_rate *w = &r->rate;
    const double mib = 1024.0 * 1024.0;
    if (!w->frames) return;
    const double rate = w->busy > 0 ? w->bytes / w->busy / mib : 0;
    printf("  history    %d frames in %d files, %.1f MiB, written at %.*f MiB/s\n", w->frames, w->files,
           w->file_bytes / mib, rate < 10 ? 2 : 0, rate);
    const struct history_load l = history_load(w, r->goes_on && r->restart[0], r->session.seconds, wall);
    if (l.binds == HISTORY_HIDES) return;
    printf(
        "  %s: history is asked for at %.0f MiB/s of computing and written at %.0f MiB/s, frames of %.1f MiB; write less often, "
        "fewer &output fields, or to a faster disk\n",
        l.binds == HISTORY_BINDS ? "the writer binds" : "the writer is busy more than half the time", l.asked / mib,
        l.written / mib, w->bytes / w->frames / mib);
}

static void checkpoints_print(const struct run *r)
{
    const double mib = 1024.0 * 1024.0;
    if (!r->saved.count) return;
    printf("  saved      %d checkpoint%s", r->saved.count, r->saved.count > 1 ? "s" : "");
    if (r->saved.behind) printf(", %d while the GPU computed on", r->saved.behind);
    printf(", %.1f MiB, written and read back at %.0f MiB/s; waited %.3f s for them\n", r->saved.bytes / mib,
           r->saved.busy > 0 ? r->saved.bytes / r->saved.busy / mib : 0, r->saved.waited);
}

/* What computed it. */
static void place_print(const struct session *s)
{
    printf("  on         %s", backend_label(s->backend));
    const int threads = engine_threads(&s->engine_options, &s->grid, &s->comm);
    if (!s->backend->is_device) printf(", %d thread%s", threads, threads > 1 ? "s" : "");
    if (s->comm.size > 1) printf(" of each of %d ranks", s->comm.size);
    printf("%s%s\n", s->in.way ? "; " : "", s->in.way ? s->in.way : "");
}

/* Threads that did without a core. */
static void team_print(const struct session *s)
{
    const double told = 0.05; /* of the steps: trials are fewer */
    const struct team *const t = &s->engine.team;
    if (!((double)t->fewer > told * (double)t->all)) return;
    printf("  threads    computed with %d", t->fewest);
    if (t->next > t->fewest) printf(" to %d", t->next);
    printf(" of %d threads for %.0f %% of the steps%s: cores are busy with other work\n", t->most,
           100 * (double)t->fewer / (double)t->all, s->comm.size > 1 ? " on the first rank" : "");
}

/* What the model would have said of the last state. */
static void told_print(const struct run *r)
{
    const struct session *s = &r->session;
    const int n = s->in.quantity_told;
    if (!(n > 0 && n < s->in.nquantities && r->measured == s->step)) return;
    const struct quantity *const q = &s->in.quantity[n];
    const int is_number = !strcmp(q->unit, "1");
    printf("  %-10s %.3g%s%s, %s\n", q->name, r->values[n], is_number ? "" : " ", is_number ? "" : q->unit,
           q->long_name);
}

void run_report(const struct run *r)
{
    const struct session *s = &r->session;
    if (s->comm.rank != 0 || r->opt.quiet) return;
    const double wall = signals_wall() - r->began, points = (double)s->grid.nx * s->grid.ny * s->grid.nz;
    const long steps = s->step - r->first_step;
    const double compute = s->seconds > 0 ? s->seconds : 1e-9;
    char took[64], simulated[64];
    printf("%s: %d x %d x %d cells, %ld steps to %s in %s\n", s->config.case_name, s->grid.nx, s->grid.ny, s->grid.nz,
           steps, progress_seconds(simulated, sizeof simulated, session_time(s)),
           progress_seconds(took, sizeof took, wall));
    rows_head(stdout, "Result");
    told_print(r);
    printf("  files      %s\n", r->out);
    rows_head(stdout, "Time");
    place_print(s);
    team_print(s);
    printf("  computing  %.3f s (%.1f %%), %.4g steps/s, %.4g Mpoint/s\n", s->seconds, 100 * s->seconds / wall,
           (double)steps / compute, (double)steps * points / compute * 1e-6);
    printf("  output     %.3f s (%.1f %%), of which %.3f s waiting for the writer; watching %.3f s (%.1f %%)\n",
           r->output_seconds, 100 * r->output_seconds / wall, r->rate.waited, r->watch_seconds,
           100 * r->watch_seconds / wall);
    if (r->hidden_seconds > 0) printf("  behind it  %.3f s of output while the device computed\n", r->hidden_seconds);
    writer_print(r, wall);
    checkpoints_print(r);
    rows_head(stdout, "Machine");
    schedule_print_run(&s->engine, steps);
    limit_print_run(&s->engine, &r->machine, (double)steps * points / compute);
    if (memory_peak()) printf("  memory     %.1f MiB of the first rank at most\n", (double)memory_peak() / 1048576.0);
    if (r->opt.verbose) stages_print(r);
    printf("\n");
    fflush(stdout);
}
