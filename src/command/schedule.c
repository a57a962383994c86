/* Lanes in words. SPDX-License-Identifier: MIT */
#include "command/schedule.h"

#include "command/limits.h"

#include <stdio.h>

static const double mib = 1048576.0;

static double larger(double a, double b) { return a > b ? a : b; }

/* Is there nothing to stream, for the device holds all? */
static int is_whole(const struct engine *e, const struct engine_schedule *s)
{
    return !e->opt.overlapped && e->stream.flows && s->rows_on_device >= e->state->jb - e->state->ja + e->gs + e->gn;
}

/* Are passes cut, so that they have fewer steps than they could? */
static int is_cut(double mean, int steps) { return mean > 0 && mean < 0.9 * steps; }

/* mean: steps of a pass, as what is due between them cuts it; 0: all that it may have. */
static void lanes_print(FILE *to, const struct engine *e, const struct machine *m, const struct engine_schedule *s,
                        double mean)
{
    double in = 0, out = 0, within = 0;
    const int most = e->pass[0].plan.steps;
    const double points = (double)e->in->grid->nx * e->in->grid->nz * (e->state->jb - e->state->ja);
    if (!e->backend->is_device) {
        fprintf(to, "lanes: on a CPU a transfer is a copy by the threads that compute\n");
        return;
    }
    const int devices = e->backend->device()->devices,
              ranks = (comm_locals(&e->comm) + devices - 1) / devices; /* of a device */
    const struct limit step = limit_of_step(e, m);
    const double compute = step.seconds * step.rows * points * (mean > 0 ? mean : most) * ranks;
    if (e->backend->rates(&in, &out, &within) || !(in > 0 && out > 0)) return;
    const double t_in = s->in / in, t_out = s->out / out, longest = larger(t_in, t_out);
    char computing[64] = "(computing could not be measured in what is left of the GPU)";
    if (compute > 0) snprintf(computing, sizeof computing, "%.3g ms to compute", 1e3 * compute);
    fprintf(to, "lanes: a pass takes at least %.3g ms in, %s, %.3g ms out (%.1f GB/s in, %.1f GB/s out, measured)",
            1e3 * t_in, computing, 1e3 * t_out, 1e-9 * in, 1e-9 * out);
    if (compute >= longest) fprintf(to, ": computing binds, transfers hide behind it\n");
    else if (compute > 0)
        fprintf(to, ": transfers %s bind: %s or fewer, larger slabs would hide them\n", t_in >= t_out ? "in" : "out",
                is_cut(mean, most) ? "rarer output, series and looks at the state" : "more steps_per_pass");
    else fprintf(to, "\n");
}

/* Digits behind the point of so many MiB. */
static int digits(double bytes) { return bytes < mib / 10 ? 6 : bytes < 10 * mib ? 3 : 1; }

/* What a device would have to hold for all of the domain to stay, and what may be used. */
static void device_print(FILE *to, const struct engine *e)
{
    if (!e->backend->is_device) return;
    const double whole = (double)e->device_whole, most = (double)e->device_most, used = (double)e->device_bytes;
    fprintf(to, "GPU memory: %.*f MiB would hold all of this rank's rows, %.*f MiB may be used: ", digits(whole),
            whole / mib, digits(most), most / mib);
    if (e->slabs == 1) fprintf(to, "they stay there\n");
    else
        fprintf(to, "%s in %.*f MiB\n", whole <= most ? "slabs were asked for, and stream" : "they stream",
                digits(used), used / mib);
}

void schedule_print(FILE *to, const struct engine *e, const struct machine *m, double mean)
{
    device_print(to, e);
    if (e->opt.slabs > e->slabs)
        fprintf(to, "slabs: %d were asked for, which the rows of a rank are too few for\n", e->opt.slabs);
    if (e->opt.slabs > 1 && e->opt.slabs < e->slabs)
        fprintf(to, "slabs: %d were asked for, which the memory of the GPU does not hold\n", e->opt.slabs);
    if (e->slabs == 1) return;
    const struct engine_schedule s = engine_schedule(e);
    const struct plan *p = &e->pass[0].plan;
    if (e->steps_asked > p->steps)
        fprintf(to, "steps: %d a pass were asked for, which the memory of the GPU does not hold\n", e->steps_asked);
    fprintf(to,
            "streamed: %d %s slabs of about %d row%s, %d on the device at a time, %d step%s a pass%s; a pass brings "
            "%.*f MiB in and "
            "takes %.*f MiB out\n",
            e->slabs, e->opt.overlapped ? "overlapped" : "skewed", s.rows, s.rows == 1 ? "" : "s", s.rows_on_device,
            p->steps, p->steps > 1 ? "s" : "", is_whole(e, &s) ? ": all rows stay there" : "", digits(s.in), s.in / mib,
            digits(s.out), s.out / mib);
    if (is_cut(mean, p->steps))
        fprintf(
            to,
            "passes: %.1f steps in the mean, for what is due between them: output, series, checkpoints, looks at the state (&time)\n",
            mean);
    if (!e->opt.overlapped) fprintf(to, "skew: a slab's ops touch %d rows behind its front\n", s.skew);
    lanes_print(to, e, m, &s, mean);
}

static double hidden_share(const struct schedule_lanes *l)
{
    const double sum = l->in + l->compute + l->out, longest = larger(larger(l->in, l->compute), l->out);
    return sum > longest ? larger((sum - l->wall) / (sum - longest), 0) : 1;
}

struct schedule_lanes schedule_lanes(const struct engine *e)
{
    const struct schedule_lanes none = {.wall = 0};
    return schedule_lanes_since(e, &none);
}

struct schedule_lanes schedule_lanes_since(const struct engine *e, const struct schedule_lanes *before)
{
    struct schedule_lanes l = {.in = engine_lane_seconds(e, SPAN_IN) - before->in,
                               .compute = engine_lane_seconds(e, SPAN_COMPUTE) - before->compute,
                               .out = engine_lane_seconds(e, SPAN_OUT) - before->out,
                               .wall = e->lanes.wall - before->wall};
    l.hidden = hidden_share(&l);
    return l;
}

void schedule_print_run(const struct engine *e, long steps)
{
    const struct engine_lanes *l = &e->lanes;
    if (e->slabs == 1 || !(l->wall > 0)) return;
    const struct schedule_lanes t = schedule_lanes(e);
    const struct engine_schedule s = engine_schedule(e);
    const double passes = (double)l->slabs[SPAN_COMPUTE] / e->slabs, mean = passes > 0 ? (double)steps / passes : 0;
    const int most = e->pass[0].plan.steps;
    char fewer[64] = "";
    if (is_cut(mean, most)) snprintf(fewer, sizeof fewer, " at most, %.1f in the mean", mean);
    printf("  streaming  %s%d slabs, %d step%s a pass%s: in %.3f s, compute %.3f s, out %.3f s in %.3f s: %.1f %% of "
           "transfers hidden, %.1f %% of "
           "the speed of computing alone\n",
           e->comm.size > 1 ? "rank 0: " : "", e->slabs, most, most > 1 ? "s" : "", fewer, t.in, t.compute, t.out,
           t.wall, 100 * t.hidden, 100 * t.compute / t.wall);
    if (passes > 0 && steps > 0) {
        const double follow = passes - (double)l->begun,
                     in = follow > 0 ? (l->bytes[SPAN_IN] - l->brought) / follow : 0;
        printf("             %.*f MiB in and %.*f MiB out a pass in the mean of %.0f", digits(s.in), in / mib,
               digits(s.out), l->bytes[SPAN_OUT] / passes / mib, passes);
        if (l->begun)
            printf(", but %.*f MiB in with the first", digits(l->brought), l->brought / (double)l->begun / mib);
        printf("; planned %.*f and %.*f where passes follow each other\n", digits(s.in), s.in / mib, digits(s.out),
               s.out / mib);
    }
    if (l->fetched > 0)
        printf(
            "             %.*f MiB more came home for output, checkpoints and the end, from where they stay between passes\n",
            digits(l->fetched), l->fetched / mib);
}
