/* Line ports: what they find of plates, strips and coaxial lines against exact solutions and a dense elimination, and
 * waves on lines against the grid's own. SPDX-License-Identifier: MIT */
#include "support_ports.h"
#include "support_weather.h"

#include "maxwell/monitor_parts.h"
#include "maxwell/own.h"
#include "pipeline/error.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct session session;

static const struct port *port_number(int number)
{
    return &((const struct maxwell_own *)session.in.own)->ports->of[number - 1];
}

static void is_near(double is, double want, double tolerance, const char *what)
{
    cr_assert(fabs(is - want) <= tolerance * fabs(want), "%s: %.9g, not %.9g", what, is, want);
}

/* Lengths are those of the grid, which it holds in its own precision. */
static const double exact = sizeof(real) == 8 ? 1e-12 : 1e-6;

/* ---- potentials -------------------------------------------------------------------------------------------------- */

static void section_open(const char *grid, const char *more)
{
    char text[4000];
    snprintf(text, sizeof text, "&case model = 'maxwell' /\n%s&maxwell allow_coarse = .true. /\n%s%s", grid, more,
             strstr(more, "&time") ? ""
                                   : "&time duration = 1e-10 /\n&excitation frequency = 3e9 /\n"
                                     "&spectrum frequencies = 3e9 /\n");
    weather_open(&session, text);
}

/* Plates 4 mm apart and 6 mm wide, one of them the side of the domain, in two layers that E crosses: capacitances, and
 * inductances, in series. */
Test(port_line, plates_are_exact)
{
    static const double high[2] = {1.5e-3, 2.5e-3}, epsilon[2] = {4, 1.5}, mu[2] = {1, 3};
    section_open("&grid nx = 12, ny = 4, nz = 8, dx = 1e-3, dy = 1.5e-3, dz = 0.5e-3 /\n",
                 "&boundary west = 'cpml', east = 'cpml', south = 'pmc', north = 'pmc', bottom = 'pec', top = 'pec' /\n"
                 "&cpml cells = 2 /\n&medium name = 'low', 'high', epsilon = 4, 1.5, mu = 1, 3 /\n"
                 "&geometry background = 'high', shape = 'box', medium = 'low', z = 0, size_z = 3e-3 /\n"
                 "&port kind = 'line', axis = 'x', x = 6e-3, z = 3e-3 /\n");
    const struct tem *const t = &port_number(1)->tem;
    is_near(t->capacity, 6e-3 / (high[0] / epsilon[0] + high[1] / epsilon[1]), exact, "capacitance");
    is_near(t->stiffness, 6e-3 / (high[0] * mu[0] + high[1] * mu[1]), exact, "inductance");
    is_near(t->impedance, em_eta0 / sqrt(t->capacity * t->stiffness), exact, "impedance");
    is_near(t->index, sqrt(t->capacity / t->stiffness), exact, "index");
    is_near(t->signal[AZ], 4e-3, 1e-6, "the plate that is nearer");
    cr_assert(t->images == 1 && t->on_side[AY][0] && t->on_side[AY][1] && t->conductors == 2);
    session_close(&session);
}

/* Of one of two like planes of symmetry the image counts. */
Test(port_line, half_of_a_line_is_all_of_it)
{
    static const char more[] =
        "&boundary bottom = 'pec', top = 'pec', north = 'pec', south = '%s' /\n&cpml cells = 2 /\n"
        "&geometry shape = 'sheet', axis = 'z', z = 4e-3, y = 0, size_y = 6e-3 /\n"
        "&port kind = 'line', axis = 'x', x = 6e-3, z = 3e-3 /\n";
    struct tem of[2];
    for (int half = 0; half < 2; half++) {
        char grid[200], rest[600];
        snprintf(grid, sizeof grid,
                 "&grid nx = 12, ny = %d, nz = 6, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_y = %d /\n", half ? 8 : 16,
                 0);
        if (!half)
            snprintf(grid, sizeof grid,
                     "&grid nx = 12, ny = 16, nz = 6, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_y = -8e-3 /\n");
        snprintf(rest, sizeof rest, more, half ? "pmc" : "pec");
        section_open(grid, rest);
        of[half] = port_number(1)->tem;
        session_close(&session);
    }
    is_near(of[1].impedance, of[0].impedance, exact, "impedance");
    is_near(2 * of[1].capacity, of[0].capacity, exact, "capacity");
    cr_assert(of[1].images == 2 && of[0].images == 1 && of[1].on_side[AY][0] && !of[1].on_side[AY][1]);
}

static double elliptic_ratio(double k) /* K(k') / K(k) = agm(1, k') / agm(1, k) */
{
    double is[2];
    for (int n = 0; n < 2; n++) {
        double a = 1, b = n ? k : sqrt(1 - k * k);
        for (int m = 0; m < 30; m++) {
            const double mean = 0.5 * (a + b);
            b = sqrt(a * b), a = mean;
        }
        is[n] = a;
    }
    return is[0] / is[1];
}

/* A strip half-way between two grounds, which acts as 0.7071 cells wider than it is. */
Test(port_line, strip_between_grounds)
{
    section_open("&grid nx = 60, ny = 12, nz = 20, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_x = -30e-3 /\n",
                 "&boundary bottom = 'pec', top = 'pec', west = 'pec', east = 'pec' /\n&cpml cells = 2 /\n"
                 "&geometry shape = 'sheet', axis = 'z', z = 10e-3, size_x = 8e-3 /\n"
                 "&port kind = 'line', axis = 'y', y = 6e-3, z = 3e-3, toward = '-' /\n");
    const double k = tanh(0.5 * M_PI * (8 + 2 * 0.35355) / 20);
    is_near(port_number(1)->tem.capacity, 4 / elliptic_ratio(k), 2e-3, "capacitance of a strip line");
    is_near(port_number(1)->tem.index, 1, exact, "index");
    session_close(&session);
}

/* Round conductors, true to their shape: ln(b / a). Open lengths and areas that are raised differ, and with them C and
 * K; a thin wire in a square tube has Z0 = eta0 / 2 pi ln(1.0787 b / 2 a). */
Test(port_line, coaxial_lines)
{
    static const char grid[] =
        "&grid nx = 26, ny = 26, nz = 8, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_x = -13e-3, origin_y = -13e-3 /\n";
    section_open(grid,
                 "&maxwell conformal = 0.8 /\n&boundary west = 'pec', east = 'pec', south = 'pec', north = 'pec' /\n"
                 "&cpml cells = 2 /\n&medium name = 'fill', epsilon = 2.25 /\n"
                 "&geometry background = 'pec', shape = 2*'cylinder', medium = 'fill', 'pec', axis = 2*'z'\n"
                 " radius = 11.5e-3, 4.7e-3 /\n&port kind = 'line', axis = 'z', z = 4e-3 /\n");
    is_near(port_number(1)->tem.impedance, em_eta0 / (2 * M_PI) * log(11.5 / 4.7) / 1.5, 4e-3, "a coaxial line");
    is_near(port_number(1)->tem.index, 1.5, 4e-3, "its index");
    session_close(&session);
    section_open(grid, "&boundary west = 'pec', east = 'pec', south = 'pec', north = 'pec' /\n&cpml cells = 2 /\n"
                       "&geometry shape = 'wire', axis = 'z', radius = 0.08e-3 /\n"
                       "&port kind = 'line', axis = 'z', z = 4e-3, x = 1e-3 /\n");
    is_near(port_number(1)->tem.impedance, em_eta0 / (2 * M_PI) * log(1.0787 * 26 / 0.16), 2e-3, "a wire in a tube");
    is_near(port_number(1)->tem.index, 1, exact, "its index");
    session_close(&session);
}

/* k of the TE_11 mode between circles: where J1'(k a) Y1'(k b) - J1'(k b) Y1'(k a) is 0. */
static double cross(double k, double a, double b)
{
    const double slope[2][2] = {{0.5 * (j0(k * a) - jn(2, k * a)), 0.5 * (j0(k * b) - jn(2, k * b))},
                                {0.5 * (y0(k * a) - yn(2, k * a)), 0.5 * (y0(k * b) - yn(2, k * b))}};
    return slope[0][0] * slope[1][1] - slope[0][1] * slope[1][0];
}

static double root_of_cross(double a, double b)
{
    double low = 1.7 / (a + b), high = 2.3 / (a + b);
    cr_assert(cross(low, a, b) * cross(high, a, b) < 0);
    for (int n = 0; n < 60; n++) {
        const double middle = 0.5 * (low + high);
        if (cross(low, a, b) * cross(middle, a, b) > 0) low = middle;
        else high = middle;
    }
    return low;
}

Test(port_line, other_modes_of_a_coaxial_line)
{
    const double low = root_of_cross(4.7e-3, 11.5e-3);
    section_open(
        "&grid nx = 26, ny = 30, nz = 8, dx = 1e-3, dy = 0.9e-3, dz = 1e-3, origin_x = -13e-3, origin_y = -13.5e-3 /\n",
        "&maxwell conformal = 0.8 /\n&boundary west = 'pec', east = 'pec', south = 'pec', north = 'pec' /\n"
        "&cpml cells = 2 /\n&medium name = 'fill', epsilon = 1.5, mu = 1.5 /\n"
        "&geometry background = 'fill', shape = 3*'cylinder', medium = 'pec', 'fill', 'pec', axis = 3*'z'\n"
        " radius = 12.8e-3, 11.5e-3, 4.7e-3 /\n&port kind = 'line', axis = 'z', z = 4e-3 /\n");
    is_near(port_number(1)->tem.cutoff, em_c * low / (2 * M_PI * 1.5), 0.01, "the next mode");
    session_close(&session);
    section_open(
        "&grid nx = 12, ny = 8, nz = 6, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_y = -4e-3 /\n",
        "&boundary south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /\n&cpml cells = 2 /\n"
        "&medium name = 'board', epsilon = 3 /\n"
        "&geometry shape = 'box', 'sheet', medium = 'board', 'pec', axis = 2*'z', z = 0, 2e-3, size_z = 4e-3, 0\n"
        " size_y = 1e9, 2e-3 /\n&port kind = 'line', axis = 'x', x = 6e-3, z = 2e-3 /\n");
    cr_assert_eq(port_number(1)->tem.cutoff, 0, "of a line of two media");
    session_close(&session);
}

/* In whole cells, solid, and hollow with room around the shield: what lies within the signal conductor, and outside of
 * the other, has no part in it. */
Test(port_line, other_modes_around_whole_cells)
{
    for (int hollow = 0; hollow < 2; hollow++) {
        char grid[200], more[600];
        snprintf(
            more, sizeof more,
            "&maxwell conformal = 0 /\n&boundary west = 'pec', east = 'pec', south = 'pec', north = 'pec' /\n"
            "&cpml cells = 2 /\n&medium name = 'fill', epsilon = 2.25 /\n"
            "&geometry background = 'fill', shape = 4*'cylinder', medium = 'pec', 'fill', 'pec', '%s', axis = 4*'z'\n"
            " radius = %g, 11.5e-3, 6.6e-3, 4.2e-3 /\n&port kind = 'line', axis = 'z', z = 4e-3 /\n",
            hollow ? "fill" : "pec", hollow ? 12.8e-3 : 1.0);
        snprintf(
            grid, sizeof grid,
            "&grid nx = 26, ny = %d, nz = 8, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_x = -13e-3, origin_y = -13e-3 /\n",
            hollow ? 60 : 26);
        section_open(grid, more);
        is_near(port_number(1)->tem.cutoff, em_c * root_of_cross(6.6e-3, 11.5e-3) / (2 * M_PI * 1.5), 0.07,
                hollow ? "around a tube" : "around a rod");
        session_close(&session);
    }
}

/* A strip of one cell, one cell above a ground, in a window of 3 x 2 cells: of its potentials beside the strip a, in
 * the corners b and above it c, which the conductances 1, and 1/2 on the rim, make, 2 a - b / 2 = 1, 2 b = a + c and 3
 * c / 2 - b / 2 = 1. Without the ground the line is one with the sides of the domain. */
Test(port_line, windows_that_cut_the_field)
{
    static const char grid[] = "&grid nx = 12, ny = 9, nz = 8, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_y = -4.5e-3 /\n";
    static const char cut[] =
        "&cpml cells = 2 /\n&geometry shape = 2*'sheet', axis = 2*'z', z = 2e-3, 3e-3, size_y = 1e9, 1e-3 /\n"
        "&port kind = 'line', axis = 'x', x = 6e-3, z = 3e-3, size_y = 3e-3, size_z = 2e-3 /\n",
                      alone[] = "&cpml cells = 2 /\n&geometry shape = 'sheet', axis = 'z', z = 3e-3, size_y = 1e-3 /\n"
                                "&port kind = 'line', axis = 'x', x = 6e-3, z = 3e-3 /\n";
    const double b = 14.0 / 17, a = 0.5 + b / 4, c = (2 + b) / 3;
    const double rim = a * a + pow(a - b, 2) + 2 * pow(1 - a, 2) + pow(b - c, 2) + 2 * pow(1 - c, 2);
    section_open(grid, cut);
    is_near(port_number(1)->tem.rim, rim / (2 + rim), 10 * exact, "energy at the rim");
    cr_assert(!port_number(1)->tem.is_alone);
    session_close(&session);
    section_open(grid, alone);
    cr_assert(port_number(1)->tem.is_alone && port_number(1)->tem.conductors == 2);
    cr_assert_eq(port_number(1)->tem.rim, 0, "the window ends at the sides");
    session_close(&session);
}

/* ---- any conductors and media, by elimination -------------------------------------------------------------------- */

enum { NB = 7, NC = 6, NODES = (NB + 1) * (NC + 1) };
static const double size_b[NB] = {1, 1.2, 0.9, 1.1, 1, 0.8, 1}, size_c[NC] = {1, 0.9, 1.3, 1, 1.1, 1};

/* Media of cells, and conductors: a block of 2 x 1 cells, that of the signal, and a sheet of two edges; the rim is 0.
 */
static double cell_of(int m, int n, int is_h)
{
    const int inside = m >= 2 && m < 5 && n >= 1 && n < 4;
    return is_h ? (inside ? 2 : 1) : inside ? 3.5 : 1.2;
}
static int is_block(int m, int n) { return m >= 3 && m <= 5 && n >= 3 && n <= 4; }
static int is_sheet(int m, int n) { return n == 1 && m >= 4 && m <= 6; }
static int is_held(int m, int n) { return m == 0 || m == NB || n == 0 || n == NC || is_block(m, n) || is_sheet(m, n); }

/* Mean over the cells beside an edge, by half of their size across; 1 / mu of the two. */
static double conductance_of(int m, int n, int which, int is_h)
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        const int cm = which ? m - side : m, cn = which ? n : n - side;
        if (cm < 0 || cn < 0 || cm >= NB || cn >= NC) continue;
        const double value = cell_of(cm, cn, is_h);
        sum += 0.5 * (which ? size_b[cm] : size_c[cn]) * (is_h ? 1 / value : value);
    }
    return sum / (which ? size_c[n] : size_b[m]);
}

static double energy_by_elimination(int is_h)
{
    static double a[NODES][NODES + 1];
    memset(a, 0, sizeof a);
    for (int n = 0; n <= NC; n++)
        for (int m = 0; m <= NB; m++) {
            const int at = n * (NB + 1) + m;
            if (is_held(m, n)) a[at][at] = 1, a[at][NODES] = is_block(m, n);
            for (int which = 0; which < 2; which++) {
                const int next = at + (which ? NB + 1 : 1);
                if (which ? n == NC : m == NB) continue;
                const double g = conductance_of(m, n, which, is_h);
                if (!is_held(m, n)) a[at][at] += g, a[at][next] -= g;
                if (!is_held(m + !which, n + which)) a[next][next] += g, a[next][at] -= g;
            }
        }
    for (int p = 0; p < NODES; p++)
        for (int r = 0; r < NODES; r++)
            for (int q = NODES; r != p && q >= p; q--) a[r][q] -= a[r][p] / a[p][p] * a[p][q];
    double sum = 0;
    for (int n = 0; n <= NC; n++)
        for (int m = 0; m <= NB; m++)
            for (int which = 0; which < 2; which++) {
                const int at = n * (NB + 1) + m, next = at + (which ? NB + 1 : 1);
                if (which ? n == NC : m == NB) continue;
                const double d = a[at][NODES] / a[at][at] - a[next][NODES] / a[next][next];
                sum += conductance_of(m, n, which, is_h) * d * d;
            }
    return sum;
}

Test(port_line, any_section_by_elimination)
{
    section_open(
        "&grid nx = 12, ny = 7, nz = 6, dx = 1e-3, dy = 1e-3, dz = 1e-3\n"
        " size_y = 1e-3, 1.2e-3, 0.9e-3, 1.1e-3, 1e-3, 0.8e-3, 1e-3, size_z = 1e-3, 0.9e-3, 1.3e-3, 1e-3, 1.1e-3, 1e-3 /\n",
        "&boundary bottom = 'pec', top = 'pec', south = 'pec', north = 'pec' /\n&cpml cells = 2 /\n"
        "&medium name = 'out', 'in', epsilon = 1.2, 3.5, mu = 1, 2 /\n"
        "&geometry background = 'out', shape = 'box', 'box', 'sheet', medium = 'in', 'pec', 'pec'\n"
        " y = 3.7e-3, 4.15e-3, 5.1e-3, z = 2.6e-3, 3.7e-3, 1e-3, size_y = 3e-3, 2.1e-3, 1.8e-3\n"
        " size_z = 3.2e-3, 1e-3, 0, axis = 3*'z' /\n"
        "&port kind = 'line', axis = 'x', x = 6e-3, y = 5e-3, z = 3.7e-3 /\n");
    const struct tem *const t = &port_number(1)->tem;
    cr_assert_eq(t->conductors, 3);
    is_near(t->capacity, energy_by_elimination(0), 1e-6, "capacity"); /* shares of cells are in 2^-24 */
    is_near(t->stiffness, energy_by_elimination(1), 1e-6, "stiffness");
    session_close(&session);
}

/* ---- waves ------------------------------------------------------------------------------------------------------- */

enum { FREQUENCIES = 3 };

static double complex *values_of(const char *name, int n)
{
    char of[64];
    double *memory[2], *part[2];
    double complex *const all = calloc((size_t)n, sizeof *all);
    for (int p = 0; p < 2; p++) {
        snprintf(of, sizeof of, "%s_%s", name, p ? "im" : "re");
        part[p] = ports_variable(&session, of, &memory[p]);
    }
    for (int m = 0; m < n; m++) all[m] = part[0][m] + I * part[1][m];
    free(memory[0]), free(memory[1]);
    return all;
}

static double frequency_of(int f) { return 2e9 + 2e9 * f; }

/* Phase from cell to cell of a line of an index, over their size. */
static double grid_phase(double index, double d, double f, double dt)
{
    return 2 / d * asin(index * d * sin(M_PI * f * dt) / (em_c * dt));
}

static void values_near(double complex is, double complex want, double tolerance, const char *what)
{
    cr_assert(cabs(is - want) <= tolerance, "%s: %.7g %+.7gi, not %.7g %+.7gi", what, creal(is), cimag(is), creal(want),
              cimag(want));
}

/* What layers return of a matched line, -54 dB and less of the lowest frequency. */
static const double layer = 2.5e-3;

/* A square line in a square tube along each axis: waves go from port to port as the grid has them, and are counted at
 * planes that are moved by 5 and 3 mm. */
static void tube_check(const char *axes)
{
    static const char name[3] = {'x', 'y', 'z'};
    const int a = axes[0] - 'x', b = (a + 1) % 3, c = (a + 2) % 3;
    static const char *const side[3][2] = {{"west", "east"}, {"south", "north"}, {"bottom", "top"}};
    char grid[400], more[1200];
    snprintf(
        grid, sizeof grid,
        "&grid n%c = 60, n%c = 8, n%c = 8, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_%c = -4e-3, origin_%c = -4e-3 /\n",
        name[a], name[b], name[c], name[b], name[c]);
    snprintf(
        more, sizeof more,
        "&time duration = 2.6e-9 /\n"
        "&boundary %s = 'pec', %s = 'pec', %s = 'pec', %s = 'pec' /\n&cpml cells = 14 /\n&medium name = 'fill', epsilon = "
        "1.8 /\n&geometry background = 'fill', shape = 'box', medium = 'pec', size_%c = 4e-3, size_%c = 2e-3 /\n"
        "&port kind = 2*'line', axis = 2*'%c', %c = 38e-3, 20e-3, toward = '-', '+', shift = 5e-3, 3e-3 /\n"
        "&excitation frequency = 4e9, bandwidth = 5e9, amplitude = 3 /\n&spectrum frequencies = 2e9, 4e9, 6e9, every = 1 /\n",
        side[b][0], side[b][1], side[c][0], side[c][1], name[b], name[c], name[a], name[a]);
    section_open(grid, more);
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK, "%s", sf_error_text());
    double complex *const s = values_of("s", 2 * FREQUENCIES), *const v = values_of("voltage", 2 * FREQUENCIES),
                          *const i = values_of("current", 2 * FREQUENCIES);
    for (int f = 0; f < FREQUENCIES; f++) {
        const double k = grid_phase(sqrt(1.8), 1e-3, frequency_of(f), session.dt), z = port_number(1)->tem.impedance;
        values_near(s[2 * f + 1], cexp(-I * k * (18e-3 - 8e-3)), layer, "through");
        values_near(s[2 * f], 0, layer, "what returns");
        values_near(v[2 * f] / i[2 * f], z / cos(0.5e-3 * k), 2 * layer * z, "impedance");
        values_near(v[2 * f + 1] / v[2 * f], cexp(-I * k * 10e-3), 2 * layer, "voltages");
    }
    free(s), free(v), free(i);
    session_close(&session);
}

Test(port_line, waves_of_the_grid, .timeout = 120)
{
    tube_check("x");
    tube_check("y");
    tube_check("z");
}

/* Between plates a resistance ends the line at a magnetic conductor, where half a cell of it is left: of its node's
 * admittance, and the chain of cells before it, the reflection at that node is known. The driven wave has half of the
 * source's voltage: V_s / 2 two cells behind the plane, half a step later. */
Test(port_line, sees_a_resistance, .timeout = 120)
{
    static const double load = 200, high = 1.6e-3, wide = 4.5e-3;
    section_open(
        "&grid nx = 40, ny = 3, nz = 2, dx = 1e-3, dy = 1.5e-3, dz = 0.8e-3 /\n",
        "&time duration = 3e-9 /\n"
        "&boundary east = 'pmc', south = 'pmc', north = 'pmc', bottom = 'pec', top = 'pec' /\n&cpml cells = 14 /\n"
        "&element axis = 'z', x = 40e-3, y = 2.25e-3, z = 0.8e-3, size_y = 4.5e-3, size_z = 1.6e-3, resistance = "
        "100 /\n&port kind = 'line', axis = 'x', x = 22e-3, z = 0.9e-3, shift = 18e-3 /\n"
        "&excitation frequency = 4e9, bandwidth = 5e9, amplitude = 3 /\n&spectrum frequencies = 2e9, 4e9, 6e9, every = 1 /\n");
    const double z0 = em_eta0 * high / wide, dt = session.dt;
    is_near(port_number(1)->tem.impedance, z0, exact, "impedance");
    cr_assert_eq(session_advance(&session, session_steps_left(&session)), SF_OK, "%s", sf_error_text());
    double complex *const s = values_of("s", FREQUENCIES), *const a = values_of("a", FREQUENCIES);
    for (int f = 0; f < FREQUENCIES; f++) {
        const double w = 2 * M_PI * frequency_of(f), k = grid_phase(1, 1e-3, frequency_of(f), dt);
        const double cell = cos(0.5e-3 * k), step = z0 / load * cos(0.5 * w * dt);
        values_near(s[f], (cell - step) / (cell + step), layer, "reflection");
        double wave[2];
        const struct ports *const all = ((const struct maxwell_own *)session.in.own)->ports;
        cr_assert(monitor_waveform_spectrum(all->monitors, all->wave, f, wave));
        const double complex sent = 1.5 * (wave[0] + I * wave[1]) * cexp(-I * k * 20e-3) / sqrt(z0);
        values_near(a[f] / sent, 1, 0.01, "the wave that is sent");
    }
    free(s), free(a);
    session_close(&session);
}
