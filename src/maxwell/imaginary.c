/* The stages of the imaginary parts of complex fields (bloch.h): those of the real parts, on a slab that shows the
 * imaginary fields in their place. The equations are real, so that there is one form of each.
 * SPDX-License-Identifier: MIT */
#include "maxwell/bloch.h"

#include "maxwell/dispersion.h"
#include "maxwell/monitor.h"
#include "maxwell/probe.h"

/* What a stage of the real parts is given in place of what it is handed. */
struct shown {
    struct slab s;
    struct call call;
    struct maxwell x;
    struct probes probes;
};

/* E, H and the memories of layers; the engine has put sums and memories of the member where a stage looks for them.
 * Members of imaginary parts follow those of all real ones. */
static void show(struct shown *v, const struct slab *s, const struct call *c)
{
    const struct maxwell *const x = c->ctx;
    v->s = *s, v->call = *c;
    for (int n = 0; n < 6; n++) v->s.f[F_EX + n] = s->f[F_EX_IM + n], v->s.w[F_EX + n] = s->w[F_EX_IM + n];
    for (int n = 0; n < 4 * FACES; n++)
        v->s.f[F_PSI_W + n] = s->f[F_PSI_W_IM + n], v->s.w[F_PSI_W + n] = s->w[F_PSI_W_IM + n];
    v->call.member -= x->nmonitors + x->ndispersions;
}

/* Probes record behind what those of the real parts have recorded. */
static void show_probes(struct shown *v, const struct slab *s, const struct call *c)
{
    show(v, s, c);
    v->x = *(const struct maxwell *)c->ctx, v->probes = *v->x.probes;
    v->probes.pass += (ptrdiff_t)PROBE_COMPONENTS * v->probes.n;
    v->x.probes = &v->probes, v->call.ctx = &v->x;
}

static void run(stage_function *stage, const struct slab *s, struct box b, const struct call *c)
{
    struct shown v;
    show(&v, s, c);
    stage(&v.s, b, &v.call);
}

void h_run_im(const struct slab *s, struct box b, const struct call *c) { run(h_run, s, b, c); }
void e_run_im(const struct slab *s, struct box b, const struct call *c) { run(e_run, s, b, c); }
void disperse_run_im(const struct slab *s, struct box b, const struct call *c) { run(disperse_run, s, b, c); }
void disperse_among_run_im(const struct slab *s, struct box b, const struct call *c)
{
    run(disperse_among_run, s, b, c);
}
void source_h_run_im(const struct slab *s, struct box b, const struct call *c) { run(incident_h_im, s, b, c); }
void source_e_run_im(const struct slab *s, struct box b, const struct call *c) { run(incident_e_im, s, b, c); }
void monitor_run_im(const struct slab *s, struct box b, const struct call *c) { run(monitor_run, s, b, c); }
void probe_run_im(const struct slab *s, struct box b, const struct call *c)
{
    struct shown v;
    show_probes(&v, s, c);
    probe_run(&v.s, b, &v.call);
}

#if SF_CUDA
static void launch(stage_launch *stage, const struct slab *s, struct box b, const struct call *c, void *stream)
{
    struct shown v;
    show(&v, s, c);
    stage(&v.s, b, &v.call, stream);
}

void h_run_im_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    launch(yee_h_run_gpu, s, b, c, stream);
}
void e_run_im_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    launch(yee_e_run_gpu, s, b, c, stream);
}
void disperse_run_im_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    launch(disperse_run_gpu, s, b, c, stream);
}
void disperse_among_run_im_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    launch(disperse_among_run_gpu, s, b, c, stream);
}
void source_h_run_im_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    launch(incident_h_im_gpu, s, b, c, stream);
}
void source_e_run_im_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    launch(incident_e_im_gpu, s, b, c, stream);
}
void monitor_run_im_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    launch(monitor_run_gpu, s, b, c, stream);
}
void probe_run_im_gpu(const struct slab *s, struct box b, const struct call *c, void *stream)
{
    struct shown v;
    show_probes(&v, s, c);
    probe_run_gpu(&v.s, b, &v.call, stream);
}
#endif
