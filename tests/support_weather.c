/* SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t random_state = 1;

double air_random(double low, double high)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(random_state >> 11) + 0.5) * 0x1p-53;
}

static int is_level(int field) { return field >= P_TH0 && field < F_Q; }

void air_make(struct air *a, int ni, int nj, int nk, int in_place)
{
    const int g = AIR_GHOSTS;
    *a = (struct air){.ni = ni, .nj = nj, .nk = nk, .d = {.nk = nk, .ray_k = nk}};
    struct slab *const s = &a->s;
    s->ni = ni, s->nj = nj, s->nk = nk, s->rows = nj;
    s->sk = ni + 2 * g, s->sj = s->sk * (nk + 2 * g), s->sm = s->sk;
    a->size = (size_t)s->sj * (size_t)(nj + 2 * g);
    a->memory = calloc(2 * AIR_ALL * a->size, sizeof(real));
    if (!a->memory) abort();
    for (int f = 0; f < AIR_ALL; f++) {
        real *const bank = a->memory + (size_t)f * a->size, *const other = bank + (in_place ? 0 : AIR_ALL * a->size);
        const ptrdiff_t first = is_level(f) ? g : g * (s->sj + s->sk + 1);
        s->f[f] = bank + first;
        const int nth = f < F_Q ? -1 : (f - F_Q) % F_FAMILY;
        real *const written = (f <= F_PI || !nth ? other : bank) + first;
        if (f < SF_MAX_CHANGED) s->w[f] = written;
        if (nth < 0) continue;
        struct member *const m = &a->of[(f - F_Q) / F_FAMILY];
        m->n = (f - F_Q) / F_FAMILY;
        m->f[nth] = s->f[f], m->w[nth] = written;
    }
}

void air_free(struct air *a) { free(a->memory); }

static ptrdiff_t offset(const struct air *a, int i, int j, int k) { return j * a->s.sj + k * a->s.sk + i; }
real *air_at(const struct air *a, int field, int i, int j, int k) { return a->s.f[field] + offset(a, i, j, k); }
real *air_written(const struct air *a, int field, int i, int j, int k)
{
    real *const first = field < F_Q ? a->s.w[field] : a->of[(field - F_Q) / F_FAMILY].w[(field - F_Q) % F_FAMILY];
    return first + offset(a, i, j, k);
}

static real part_of(double low, double high, int parts)
{
    const double n = air_random(low, high) * parts;
    return (real)((double)(long)n / parts);
}

void air_fill(const struct air *a, int field, double most, int parts)
{
    real *const q = a->s.f[field] - AIR_GHOSTS * (a->s.sj + a->s.sk + 1);
    for (size_t m = 0; m < a->size; m++) q[m] = part_of(-most, most, parts);
}

void air_spread(const struct air *a, int field, double low, double high)
{
    for (int j = -AIR_GHOSTS; j < a->nj + AIR_GHOSTS; j++)
        for (int k = -AIR_GHOSTS; k < a->nk + AIR_GHOSTS; k++)
            for (int i = -AIR_GHOSTS; i < a->ni + AIR_GHOSTS; i++)
                *air_at(a, field, i, j, k) = (real)air_random(low, high);
}

void air_levels(const struct air *a, int profile, double low, double high, int parts)
{
    for (int k = -AIR_GHOSTS; k <= a->nk + AIR_GHOSTS - 1; k++) a->s.f[profile][k] = part_of(low, high, parts);
}

struct box air_box(const struct air *a, int extend)
{
    return (struct box){.i1 = a->ni + extend, .k1 = a->nk, .j1 = a->nj + extend};
}

static struct session session; /* of cases that come and go here */

void air_numbers(struct air *a, const char *more)
{
    char text[1024];
    snprintf(text, sizeof text,
             "&grid nx = 4, ny = 4, nz = 8, dx = 500, dy = 400, dz = 300 /\n&time duration = 1, dt = 1 /\n"
             "&base profile = 'weisman_klemp' /\n%s\n",
             more);
    weather_open(&session, text);
    const int nk = a->d.nk;
    a->d = *(const struct dynamics *)session.in.ctx;
    a->d.nk = a->d.ray_k = nk;
    session_close(&session);
}

static void text_write(char *path, size_t size, const char *text)
{
    snprintf(path, size, "/tmp/sferic-weather-%ld.nml", (long)getpid());
    FILE *const f = fopen(path, "w");
    cr_assert(f);
    fputs(text, f);
    cr_assert_eq(fclose(f), 0);
}

void weather_open(struct session *s, const char *text)
{
    char path[64];
    text_write(path, sizeof path, text);
    static const char *const set[] = {"pipeline%backend='cpu'", "pipeline%threads=1"};
    sf_error_clear();
    const int rc = session_open(s, &(struct session_options){.path = path, .set = set, .nsets = 2, .is_part = 1});
    unlink(path);
    cr_assert_eq(rc, SF_OK, "%s", sf_error_text());
}

int weather_told(const char *text, char *told, size_t size)
{
    char path[64];
    text_write(path, sizeof path, text);
    FILE *const log = tmpfile();
    cr_assert(log);
    const int before = dup(STDERR_FILENO);
    dup2(fileno(log), STDERR_FILENO);
    const int rc = session_open(&session, &(struct session_options){.path = path});
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(log);
    told[fread(told, 1, size - 1, log)] = '\0';
    fclose(log);
    session_close(&session);
    unlink(path);
    return rc;
}

int weather_refused(const char *text, const char *key, const char *says)
{
    char told[8192];
    const int rc = weather_told(text, told, sizeof told);
    cr_assert(rc == SF_NAMELIST || rc == SF_INPUT, "%s: %d", text, rc);
    cr_assert(strstr(told, says), "%s: '%s' is not in: %s", text, says, told);
    cr_assert(strstr(told, key), "%s: '%s' is not in: %s", text, key, told);
    return rc;
}

void weather_stir(struct session *s)
{
    const struct grid *const g = &s->grid;
    for (int f = 0; f < s->in.nfields; f++)
        for (int j = -1; j <= g->ny && field_is_kept(&s->in.field[f]) && s->in.field[f].shape == SHAPE_FULL; j++)
            for (int k = -1; k <= g->nz; k++)
                for (int i = -1; i <= g->nx; i++) {
                    const double most = f <= F_W ? 20 : f == F_TH ? 9 : f == F_PI ? 2e-3 : 1;
                    *weather_at(s, f, i, j, k) = (real)air_random(-most, most);
                }
}

real *weather_at(const struct session *s, int field, int i, int j, int k)
{
    const struct slab *const x = &s->state.host.s;
    return x->f[field] + (j - x->j0) * x->sj + k * x->sk + i;
}
