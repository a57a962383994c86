/* Monitors: sums against the analytic transforms, power of waves, planes of every orientation on graded grids, the same
 * bits for every cut. Fields are set by hand at their own places and times. SPDX-License-Identifier: MIT */
#include "maxwell/monitor_noise.h"
#include "maxwell/monitor_parts.h"
#include "pipeline/backend.h"
#include "pipeline/error.h"
#include "pipeline/state.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 9, NY = 7, NZ = 8, STEPS = 640 };

static const double dt = 1e-12, tau = 30e-12, centre = 300e-12, carrier = 10e9, pi = 3.14159265358979323846;
static const double accuracy = sizeof(real) == 8 ? 1e-12 : 1e-5;

/* A field that is set: value of component c (0 .. 5) at (x, y, z) and its own time. */
typedef double field_function(int c, const double at[3], double t);

static struct config config;
static struct grid grid;
static struct maxwell_params *params;
static struct monitors *monitors;
static struct instance in;
static struct state st;
static struct monitor_setup setup;

/* ---- a domain by hand -------------------------------------------------------------------------------------------- */

static void open_domain(int graded)
{
    struct grid_sizes given = {0};
    config = (struct config){.grid_nx = NX,
                             .grid_ny = NY,
                             .grid_nz = NZ,
                             .grid_dx = 1e-3,
                             .grid_dy = 1.3e-3,
                             .grid_dz = 0.8e-3,
                             .grid_stretch_ratio = 1,
                             .grid_dz_max = 1e6,
                             .grid_origin_x = -2e-3};
    if (graded) {
        for (int m = 0; m < NX; m++) config.grid_size_x[m] = 1e-3 * (1 + 0.1 * m);
        for (int m = 0; m < NY; m++) config.grid_size_y[m] = 1e-3 * (2 - 0.15 * m);
        for (int m = 0; m < NZ; m++) config.grid_size_z[m] = 1e-3 * (1 + 0.3 * (m % 3));
        given = (struct grid_sizes){NX, NY, NZ};
    }
    cr_assert_eq(grid_init(&grid, &config, &given), SF_OK);
    params = calloc(1, sizeof *params);
    cr_assert(params);
    params->spectrum_frequencies[0] = 6e9;
    params->spectrum_frequencies[1] = 10e9;
    params->spectrum_frequencies[2] = 14.5e9;
    setup = (struct monitor_setup){
        .params = params, .grid = &grid, .listed = 3, .dt = dt, .room = SF_MAX_FIELDS - F_SUMS, .highest = 20e9};
}

static void monitor_put(int kind, const char *name, double west, double east, double south, double north, double bottom,
                        double top)
{
    const int n = setup.given++;
    strcpy(params->monitor_name[n], name);
    params->monitor_kind[n] = kind;
    params->monitor_west[n] = west, params->monitor_east[n] = east, params->monitor_south[n] = south;
    params->monitor_north[n] = north, params->monitor_bottom[n] = bottom, params->monitor_top[n] = top;
}

/* Rows [ja, jb) and one more on each side; what a rank or a slab would hold. */
static void rows_open(struct storage *s, int ja, int jb)
{
    struct form form[SF_MAX_FIELDS] = {{.shape = SHAPE_FULL}};
    unsigned char skip[SF_MAX_FIELDS] = {0};
    for (int n = 0; n < F_SUMS; n++) skip[n] = n > F_HZ;
    for (int n = 0; n < monitors->nparts; n++)
        form[F_SUMS + n] = (struct form){.shape = SHAPE_BOX, .box = monitors->part[n].box};
    const struct layout l = layout_make(LAYOUT_LINE, NX, NZ, NY, 1, 1);
    cr_assert_eq(storage_init(s, &backend_cpu, &l, F_SUMS + monitors->nparts, form, skip, ja - 1, jb - ja + 2), SF_OK);
    memcpy(s->s.w, s->s.f, sizeof s->s.w);
}

static void make_monitors(void)
{
    cr_assert_eq(monitors_make(&monitors, &setup), SF_OK, "%s", sf_error_text());
    in = (struct instance){.grid = &grid, .config = &config};
    for (int n = 0; n < monitors->nparts; n++)
        in.field[F_SUMS + n] = (struct field){.name = monitors->part[n].name,
                                              .shape = SHAPE_BOX,
                                              .box = monitors->part[n].box,
                                              .role = ROLE_PROGNOSTIC,
                                              .banks = 1};
    st = (struct state){.comm = {.size = 1}, .grid = &grid, .in = &in, .ja = 0, .jb = NY};
    rows_open(&st.host, 0, NY);
}

static void close_domain(void)
{
    storage_free(&st.host);
    monitors_free(&monitors);
    grid_free(&grid);
    free(params);
}

static void fields_fill(const struct slab *s, field_function *field, double t)
{
    for (int c = 0; c < 6; c++)
        for (int j = s->j0; j < s->j0 + s->rows; j++)
            for (int k = -1; k <= NZ; k++)
                for (int i = -1; i <= NX; i++) {
                    const double at[3] = {grid_x(&grid, i, on_node(c, AX)), grid_y(&grid, j, on_node(c, AY)),
                                          grid_z(&grid, k, on_node(c, AZ))};
                    s->f[c][(j - s->j0) * s->sj + k * s->sk + i] = (real)field(c, at, c < 3 ? t + dt : t + dt / 2);
                }
}

/* Boxes of a pass: all rows [ja, jb), or the same cut at column i and level k. */
static void monitors_run(const struct slab *s, const struct call *call, int ja, int jb, int i, int k)
{
    const int ci[] = {0, i, NX}, ck[] = {0, k, NZ};
    struct call c = *call;
    struct slab view = *s;
    for (c.member = 0; c.member < monitors->nparts; c.member++) {
        view.f[F_SUMS] = view.w[F_SUMS] = s->f[F_SUMS + c.member];
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                monitor_run(&view, (struct box){ci[a], ci[a + 1], ck[b], ck[b + 1], ja, jb}, &c);
    }
}

/* Steps 0 .. steps - 1, `pass` to a pass. */
static void run(struct storage *storage, field_function *field, int steps, int pass, int ja, int jb, int i, int k)
{
    struct maxwell x = {.ni = NX, .nk = NZ, .nj = NY};
    double time[STEPS];
    for (int first = 0; first < steps; first += pass) {
        const int n = SF_MIN(pass, steps - first);
        for (int m = 0; m < n; m++) time[m] = (first + m) * dt;
        cr_assert_eq(monitors_prepare(monitors, first, n, time, dt), SF_OK);
        x.monitor = monitors->part, x.nmonitors = monitors->nparts;
        for (int m = 0; m < n; m++) {
            if ((first + m) % monitors->every) continue;
            fields_fill(&storage->s, field, time[m]);
            const struct call call = {.step = first + m, .pass_step = m, .time = time[m], .ctx = &x};
            monitors_run(&storage->s, &call, ja, jb, i, k);
        }
    }
    st.step = steps;
}

static const struct result *result_of(const char *file)
{
    int n;
    const struct result *r = monitors_results(monitors, &n);
    for (int m = 0; m < n; m++)
        if (!strcmp(r[m].file, file)) return &r[m];
    cr_assert(0, "no %s", file);
    return NULL;
}

static double *values_of(const struct result *r, const char *name, const struct result_variable **variable)
{
    for (int v = 0; v < r->nvariables; v++) {
        if (strcmp(r->variable[v].name, name)) continue;
        size_t n = 1;
        for (int d = 0; d < r->variable[v].ndims; d++) n *= (size_t)r->axis[r->variable[v].dim[d]].n;
        double *out = malloc(n * sizeof *out + 1);
        double *to[32] = {NULL};
        cr_assert_leq(r->nvariables, 32);
        to[v] = out;
        cr_assert_eq(r->fill(r, &st, to), SF_OK, "%s", sf_error_text());
        *variable = &r->variable[v];
        return out;
    }
    cr_assert(0, "no variable %s", name);
    return NULL;
}

/* ---- a pulse ----------------------------------------------------------------------------------------------------- */

static double pulse(double t)
{
    const double s = t - centre;
    return exp(-s * s / (2 * tau * tau)) * cos(2 * pi * carrier * s);
}

/* |Fourier integral| of the pulse; its phase is that of a delay by `centre`. */
static double pulse_spectrum(double f)
{
    const double a = f - carrier, b = f + carrier, q = 2 * pi * pi * tau * tau;
    return tau * sqrt(2 * pi) / 2 * (exp(-q * a * a) + exp(-q * b * b));
}

/* A wave along axis `along`, E along the axis that follows: x, E along y, H along z. */
static int along;
static double growth; /* of the amplitude of E, 1/m */
static double wave(int c, const double at[3], double t)
{
    const int u = (along + 1) % 3, v = (along + 2) % 3;
    if (c != u && c != 3 + v) return 0;
    const double value = pulse(t - at[along] / em_c);
    return c < 3 ? value * (1 + growth * at[along]) : value / em_eta0;
}

Test(monitor, fields_have_the_analytic_transform)
{
    open_domain(0);
    monitor_put(2, "all", -1e9, 1e9, -1e9, 1e9, -1e9, 1e9);
    monitor_put(2, "cut-x", 1e-3, 1e-3, 2.5e-3, 6e-3, -1e9, 1e9);
    setup.staggered = 1;
    make_monitors();
    cr_assert_eq(monitors->every, 10);
    along = AZ, growth = 0;
    run(&st.host, wave, STEPS, 37, 0, NY, 3, 5);
    for (int which = 0; which < 2; which++) {
        const struct result *r = result_of(which ? "dft_cut-x.nc" : "dft_all.nc");
        for (int c = 0; c < 6; c++) {
            static const char *const re[] = {"Ex_re", "Ey_re", "Ez_re", "Hx_re", "Hy_re", "Hz_re"};
            static const char *const im[] = {"Ex_im", "Ey_im", "Ez_im", "Hx_im", "Hy_im", "Hz_im"};
            const struct result_variable *v;
            double *const a = values_of(r, re[c], &v), *const b = values_of(r, im[c], &v);
            const struct result_axis *const f = &r->axis[v->dim[0]], *const z = &r->axis[v->dim[1]],
                                            *const y = &r->axis[v->dim[2]], *const x = &r->axis[v->dim[3]];
            if (which == 0)
                cr_expect(x->n == NX && y->n == NY && z->n == NZ, "%s is %d x %d x %d", v->name, x->n, y->n, z->n);
            else
                cr_expect(x->n == (on_node(c, AX) ? 1 : 2) && y->n == (on_node(c, AY) ? 4 : 3), "%s is %d x %d",
                          v->name, x->n, y->n);
            for (int m = 0; m < f->n * z->n * y->n * x->n; m++) {
                const int k = m / (x->n * y->n) % z->n, q = m / (x->n * y->n * z->n);
                const double size = c == 0 ? 1 : c == 4 ? 1 / em_eta0 : 0; /* Ex and Hy of a wave along z */
                const double amplitude = size * pulse_spectrum(f->value[q]);
                const double phase = -2 * pi * f->value[q] * (centre + z->value[k] / em_c),
                             most = accuracy * pulse_spectrum(carrier);
                cr_assert(fabs(a[m] - amplitude * cos(phase)) <= most * (size > 0 ? size : 1), "%s: %g, not %g",
                          v->name, a[m], amplitude * cos(phase));
                cr_assert(fabs(b[m] - amplitude * sin(phase)) <= most * (size > 0 ? size : 1), "%s: %g, not %g",
                          v->name, b[m], amplitude * sin(phase));
            }
            free(a);
            free(b);
        }
    }
    close_domain();
}

static double slope(const double at[3]) { return 1 + 30 * at[AX] - 50 * at[AY] + 80 * at[AZ]; }
static double ramp(int c, const double at[3], double t) { return pulse(t) * slope(at) * (c + 1); }

/* Where components on nodes or cells of axis a count for value p: a field that is linear is what it is at the value's
 * place, but beside a far side whose node is no other's: there node n is 0 at a conductor, and node 0 across a seam.
 * Returns how many places. */
static int places_of(int a, int node, int p, double place, double at[2], double weight[2])
{
    const int n = a == AX ? NX : a == AY ? NY : NZ;
    const double *const lines = a == AX ? grid.x_f : a == AY ? grid.y_f : grid.z_f;
    at[0] = place, weight[0] = 1;
    if (!node || p < n - 1) return 1;
    at[0] = lines[n - 1], weight[0] = 0.5;
    at[1] = lines[0], weight[1] = 0.5;
    return setup.periodic[a] ? 2 : 1;
}

/* All components in one place: linear fields are met at the centres of a graded grid, and on a plane of its nodes. */
Test(monitor, components_come_to_centres_and_planes)
{
    for (int seams = 0; seams < 2; seams++) {
        open_domain(1);
        for (int a = 0; a < 3; a++) setup.periodic[a] = seams;
        monitor_put(2, "all", -1e9, 1e9, -1e9, 1e9, -1e9, 1e9);
        monitor_put(2, "cut-x", grid_x(&grid, 4, 1), grid_x(&grid, 4, 1), grid_y(&grid, 1, 1), grid_y(&grid, 4, 1),
                    -1e9, 1e9);
        monitor_put(2, "side-z", -1e9, 1e9, -1e9, 1e9, 0, 0);
        monitor_put(2, "end", grid_x(&grid, 5, 1), 1e9, -1e9, 1e9, -1e9, 1e9);
        make_monitors();
        run(&st.host, ramp, STEPS, 64, 0, NY, 3, 5);
        for (int which = 0; which < 4; which++) {
            static const char *const file[] = {"dft_all.nc", "dft_cut-x.nc", "dft_side-z.nc", "dft_end.nc"};
            static const int n[4][3] = {{NX, NY, NZ}, {1, 3, NZ}, {NX, NY, 1}, {NX - 5, NY, NZ}},
                             from[4][3] = {{0, 0, 0}, {4, 1, 0}, {0, 0, 0}, {5, 0, 0}};
            const struct result *const r = result_of(file[which]);
            cr_assert_eq(r->naxes, 4);
            for (int v = 0; v < r->nvariables; v++) {
                const int c = v / 2;
                const struct result_variable *var;
                double *const got = values_of(r, r->variable[v].name, &var),
                              most = 1.5 * accuracy * 6 * pulse_spectrum(carrier);
                const struct result_axis *const axis[3] = {&r->axis[var->dim[3]], &r->axis[var->dim[2]],
                                                           &r->axis[var->dim[1]]};
                for (int a = 0; a < 3; a++) {
                    cr_assert_eq(axis[a]->n, n[which][a], "%s, axis %d: %d", file[which], a, axis[a]->n);
                    for (int q = 0; q < axis[a]->n; q++) {
                        const int node = which == 1 && a == AX;
                        cr_assert_float_eq(axis[a]->value[q],
                                           a == AX   ? grid_x(&grid, from[which][a] + q, node)
                                           : a == AY ? grid_y(&grid, from[which][a] + q, 0)
                                                     : grid_z(&grid, from[which][a] + q, 0),
                                           1e-15);
                    }
                }
                for (int m = 0; m < 3 * n[which][AX] * n[which][AY] * n[which][AZ]; m++) {
                    const int p[3] = {m % n[which][AX], m / n[which][AX] % n[which][AY],
                                      m / (n[which][AX] * n[which][AY]) % n[which][AZ]};
                    const double f = monitors->frequency[m / (n[which][AX] * n[which][AY] * n[which][AZ])];
                    double at[3][2], weight[3][2], want = 0;
                    int places[3];
                    for (int a = 0; a < 3; a++)
                        places[a] =
                            places_of(a, on_node(c, a), from[which][a] + p[a], axis[a]->value[p[a]], at[a], weight[a]);
                    for (int q = 0; q < 8; q++) {
                        const int s[3] = {q & 1, q >> 1 & 1, q >> 2};
                        if (s[0] >= places[0] || s[1] >= places[1] || s[2] >= places[2]) continue;
                        want += weight[0][s[0]] * weight[1][s[1]] * weight[2][s[2]] *
                                slope((double[3]){at[0][s[0]], at[1][s[1]], at[2][s[2]]});
                    }
                    if (which == 3 && seams && on_node(c, AX) &&
                        p[AX] == NX - 6) { /* half of it is node 0, which it lacks */
                        cr_assert(got[m] >= RESULT_NONE, "%s, %s %d: %.9g is half of it", file[which], var->name, m,
                                  got[m]);
                        continue;
                    }
                    want *=
                        (c + 1) * pulse_spectrum(f) * (v % 2 ? -sin(2 * pi * f * centre) : cos(2 * pi * f * centre));
                    cr_assert(fabs(got[m] - want) <= most, "%s, %s %d: %.9g, not %.9g (seams %d)", file[which],
                              var->name, m, got[m], want, seams);
                }
                free(got);
            }
        }
        close_domain();
    }
}

static double waveform(const void *source, double t)
{
    (void)source;
    return 2 * pulse(t);
}

/* 1/2 |E|^2 / eta times the area; H is interpolated over a cell of size d, which a wave of wave number k sees as cos(k
 * d / 2). */
Test(monitor, flux_of_a_wave)
{
    static const double size[3] = {1e-3, 1.3e-3, 0.8e-3};
    for (along = 0; along < 3; along++) {
        double lo[3] = {0, 2.6e-3, 1.6e-3}, hi[3] = {4e-3, 6.5e-3, 4e-3};
        const double area = (hi[(along + 1) % 3] - lo[(along + 1) % 3]) * (hi[(along + 2) % 3] - lo[(along + 2) % 3]);
        growth = 0;
        open_domain(0);
        setup.wave = &(struct monitor_wave){waveform, NULL}, setup.nwaves = 1, setup.amplitude = 3;
        hi[along] = lo[along];
        monitor_put(0, "plane", lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
        make_monitors();
        cr_assert_eq(monitors->part[0].normal, along);
        run(&st.host, wave, STEPS, 20, 0, NY, 4, 2);
        const struct result_variable *v;
        double *const flux = values_of(result_of("flux.nc"), "flux", &v), *const power = values_of(result_of("flux.nc"),
                                                                                                   "power", &v);
        for (int f = 0; f < 3; f++) {
            const double frequency = monitors->frequency[f], e = pulse_spectrum(frequency);
            const double unit = 0.5 / em_eta0 * area * cos(pi * frequency * size[along] / em_c);
            cr_expect(fabs(flux[f] - unit * e * e) < 4 * accuracy * unit * e * e, "axis %d, %g Hz: %.9g, not %.9g",
                      along, frequency, flux[f], unit * e * e);
            cr_expect(fabs(power[f] - unit / 36) < 4 * accuracy * unit / 36, "axis %d, %g Hz: %.9g W, not %.9g", along,
                      frequency, power[f], unit / 36);
        }
        free(flux);
        free(power);
        close_domain();
    }
}

/* A wave that grows by its own: what leaves minus what enters. */
Test(monitor, flux_out_of_a_closed_box)
{
    static const double size[3] = {1e-3, 1.3e-3, 0.8e-3};
    for (along = 0; along < 3; along++) {
        const double lo[3] = {0, 2.6e-3, 1.6e-3}, hi[3] = {4e-3, 6.5e-3, 4e-3};
        const double area = (hi[(along + 1) % 3] - lo[(along + 1) % 3]) * (hi[(along + 2) % 3] - lo[(along + 2) % 3]);
        growth = 100;
        open_domain(0);
        setup.wave = &(struct monitor_wave){waveform, NULL}, setup.nwaves = 1, setup.amplitude = 3;
        setup.incident = 3, setup.impedance = 0.7 * em_eta0;
        monitor_put(1, "box", lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
        monitor_put(0, "plane", lo[0], hi[0], lo[1], hi[1], lo[2], lo[2]);
        make_monitors();
        cr_assert_eq(monitors->nparts, 7);
        run(&st.host, wave, STEPS, 20, 0, NY, 4, 2);
        const struct result_variable *v;
        double *const flux = values_of(result_of("flux.nc"), "flux", &v), *const section =
                                                                              values_of(result_of("flux.nc"),
                                                                                        "cross_section", &v);
        for (int f = 0; f < 3; f++) {
            const double frequency = monitors->frequency[f], e = pulse_spectrum(frequency);
            const double unit = 0.5 / em_eta0 * area * e * e * cos(pi * frequency * size[along] / em_c);
            const double want = unit * growth * (hi[along] - lo[along]);
            cr_expect(fabs(flux[2 * f] - want) < 10 * accuracy * unit, "axis %d, %g Hz: %.9g, not %.9g", along,
                      frequency, flux[2 * f], want);
            const double of_wave = flux[2 * f] / (36 * e * e) * 1.4 * em_eta0;
            cr_expect(fabs(section[2 * f] - of_wave) < 10 * accuracy * fabs(of_wave), "%g m2, not %g", section[2 * f],
                      of_wave);
            cr_expect_eq(section[2 * f + 1], RESULT_NONE, "a plane has none");
        }
        free(flux);
        free(section);
        close_domain();
    }
}

/* ---- round-off --------------------------------------------------------------------------------------------------- */

/* The formulas of monitor_noise.h at numbers that are seen through: a = 4, b = 2: of 4 samples of 1. */
Test(monitor, formulas_of_round_off)
{
    const double u = sizeof(real) == 8 ? 0x1p-53 : 0x1p-24;
    cr_expect_float_eq(monitor_round_off(4, 4, 0, 0) / u, 16, 1e-12, "2 a + a^2 / b");
    cr_expect_float_eq(monitor_round_off(4, 4, 900, 0) / u, 16 + 60, 1e-12, "and sqrt(n) b");
    cr_expect_float_eq(monitor_round_off(4, 4, 0, 100) - 16 * u, 800 * 0x1p-53, 1e-12 * u, "and 2 p a in double");
    cr_expect_float_eq(monitor_round_off(8, 16, 900, 100) / monitor_round_off(4, 4, 900, 100), 2, 1e-12,
                       "twice the waveform, twice the round-off");
    cr_expect_eq(monitor_round_off(0, 0, 900, 100), 0);
    /* Of uniform fields E = 5, H = 7 over 3 m2 the flux is off by 1/2 (de H + dh E + de dh) A. */
    cr_expect_float_eq(monitor_flux_round_off(3, 25 * 3, 49 * 3, 0.01, 0.02), 1.5 * (0.01 * 7 + 0.02 * 5 + 0.01 * 0.02),
                       1e-14);
    cr_expect_float_eq(monitor_flux_round_off(3, 0, 0, 0.01, 0.02), 1.5 * 0.01 * 0.02, 1e-15);
    /* (1 + q)^2 - 1 = 1/5 */
    cr_expect(monitor_is_worth(sqrt(1.2) - 1 - 1e-6) && !monitor_is_worth(sqrt(1.2) - 1 + 1e-6) &&
              !monitor_is_worth(HUGE_VAL));
}

/* Sums of E and H against a transform of the same samples in double, with phases of its own: they differ by round-off
 * alone, which is no more than what is said of it, and, so that this says something, no less than a thousandth.
 * Frequencies in and far outside the band. */
Test(monitor, sums_are_off_by_round_off)
{
    enum { FREQUENCIES = 24 };
    open_domain(0);
    for (int f = 0; f < FREQUENCIES; f++) params->spectrum_frequencies[f] = (f + 0.5) * 2e9;
    setup.listed = FREQUENCIES, setup.staggered = 1;
    monitor_put(2, "all", -1e9, 1e9, -1e9, 1e9, -1e9, 1e9);
    make_monitors();
    along = AX, growth = 0;
    run(&st.host, wave, STEPS, 40, 0, NY, NX, NZ);
    const struct result *const r = result_of("dft_all.nc");
    const struct result_variable *v;
    for (int h = 0; h < 2; h++) { /* Ey at its nodes of x, Hz at centres */
        double *const re = values_of(r, h ? "Hz_re" : "Ey_re", &v), *const im = values_of(r, h ? "Hz_im" : "Ey_im", &v);
        const struct result_axis *const x = &r->axis[v->dim[3]];
        const int lines = r->axis[v->dim[1]].n * r->axis[v->dim[2]].n;
        double most = 0, bound = 0;
        for (int f = 0; f < FREQUENCIES; f++)
            for (int i = 0; i < x->n; i++) {
                double sum[2] = {0}, a = 0, b2 = 0;
                for (int n = 0; n < STEPS; n += monitors->every) {
                    const double t = (n + (h ? 0.5 : 1)) * dt,
                                 value = pulse(t - x->value[i] / em_c) / (h ? em_eta0 : 1);
                    sum[0] += value * cos(2 * pi * (f + 0.5) * 2e9 * t),
                        sum[1] -= value * sin(2 * pi * (f + 0.5) * 2e9 * t);
                    a += fabs(value), b2 += value * value;
                }
                bound = fmax(bound, monitor_round_off(a, b2, 0, 2 * pi * FREQUENCIES * 2e9 * STEPS * dt) *
                                        monitors->dt_sample);
                const ptrdiff_t at = (ptrdiff_t)f * lines * x->n + i;
                most = fmax(most, hypot(re[at] - sum[0] * monitors->dt_sample, im[at] - sum[1] * monitors->dt_sample));
            }
        cr_expect(most < bound && most > bound / 1000, "%c is off by %g, %g are said", h ? 'H' : 'E', most, bound);
        free(re);
        free(im);
    }
    close_domain();
}

static const double far_off[4] = {9e9, 13e9, 30e9,
                                  47e9}; /* of a carrier of 10 GHz, 5.3 GHz to both sides where it is half */

static void far_off_open(double (*of)(const void *, double))
{
    static struct monitor_wave driver;
    driver = (struct monitor_wave){of, NULL};
    open_domain(0);
    memcpy(params->spectrum_frequencies, far_off, sizeof far_off);
    setup.listed = 4;
    setup.wave = &driver, setup.nwaves = 1, setup.amplitude = 1;
    monitor_put(0, "plane", 1e-3, 1e-3, -1e9, 1e9, -1e9, 1e9);
    make_monitors();
}

/* Of the waveform, from its samples: sums, and what round-off may be. */
static double wave_of(double f, long steps, double *off)
{
    double sum[2] = {0}, a = 0, b = 0;
    for (long n = 0; n < steps; n += monitors->every) {
        const double t = (double)(n + 1) * dt, value = waveform(NULL, t);
        sum[0] += value * cos(2 * pi * f * t), sum[1] += value * sin(2 * pi * f * t);
        a += fabs(value), b += value * value;
    }
    b = sqrt(b);
    *off = (sizeof(real) == 8 ? 0x1p-53 : 0x1p-24) * (2 * a + a * a / b + sqrt((double)steps) * b) +
           0x1p-53 * 2 * 2 * pi * far_off[3] * (double)steps * dt * a;
    return hypot(sum[0], sum[1]);
}

/* Where the source has nothing there is no power to speak of; where it has little there is, and it is right. */
Test(monitor, power_is_left_out_where_the_source_has_none)
{
    const double area = 7 * 1.3e-3 * 8 * 0.8e-3; /* of a wave of amplitude 1, half of the source's */
    int left_out = 0;
    along = AX, growth = 0;
    far_off_open(waveform);
    run(&st.host, wave, STEPS, 20, 0, NY, NX, NZ);
    const struct result_variable *v;
    double *power = values_of(result_of("flux.nc"), "power", &v);
    double off, first = 0, last = 0;
    for (int f = 0; f < 4; f++) {
        const double is = wave_of(far_off[f], STEPS, &off),
                     want = 0.125 / em_eta0 * area * cos(pi * far_off[f] * 1e-3 / em_c);
        const int none = (1 + off / is) * (1 + off / is) - 1 > 0.2;
        left_out += none;
        if (none)
            cr_expect_eq(power[f], RESULT_NONE, "%g Hz: %g W, of a waveform of %g that is off by %g", far_off[f],
                         power[f], is, off);
        else cr_expect_float_eq(power[f] / want, 1, 0.2, "%g Hz: %g W, not %g", far_off[f], power[f], want);
    }
    cr_expect_eq(left_out, sizeof(real) == 8 ? 0 : 1);
    cr_expect_eq(monitors_beyond(monitors, STEPS, STEPS * dt, &first, &last), left_out,
                 "what is foreseen is what comes");
    if (left_out) cr_expect(first >= 47e9 && last >= 47e9);
    free(power);
    cr_expect_eq(monitors_beyond(monitors, STEPS, 0, &first, &last), 4, "what is over at 0 has nothing");
    power = values_of(result_of("flux.nc"), "power",
                      &v); /* and whoever said so is believed, when a run ends while its source works */
    for (int f = 0; f < 4; f++) cr_expect_eq(power[f], RESULT_NONE);
    free(power);
    close_domain();
}

/* From the definition: fields of the band are off by the share of the waveform, those of a plane wave by its own. */
Test(monitor, round_off_of_a_flux)
{
    const double area = 7 * 1.3e-3 * 8 * 0.8e-3;
    along = AX, growth = 0;
    for (int incident = 0; incident < 2; incident++) {
        far_off_open(waveform);
        monitors->incident = incident ? 50 : 0, monitors->impedance = 100;
        run(&st.host, wave, STEPS, 20, 0, NY, NX, NZ);
        const struct result_variable *v;
        double *const flux = values_of(result_of("flux.nc"), "flux", &v), *const said = values_of(result_of("flux.nc"),
                                                                                                  "flux_round_off", &v);
        cr_expect_float_eq(monitors->part[0].area, area, 1e-12 * area);
        double e[4], h[4], de = 0, dh = 0, off;
        for (int f = 0; f < 4; f++) {
            const double is = wave_of(far_off[f], STEPS, &off);
            e[f] = sqrt(2 * em_eta0 * fabs(flux[f]) / area / cos(pi * far_off[f] * 1e-3 / em_c));
            h[f] = e[f] / em_eta0 * cos(pi * far_off[f] * 1e-3 / em_c); /* between its places */
            if ((1 + off / is) * (1 + off / is) - 1 > 0.2) continue;
            de = fmax(de, e[f] * off / is), dh = fmax(dh, h[f] * off / is);
        }
        if (incident) de = off * 50 * monitors->dt_sample, dh = de / 100; /* much more than the wave that is there */
        for (int f = 0; f < 3; f++) {
            const double want = 0.5 * area * (de * h[f] + dh * e[f] + de * dh);
            cr_expect_float_eq(said[f] / want, 1, 1e-3, "%g Hz: %g, not %g", far_off[f], said[f], want);
        }
        free(flux);
        free(said);
        close_domain();
    }
}

/* A source that never worked leaves nothing to divide by. */
static double silent(const void *source, double t)
{
    (void)source, (void)t;
    return 0;
}

/* Of a closed box all sides count; and of two waveforms the one that has most, whichever comes last. */
Test(monitor, round_off_of_a_box_with_two_sources)
{
    static const struct monitor_wave driver[2] = {{waveform, NULL}, {silent, NULL}};
    along = AX, growth = 0;
    open_domain(0);
    memcpy(params->spectrum_frequencies, far_off, sizeof far_off);
    setup.listed = 4, setup.wave = driver, setup.nwaves = 2, setup.amplitude = 1;
    monitor_put(1, "box", 0, 4e-3, 2.6e-3, 6.5e-3, 1.6e-3, 4e-3);
    make_monitors();
    double off, first, last;
    wave_of(far_off[0], STEPS, &off);
    cr_expect(monitors_beyond(monitors, STEPS, STEPS * dt, &first, &last) <= 1, "the second source has nothing");
    monitors->incident = 1e25, monitors->impedance = 100; /* so much that the fields themselves count for nothing */
    run(&st.host, wave, STEPS, 20, 0, NY, NX, NZ);
    const struct result_variable *v;
    double *const said = values_of(result_of("flux.nc"), "flux_round_off", &v);
    const double area = 2e-6 * (4 * 3.9 + 3.9 * 2.4 + 2.4 * 4), de = off * 1e25 * monitors->dt_sample;
    cr_expect_float_eq(said[0] / (0.5 * area * de * de / 100), 1, 1e-3, "%g of %g", said[0],
                       0.5 * area * de * de / 100);
    free(said);
    close_domain();
}

Test(monitor, nothing_is_said_without_a_source)
{
    along = AX, growth = 0;
    far_off_open(silent);
    run(&st.host, wave, 40, 20, 0, NY, NX, NZ);
    const struct result_variable *v;
    double *const power = values_of(result_of("flux.nc"), "power", &v), *const off = values_of(result_of("flux.nc"),
                                                                                               "flux_round_off", &v);
    for (int f = 0; f < 4; f++) cr_expect(power[f] >= RESULT_NONE && off[f] >= RESULT_NONE);
    free(power);
    free(off);
    close_domain();
}

/* ---- planes on graded grids -------------------------------------------------------------------------------------- */

/* Linear fields: midpoints, trapezia and the interpolation of H are exact for them on any grid. Steady in time. */
static double linear(int c, const double at[3], double t)
{
    (void)t;
    const int u = (along + 1) % 3, v = (along + 2) % 3;
    if (c == u) return 1 + 200 * at[u] - 150 * at[v];
    if (c == v) return 2 - 100 * at[u] + 250 * at[v];
    if (c == 3 + v) return 3 + 400 * at[along];
    if (c == 3 + u) return -1 + 300 * at[along];
    return 1e9; /* along the normal: not looked at */
}

static double edge(int axis, int m)
{
    return axis == AX ? grid_x(&grid, m, 1) : axis == AY ? grid_y(&grid, m, 1) : grid_z(&grid, m, 1);
}

Test(monitor, planes_of_every_orientation_on_a_graded_grid)
{
    for (along = 0; along < 3; along++) {
        const int u = (along + 1) % 3, v = (along + 2) % 3, cells[3] = {NX, NY, NZ};
        open_domain(1);
        double lo[3], hi[3];
        for (int a = 0; a < 3; a++) lo[a] = edge(a, 2), hi[a] = edge(a, a == along ? 2 : cells[a] - 1);
        params->spectrum_frequencies[0] = 0; /* phases are 1 */
        setup.listed = 1;
        params->spectrum_every = 1;
        monitor_put(0, "plane", lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
        make_monitors();
        run(&st.host, linear, 1, 1, 0, NY, 5, 5);
        const double middle[3] = {0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), 0.5 * (lo[2] + hi[2])};
        const double area = (hi[u] - lo[u]) * (hi[v] - lo[v]) * dt * dt;
        const double want =
            0.5 * area *
            (linear(u, middle, 0) * linear(3 + v, middle, 0) - linear(v, middle, 0) * linear(3 + u, middle, 0));
        const struct result_variable *variable;
        double *const flux = values_of(result_of("flux.nc"), "flux", &variable);
        cr_expect(fabs(flux[0] - want) < 10 * accuracy * fabs(want), "axis %d: %.9g, not %.9g", along, flux[0], want);
        free(flux);
        close_domain();
    }
}

static double even(int c, const double at[3], double t)
{
    (void)at, (void)t;
    return c == (along + 1) % 3 ? 2 : c == 3 + (along + 2) % 3 ? 3 : 0;
}

/* A plane over the whole of a periodic domain: its seam counts once. */
Test(monitor, whole_planes_of_a_periodic_domain)
{
    for (along = 0; along < 3; along++) {
        open_domain(1);
        const int u = (along + 1) % 3, v = (along + 2) % 3, cells[3] = {NX, NY, NZ};
        for (int a = 0; a < 3; a++) setup.periodic[a] = 1;
        double lo[3] = {-1e9, -1e9, -1e9}, hi[3] = {1e9, 1e9, 1e9};
        lo[along] = hi[along] = edge(along, 3);
        params->spectrum_frequencies[0] = 0;
        setup.listed = 1;
        params->spectrum_every = 1;
        monitor_put(0, "plane", lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
        make_monitors();
        run(&st.host, even, 1, 1, 0, NY, 5, 5);
        const double area = (edge(u, cells[u]) - edge(u, 0)) * (edge(v, cells[v]) - edge(v, 0)),
                     want = 0.5 * area * 6 * dt * dt;
        const struct result_variable *variable;
        double *const flux = values_of(result_of("flux.nc"), "flux", &variable);
        cr_expect(fabs(flux[0] - want) < accuracy * want, "axis %d: %.9g, not %.9g", along, flux[0], want);
        free(flux);
        close_domain();
    }
}

/* Halves of a periodic plane, the seam being a rim of one of them on either side: they add up to the whole. */
Test(monitor, planes_that_end_at_a_periodic_seam)
{
    static const char *const name[] = {"low-low", "low-high", "high-low", "high-high"};
    for (along = 0; along < 3; along++) {
        open_domain(1);
        const int u = (along + 1) % 3, v = (along + 2) % 3, cells[3] = {NX, NY, NZ};
        for (int a = 0; a < 3; a++) setup.periodic[a] = 1;
        params->spectrum_frequencies[0] = 0;
        setup.listed = 1;
        params->spectrum_every = 1;
        for (int q = 0; q < 4; q++) {
            double lo[3] = {-1e9, -1e9, -1e9}, hi[3] = {1e9, 1e9, 1e9};
            lo[along] = hi[along] = edge(along, 3);
            *(q / 2 ? &lo[u] : &hi[u]) = edge(u, 4);
            *(q % 2 ? &lo[v] : &hi[v]) = edge(v, 4);
            monitor_put(0, name[q], lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
        }
        make_monitors();
        run(&st.host, even, 1, 1, 0, NY, 5, 5);
        const struct result_variable *variable;
        double *const flux = values_of(result_of("flux.nc"), "flux", &variable);
        for (int q = 0; q < 4; q++) {
            const double wide = q / 2 ? edge(u, cells[u]) - edge(u, 4) : edge(u, 4) - edge(u, 0);
            const double high = q % 2 ? edge(v, cells[v]) - edge(v, 4) : edge(v, 4) - edge(v, 0),
                         want = 0.5 * wide * high * 6 * dt * dt;
            cr_expect(fabs(flux[q] - want) < accuracy * want, "axis %d, %s: %.9g, not %.9g", along, name[q], flux[q],
                      want);
        }
        free(flux);
        close_domain();
    }
}

Test(monitor, frequency_zero_is_sampled_every_step)
{
    cr_expect_eq(monitors_every(0, dt), 1);
    cr_expect_eq(monitors_every(1e-6, dt), 1000000);
    open_domain(0);
    params->spectrum_frequencies[0] = 0;
    setup.listed = 1, setup.highest = 0;
    monitor_put(2, "steady", -1e9, 1e9, -1e9, 1e9, -1e9, 1e9);
    make_monitors();
    cr_expect_eq(monitors->every, 1);
    close_domain();
}

static long looked_at;
static double counted(const void *source, double t)
{
    looked_at++;
    return waveform(source, t);
}

/* `power` after outputs at these steps; how often it looked at the waveform. */
static double *power_after(const long *output, int outputs, long *looks)
{
    const struct result_variable *v;
    double *power = NULL;
    open_domain(0);
    setup.wave = &(struct monitor_wave){counted, NULL}, setup.nwaves = 1, setup.amplitude = 1;
    monitor_put(0, "plane", 0, 0, -1e9, 1e9, -1e9, 1e9);
    make_monitors();
    run(&st.host, wave, STEPS, 20, 0, NY, 4, 2);
    looked_at = 0;
    for (int n = 0; n < outputs; n++) {
        st.step = output[n];
        free(power);
        power = values_of(result_of("flux.nc"), "power", &v);
    }
    *looks = looked_at;
    close_domain();
    return power;
}

/* Every output goes on from the last, and the bits are those of a single one, as after a restart. */
Test(monitor, power_looks_at_every_sample_once)
{
    long looks[2];
    along = AX, growth = 0;
    double *const once = power_after((const long[]){STEPS}, 1, &looks[0]);
    double *const often = power_after((const long[]){3, 10, 11, 57, 300, 300, STEPS}, 7, &looks[1]);
    cr_expect_eq(looks[0], STEPS / 10);
    cr_expect_eq(looks[1], STEPS / 10, "%ld looks", looks[1]);
    cr_expect_arr_eq(once, often, 3 * sizeof *once);
    cr_expect(once[0] > 0);
    free(once);
    free(often);
}

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

/* Every place, component and time has its own number. */
static double scattered(int c, const double at[3], double t)
{
    return sin(1e5 * at[0] + 3e5 * at[1] * at[1] + 7e4 * at[2] + c) * (1 + sin(1e11 * t + 2e3 * at[0]));
}

static void cut_compare(const int *rows, int pieces, int pass, int i, int k)
{
    for (int p = 0; p < pieces; p++) {
        struct storage part;
        rows_open(&part, rows[p], rows[p + 1]);
        run(&part, scattered, 60, pass, rows[p], rows[p + 1], i, k);
        for (int n = 0; n < monitors->nparts; n++) {
            const struct form form = {.shape = SHAPE_BOX, .box = monitors->part[n].box};
            int ja = rows[p], jb = rows[p + 1];
            if (!form_rows(&form, NY, &ja, &jb)) continue;
            for (int j = SF_MAX(ja, form.box.j0); j < SF_MIN(jb, form.box.j1); j++)
                cr_assert(!memcmp(storage_row(&part.s, &part.lay, &form, F_SUMS + n, j),
                                  storage_row(&st.host.s, &st.host.lay, &form, F_SUMS + n, j),
                                  layout_row_bytes(&part.lay, &form)),
                          "%s row %d differs: rows from %d to %d, passes of %d, cut at column %d and level %d",
                          monitors->part[n].name, j, rows[p], rows[p + 1], pass, i, k);
        }
        storage_free(&part);
    }
}

/* So many frequencies, of which the first three are always the same. */
static void frequencies_set(int n)
{
    for (int f = 3; f < n; f++) params->spectrum_frequencies[f] = 15e9 + 0.3e9 * f;
    setup.listed = n;
}

static void cuts_agree(int frequencies)
{
    open_domain(1);
    frequencies_set(frequencies);
    params->spectrum_every = 3;
    setup.highest = 0;
    monitor_put(2, "fields", -1e9, 1e9, 2e-3, 1e9, 1e-3, 5e-3);
    monitor_put(1, "box", 0, 4e-3, 2e-3, 6e-3, 2e-3, 5e-3);
    monitor_put(2, "west-east", 1e-3, 1e-3, -1e9, 1e9, -1e9, 1e9);
    make_monitors();
    run(&st.host, scattered, 60, 60, 0, NY, NX, NZ);
    cut_compare((const int[]){0, NY}, 1, 60, 4, 3);
    cut_compare((const int[]){0, 1, 2, 3, 4, 5, 6, NY}, 7, 7, NX, NZ);
    cut_compare((const int[]){0, 4, NY}, 2, 1, 1, 7);
    close_domain();
}

Test(monitor, bits_do_not_depend_on_the_cut)
{
    cuts_agree(3);
    cuts_agree(30);
}

/* ---- samples that wait ------------------------------------------------------------------------------------------- */

/* A result after so many steps, with so many frequencies. */
static double *result_after(int frequencies, int steps, int pass, const char *file, const char *name, int together)
{
    const struct result_variable *v;
    open_domain(1);
    frequencies_set(frequencies);
    params->spectrum_every = 3;
    setup.highest = 0;
    monitor_put(2, "fields", -1e9, 1e9, 2e-3, 1e9, 1e-3, 5e-3);
    monitor_put(1, "box", 0, 4e-3, 2e-3, 6e-3, 2e-3, 5e-3);
    make_monitors();
    cr_assert_eq(monitors->together, together, "%d samples of %d frequencies", monitors->together, frequencies);
    free(values_of(result_of(file), name, &v)); /* as a run writes them at its start */
    run(&st.host, scattered, steps, pass, 0, NY, NX, NZ);
    /* What a device begins while results are made of a copy. */
    double time[5];
    for (int m = 0; m < 5; m++) time[m] = (steps + m) * dt;
    cr_assert_eq(monitors_prepare(monitors, steps, 5, time, dt), SF_OK);
    double *const value = values_of(result_of(file), name, &v);
    close_domain();
    return value;
}

/* Of eight frequencies and more several samples are added in one visit of the sums, and until then they wait. Results
 * have them all the same: of the three frequencies that are always there, those of three alone, bit for bit, wherever
 * the run ends. Values come by frequency, so these are the first. */
Test(monitor, samples_that_wait_count)
{
    static const int frequencies[] = {8, 17, 30}, together[] = {2, 3, 4};
    static const struct {
        const char *file, *name;
        int values; /* of a frequency, that are compared */
    } of[] = {{"flux.nc", "flux", 1}, {"dft_fields.nc", "Ex_re", 100}, {"dft_fields.nc", "Hy_im", 100}};
    for (int r = 0; r < 3; r++)
        for (int steps = 1; steps <= 27; steps += 2) {
            double *const want = result_after(3, steps, steps, of[r].file, of[r].name, 1);
            cr_assert(want[0] < 0 || want[0] > 0);
            for (int n = 0; n < 3; n++) {
                double *const got =
                    result_after(frequencies[n], steps, 1 + steps % 5, of[r].file, of[r].name, together[n]);
                cr_assert(!memcmp(got, want, 3 * (size_t)of[r].values * sizeof *got),
                          "%s after %d steps, %d frequencies", of[r].name, steps, frequencies[n]);
                free(got);
            }
            free(want);
        }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void refused(const char *why)
{
    cr_assert_eq(monitors_make(&monitors, &setup), SF_NAMELIST, "accepted, in place of: %s", why);
    cr_expect(strstr(sf_error_text(), why), "'%s' lacks '%s'", sf_error_text(), why);
    cr_expect_null(monitors);
    sf_error_clear();
    setup.given = 0;
}

Test(monitor, wrong_ones_are_refused)
{
    open_domain(0);
    monitor_put(0, "", 0, 0, -1e9, 1e9, -1e9, 1e9);
    refused("name");
    monitor_put(0, "a b", 0, 0, -1e9, 1e9, -1e9, 1e9);
    refused("letters");
    monitor_put(0, "one", 0, 0, -1e9, 1e9, -1e9, 1e9);
    monitor_put(0, "One", 1e-3, 1e-3, -1e9, 1e9, -1e9, 1e9);
    refused("twice");
    monitor_put(0, "plane", 0, 1e-3, -1e9, 1e9, -1e9, 1e9);
    refused("same two ends");
    monitor_put(0, "plane", 0, 0, 0, 0, -1e9, 1e9);
    refused("same two ends");
    monitor_put(0, "plane", 0.5, 0.5, -1e9, 1e9, -1e9, 1e9);
    refused("outside");
    monitor_put(0, "plane", -2e-3, -2e-3, -1e9, 1e9, -1e9, 1e9);
    refused("side of the domain");
    monitor_put(0, "plane", 0, 0, 1e-3, 1.1e-3, -1e9, 1e9);
    refused("no cell");
    monitor_put(2, "box", 1e-3, 0, -1e9, 1e9, -1e9, 1e9);
    refused("ends before");
    monitor_put(1, "box", -1e9, 1e9, -1e9, 1e9, -1e9, 1e9);
    refused("no side of it");
    setup.room = 5;
    monitor_put(1, "box", 0, 3e-3, 2e-3, 5e-3, 2e-3, 4e-3);
    refused("room");
    setup.room = 60;
    params->spectrum_every = 26; /* 20 GHz needs 25 steps of 1 ps or fewer */
    monitor_put(0, "plane", 0, 0, -1e9, 1e9, -1e9, 1e9);
    refused("too seldom");
    params->spectrum_every = 0;
    setup.listed = 0;
    monitor_put(0, "plane", 0, 0, -1e9, 1e9, -1e9, 1e9);
    refused("frequencies");
    setup.given = 0;
    cr_expect_eq(monitors_make(&monitors, &setup), SF_OK);
    cr_expect_null(monitors, "no monitors, no frequencies needed");
    setup.listed = 3;
    for (int m = 0; m < 2; m++) { /* the conductor's side of the domain lets nothing pass */
        setup.given = 0;
        setup.periodic[AZ] = m;
        monitor_put(1, "box", 0, 3e-3, 2e-3, 5e-3, -1e9, 3e-3);
        if (m) refused("periodic");
        else cr_expect_eq(monitors_make(&monitors, &setup), SF_OK);
        if (!m) cr_expect_eq(monitors->nparts, 5);
        monitors_free(&monitors);
    }
    grid_free(&grid);
    free(params);
}
