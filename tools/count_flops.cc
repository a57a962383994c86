/* Counts the arithmetic of the weather model's formulas: the formula headers themselves, computed with a type of number
 * that counts. C cannot give + a meaning, so this one tool is C++.
 *
 *   count_flops            a table
 *   count_flops --header   src/dynamics/flops.h
 *   count_flops --functions src/pipeline/sfmath_flops.h
 *
 * As written: what two tendencies share is counted in both, and a compiler that keeps it does less. Flop: + - * / and
 * square roots one each, a fused multiply-add two. Instructions: a fused multiply-add one, a comparison one. Changes of
 * sign ride on other instructions; choosing by a comparison and taking a magnitude are not arithmetic.
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>

#include <cstdio>
#include <cstring>

struct counts {
    long adds, muls, divs, fmas, compares;
    long flops() const { return adds + muls + divs + 2 * fmas; }
    long instructions() const { return adds + muls + divs + fmas + compares; }
};

static counts now;

struct number {
    double v;
    number(double x = 0) : v(x) {}
    number(const number &) = default;
    number(const volatile number &x) : v(x.v) {}
    number &operator=(const number &) = default;
    explicit operator int() const { return static_cast<int>(v); }
};

static number operator+(number a, number b) { return now.adds++, number(a.v + b.v); }
static number operator-(number a, number b) { return now.adds++, number(a.v - b.v); }
static number operator*(number a, number b) { return now.muls++, number(a.v * b.v); }
static number operator/(number a, number b) { return now.divs++, number(a.v / b.v); }
static number operator-(number a) { return number(-a.v); }
static bool operator>(number a, number b) { return now.compares++, a.v > b.v; }
static bool operator<(number a, number b) { return now.compares++, a.v < b.v; }
static bool operator>=(number a, number b) { return now.compares++, a.v >= b.v; }
static bool operator==(number a, number b) { return now.compares++, a.v == b.v; }
static number number_fma(number a, number b, number c) { return now.fmas++, number(a.v * b.v + c.v); }
static number number_root(number a) { return now.divs++, number(__builtin_sqrt(a.v)); }
static number number_abs(number x) { return number(x.v < 0 ? -x.v : x.v); }

/* From here on the formulas, and the functions that they call, compute with it. */
/* Their way through the bits of a number is not arithmetic. */
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#define float number
#define double number
#define __builtin_fma(a, b, c) number_fma(a, b, c)
#define __builtin_fmaf(a, b, c) number_fma(a, b, c)
#define __builtin_sqrt(a) number_root(a)
#define __builtin_sqrtf(a) number_root(a)
#define __builtin_fabs(a) number_abs(a)
#define __builtin_fabsf(a) number_abs(a)
#include "pipeline/sferic.h"
#define sf_audible(x) (now.compares++, number(x))
#define sf_reciprocal(x) (number(1) / (x))
#include "dynamics/advmix.h"
#include "dynamics/advmix_wide.h"
#include "dynamics/driver.h"
#include "dynamics/forcing.h"
#include "dynamics/open.h"
#include "dynamics/outflow.h"
#include "dynamics/slow.h"
#include "dynamics/smallstep.h"
#include "dynamics/surface.h"
#include "dynamics/terrain.h"
#include "dynamics/transport.h"
#include "dynamics/turbulence.h"
#include "dynamics/water.h"
#undef float
#undef double

namespace {

struct entry {
    char name[24], what[80];
    counts n;
};

entry table[64];
int entries;

struct star some_star()
{
    const line5 l = {0.3, 0.7, 1.9, 0.4, 1.1};
    return star{l, l, l};
}

counts taken()
{
    const counts n = now;
    now = counts();
    return n;
}

counts sum(counts a, counts b)
{
    return {a.adds + b.adds, a.muls + b.muls, a.divs + b.divs, a.fmas + b.fmas, a.compares + b.compares};
}

void add(const char *name, const char *what, counts n)
{
    entry &e = table[entries++];
    std::snprintf(e.name, sizeof e.name, "%s", name);
    std::snprintf(e.what, sizeof e.what, "%s", what);
    e.n = n;
}

/* The five tendencies and their sum. */
void tendencies(int kind, const char *word, const char *Word)
{
    const line4 four = {0.1, 0.2, 0.3, 0.4};
    const pairs p = {four, four};
    const line5 base = {0.1, 0.1, 0.1, 0.1, 0.1};
    const number n = 0.5;
    const weights m = {n, n, n, n, n, n, n, n, n, n, four};
    const char *const field[] = {"U", "V", "W", "PI", "THETA"};
    counts each[5], all = counts();
    taken();
    u_tendency(kind, some_star(), p, p, base, m), each[0] = taken();
    v_tendency(kind, some_star(), p, p, base, m), each[1] = taken();
    w_tendency(kind, some_star(), p, p, m, n, n, n, n), each[2] = taken();
    scalar_advection(some_star(), n, n, n, n, n, n, n, n, n, n, n, n, m), each[3] = taken();
    theta_tendency(kind, some_star(), n, n, n, n, n, n, m, n, n), each[4] = taken();
    char name[24], what[80];
    for (int f = 0; f < 5; f++) {
        std::snprintf(name, sizeof name, "%s_%s", field[f], Word);
        std::snprintf(what, sizeof what, "tendency of %s, mixing %s", field[f], word);
        for (char *c = what; *c; c++)
            if (*c >= 'A' && *c <= 'Z') *c = char(*c - 'A' + 'a');
        add(name, what, each[f]);
        all = sum(all, each[f]);
    }
    std::snprintf(name, sizeof name, "ADVMIX_%s", Word);
    std::snprintf(what, sizeof what, "all five, mixing %s", word);
    add(name, what, all);
}

/* The same with lines of seven points. */
void tendencies_wide(int kind, const char *word, const char *Word)
{
    const line7 l = {0.2, 0.3, 0.7, 1.9, 0.4, 1.1, 0.6};
    const line4 four = {0.1, 0.2, 0.3, 0.4};
    const line5 base = {0.1, 0.1, 0.1, 0.1, 0.1};
    const number n = 0.5;
    const weights m = {n, n, n, n, n, n, n, n, n, n, four};
    taken();
    axis6_self(n, n), axis6_faces(n, n), axis6_faces(n, n);
    const counts of_level = taken(); /* the weights are the same for a whole level */
    counts all = counts();
    const auto one = [&] {
        counts c = taken();
        c.muls -= of_level.muls, c.divs -= of_level.divs;
        all = sum(all, c);
        return c;
    };
    const auto pair = [&] { return n + n; }; /* the sum of two winds */
    u_tendency_wide(kind, l, l, l, pair(), pair(), pair(), pair(), base, m), one();
    v_tendency_wide(kind, l, l, l, pair(), pair(), pair(), pair(), base, m), one();
    w_tendency_wide(kind, l, l, l, pair(), pair(), pair(), pair(), m, n, n, n, n), one();
    pi_tendency_wide(l, l, l, n, n, n, n, n, n, m), one();
    theta_tendency_wide(kind, l, l, l, n, n, n, n, n, n, m, n, n), one();
    char name[24], what[80];
    std::snprintf(name, sizeof name, "ADVMIX_%s", Word);
    std::snprintf(what, sizeof what, "all five, %s, mixing fourth", word);
    add(name, what, all);
}

/* Of a tracer; what its members share, products with the wind, is not counted. A face is computed once for both cells;
 * A through one along z twice. */
void tracers()
{
    const line6 l = {0.2, 0.3, 0.7, 1.9, 0.4, 1.1};
    const number n = 0.5;
    const face_flux one = {0.1, 0.2};
    const faces two = {one, one};
    const pair m = {0.1, -0.2};
    const pairs_around six = {m, m, m};
    const mix_weights mix = {n, n, m};
    const line3 three = {0.1, 0.2, 0.3};
    const lines3 cross = {three, three, three};
    taken();
    for (int axis = 0; axis < 3; axis++) face_of(MIX_FOURTH, n, l);
    const counts of_faces = taken();
    tracer_carried(MIX_FOURTH, n, n, {two, two, two}, six, mix);
    add("TRACER_STAGE", "a tracer in the first and second stage, mixing fourth", sum(of_faces, taken()));
    for (int axis = 0; axis < 3; axis++) face_beyond(one, n, n, n);
    for (int flux = 0; flux < 4; flux++) flux_added(MIX_FOURTH, n, n, one);
    const limited x = tracer_limited(cross, n, six, six);
    tracer_share(x), tracer_whole(x);
    add("TRACER_SHARE", "the last stage and its factors", sum(of_faces, taken()));
}

void small_steps()
{
    const number n = 0.5;
    taken();
    for (int wind = 0; wind < 2; wind++) wind_step(n, n, n, n, n, n, n, n, n);
    add("UV", "small step of u and v", taken());
    const number div = divergence(n, n, n, n, n, n), theta = theta_face(n, n, n);
    const cell_terms cell = cell_make(n, n, n, n, n, n, n, div, n, n, n, n);
    const tridiagonal face = face_make(n, n, n, n * theta, n, n, n, n, cell, cell, tridiagonal{n, n});
    cell_solve(cell.star, n, n, n, n, n, n, face_solve(face, n), n, n, n);
    add("WPI", "small step of w and pi, solved in the column", taken());
}

/* ---- formulas that descriptions of stages call ---- */

struct formula {
    const char *name;
    long flops;
} formulas[128];
int nformulas;

/* Any value of an argument: 0.5 in all its numbers; kinds are those of mixing of fourth order. */
template <class argument> argument some()
{
    argument a;
    const number half = 0.5;
    static_assert(sizeof a % sizeof half == 0, "a structure of numbers");
    for (size_t n = 0; n < sizeof a / sizeof half; n++)
        std::memcpy(reinterpret_cast<char *>(&a) + n * sizeof half, &half, sizeof half);
    return a;
}
template <> int some<int>() { return MIX_FOURTH; }

void formula_note(const char *name) { formulas[nformulas++] = {name, taken().flops()}; }

template <class gives, class... arguments> void formula_add(const char *name, gives (*f)(arguments...))
{
    taken();
    f(some<arguments>()...);
    formula_note(name);
}

/* Where a formula has several ways, the one with most arithmetic of those that a run takes often. */
void formulas_count()
{
    const number n = 0.5, warm = 290, some_vapour = 0.01, zeta = -0.5;
#define COUNT(name) formula_add(#name, name)
#define COUNT_OF(name, ...) (taken(), (void)name(__VA_ARGS__), formula_note(#name))
    COUNT(cell_above), COUNT(cell_below), COUNT(cell_compress), COUNT(cell_damped), COUNT(cell_now),
        COUNT(cell_pressure);
    COUNT(cell_star), COUNT(coriolis), COUNT(divergence), COUNT(driven_gain), COUNT(driven_level), COUNT(driver_toward);
    COUNT_OF(eddy_energy, n, n, n, n, n, n);
    COUNT(eddy_length), COUNT(eddy_level), COUNT(eddy_mean), COUNT(eddy_most), COUNT(eddy_prandtl);
    COUNT_OF(eddy_smagorinsky, n, n, 10, n);
    COUNT(eddy_square), COUNT(eddy_stability), COUNT(eddy_stability_moist), COUNT(eddy_step), COUNT(eddy_upright);
    COUNT(face_beyond), COUNT(face_diagonal), COUNT(face_of), COUNT(face_right), COUNT(face_weight);
    COUNT(flux_added), COUNT(forcing_energy), COUNT(forcing_exner), COUNT(forcing_gain), COUNT(open_carried);
    COUNT(open_wind), COUNT(outflow_gain), COUNT(outflow_level), COUNT(outflow_side), COUNT(outflow_top);
    COUNT(over_known), COUNT(over_spread), COUNT(over_square), COUNT(over_theta_tendency), COUNT(over_u);
    COUNT(over_v), COUNT(over_w), COUNT(over_wind_step);
    COUNT(pi_tendency_wide), COUNT(relax), COUNT(scalar_advection), COUNT(scalar_step);
    formulas[nformulas++] = {"sf_audible", 0};
    struct surface_given given = some<struct surface_given>();
    struct surface_air air = {5, warm, some_vapour, 1.006, 300, 0.02, 0.1, 1};
    given.drag = DRAG_ROUGHNESS, given.heat = HEAT_TEMPERATURE, given.height = 25, given.gravity = 9.81,
    given.light = 0.608;
    COUNT_OF(surface_inverse, given, air, 0.3, n, n);
    COUNT(surface_is_known);
    COUNT_OF(surface_low, given, air, 0.3, n, n, zeta / 25);
    COUNT_OF(surface_pull, given, air, 0.3);
    COUNT(surface_skin), COUNT(theta_face), COUNT(theta_tendency), COUNT(theta_tendency_wide), COUNT(tracer_carried);
    COUNT(tracer_last), COUNT(tracer_limited), COUNT(tracer_share), COUNT(tracer_whole), COUNT(u_tendency);
    COUNT(u_tendency_wide), COUNT(v_tendency), COUNT(v_tendency_wide), COUNT(w_tendency), COUNT(w_tendency_wide);
    COUNT(water_dry_density), COUNT(water_excess);
    COUNT_OF(water_exner_gain, PHASE_RAINS, n, n, n, n, n, n, n, n);
    COUNT(water_fall_speed), COUNT(water_fallen), COUNT(water_heat);
    COUNT_OF(water_lack, PHASE_RAINS, n, n, n, n, n, n, n);
    COUNT(water_more), COUNT(water_power);
    COUNT_OF(water_pressure, PHASE_RAINS, n, n, n, n, n, n);
    COUNT(water_pressure_tendency);
    COUNT_OF(water_rain_lost, PHASE_RAINS, n, n, n, n, n, n, n);
    COUNT_OF(water_rain_made, PHASE_RAINS, n, n, n, n, n, n);
    COUNT(water_saturated), COUNT(water_spread), COUNT(water_theta_gain), COUNT(water_theta_rho);
    COUNT(water_theta_tendency);
    COUNT_OF(water_warming, PHASE_RAINS, n, n, n, n, n);
    COUNT(wind_step);
}

/* Those of sfmath.h, which every description knows. */
void functions_print()
{
    std::puts(
        "/* Arithmetic of the functions of sfmath.h, counted by `make flops`; tests/flops.sh holds it to the count.\n"
        " * SPDX-License-Identifier: MIT */\n#pragma once\n\nenum function_flops {");
    taken();
    const auto one = [](const char *name) { std::printf("    FLOPS_%s = %ld,\n", name, taken().flops()); };
    sf_exp(0.5), one("EXP");
    sf_log(0.5), one("LOG");
    sf_pow(0.5, 0.5), one("POW");
    sf_sin(0.5), one("SIN");
    sf_cos(0.5), one("COS");
    std::puts("};");
}

void header_print()
{
    std::puts(
        "/* Arithmetic per point of the weather model, counted by `make flops` from the formulas themselves: FLOPS with a fused\n"
        " * multiply-add as two, INSTRUCTIONS with it as one. tests/flops.sh holds this file to the count; see\n"
        " * tools/count_flops.cc for what counts. SPDX-License-Identifier: MIT */\n"
        "#pragma once\n\nenum flops {");
    for (int n = 0; n < entries; n++)
        std::printf("    FLOPS_%s = %ld, /* %s */\n", table[n].name, table[n].n.flops(), table[n].what);
    std::puts("};\n\nenum flop_instructions {");
    for (int n = 0; n < entries; n++)
        std::printf("    INSTRUCTIONS_%s = %ld,\n", table[n].name, table[n].n.instructions());
    std::puts("};\n\n/* Of formulas that descriptions of stages call. */");
    for (int n = 0; n < nformulas; n++) std::printf("#define FLOPS_IN_%s %ld\n", formulas[n].name, formulas[n].flops);
}

void table_print()
{
    std::printf("%-46s %6s %6s %6s %6s %6s %6s %6s\n", "per point, as written", "flop", "add", "mul", "div", "fma",
                "comp.", "instr.");
    for (int n = 0; n < entries; n++) {
        const counts &c = table[n].n;
        std::printf("%-46s %6ld %6ld %6ld %6ld %6ld %6ld %6ld\n", table[n].what, c.flops(), c.adds, c.muls, c.divs,
                    c.fmas, c.compares, c.instructions());
    }
    std::puts(
        "\nThe GPU weather kernel that the fused stage is modelled on: 595 flop, of which u 150, v 148, w 100, pi 49,\n"
        "theta 148 (from the talk that presents it; how it counts is not told).");
}

} // namespace

int main(int argc, char **argv)
{
    const bool header = argc == 2 && !std::strcmp(argv[1], "--header"),
               functions = argc == 2 && !std::strcmp(argv[1], "--functions");
    if (argc > 1 && !header && !functions) {
        std::fprintf(stderr,
                     "count_flops: unknown argument '%s'; --header prints src/dynamics/flops.h, --functions "
                     "src/pipeline/sfmath_flops.h\n",
                     argv[1]);
        return 2;
    }
    if (functions) {
        functions_print();
        return std::fflush(stdout) ? 1 : 0;
    }
    tendencies(MIX_NONE, "off", "OFF");
    tendencies(MIX_SECOND, "second", "SECOND");
    tendencies(MIX_FOURTH, "fourth", "FOURTH");
    tendencies(MIX_MONOTONE, "monotone", "MONOTONE");
    tendencies_wide(MIX_FOURTH, "6th-order centred", "CENTRED6");
    tendencies_wide(int(MIX_FOURTH) | int(ADVECT_UPWIND), "5th-order upwind", "UPWIND5");
    tracers();
    small_steps();
    formulas_count();
    header ? header_print() : table_print();
    return std::fflush(stdout) ? 1 : 0;
}
