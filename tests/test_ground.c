/* What the ground is like by place: keys, a file and patches, by value; what of them is refused or told; and what the
 * first frame and the air make of it. The domain begins at (-3000, 2000) m; cells of 1000 x 1500 m.
 * SPDX-License-Identifier: MIT */
#include "support_weather.h"

#include "io/filed.h"
#include "pipeline/error.h"

#include <criterion/criterion.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NX = 6, NY = 5 };

static struct session session;
static char path[64];

static void need(int rc) { cr_assert_eq(rc, NC_NOERR, "%s", nc_strerror(rc)); }

/* A variable of the file: name, unit, CF standard name; value a + b j + c i, without the dimension whose factor is 0.
 */
struct variable_of {
    const char *name, *unit, *standard;
    double a, b, c;
};

static void file_make(const struct variable_of *v, int variables, double shift)
{
    int nc, dim[2], at[2], var[4];
    double y[NY], x[NX], value[NY * NX];
    snprintf(path, sizeof path, "/tmp/sferic-ground-%ld.nc", (long)getpid());
    need(nc_create(path, NC_CLOBBER | NC_NETCDF4, &nc));
    need(nc_def_dim(nc, "y", NY, &dim[0])), need(nc_def_dim(nc, "x", NX, &dim[1]));
    for (int a = 0; a < 2; a++) {
        need(nc_def_var(nc, a ? "x" : "y", NC_DOUBLE, 1, &dim[a], &at[a]));
        need(nc_put_att_text(nc, at[a], "units", 1, "m"));
        need(nc_put_att_text(nc, at[a], "axis", 1, a ? "X" : "Y"));
    }
    for (int n = 0; n < variables; n++) {
        const int first = v[n].b != 0 ? 0 : 1, dims = (v[n].b != 0) + (v[n].c != 0);
        need(nc_def_var(nc, v[n].name, NC_DOUBLE, dims, dim + first, &var[n]));
        need(nc_put_att_text(nc, var[n], "units", strlen(v[n].unit), v[n].unit));
        if (v[n].standard) need(nc_put_att_text(nc, var[n], "standard_name", strlen(v[n].standard), v[n].standard));
    }
    need(nc_enddef(nc));
    for (int j = 0; j < NY; j++) y[j] = 2000 + 1500 * (j + 0.5);
    for (int i = 0; i < NX; i++) x[i] = -3000 + 1000 * (i + 0.5) + shift;
    need(nc_put_var_double(nc, at[0], y)), need(nc_put_var_double(nc, at[1], x));
    for (int n = 0; n < variables; n++) {
        const int rows = v[n].b != 0 ? NY : 1, columns = v[n].c != 0 ? NX : 1;
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < columns; i++) value[j * columns + i] = v[n].a + v[n].b * j + v[n].c * i;
        need(nc_put_var_double(nc, var[n], value));
    }
    need(nc_close(nc));
}

static const char *text_of(const char *surface)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "&grid nx = 6, ny = 5, nz = 4, dx = 1000, dy = 1500, dz = 40, origin_x = -3000, origin_y = 2000 /\n"
             "&time duration = 2, dt = 0.1 /\n&water scheme = 'kessler' /\n&base wind = 'constant', wind_u = 5 /\n"
             "&surface %s /\n",
             surface);
    return text;
}

static double map_at(int field, int i, int j)
{
    const struct slab *const s = &session.state.host.s;
    return (double)s->f[field][(j - s->j0) * s->sm + i];
}

static void ground_is(int i, int j, double temperature, double roughness, double wetness)
{
    const double from = ((const struct dynamics_own *)session.in.own)->params.surface_temperature;
    cr_assert_float_eq(from + map_at(F_GROUND_WARMER, i, j), temperature, 1e-4, "%d %d: %g K, not %g", i, j,
                       from + map_at(F_GROUND_WARMER, i, j), temperature);
    cr_assert_float_eq(map_at(F_ROUGHNESS, i, j), roughness, 1e-6, "%d %d: %g m, not %g", i, j,
                       map_at(F_ROUGHNESS, i, j), roughness);
    cr_assert_float_eq(map_at(F_WETNESS, i, j), wetness, 1e-6, "%d %d: %g, not %g", i, j, map_at(F_WETNESS, i, j),
                       wetness);
}

#define FOR_COLUMNS                                                                                                    \
    for (int j = 0; j < NY; j++)                                                                                       \
        for (int i = 0; i < NX; i++)

Test(ground, is_even_without_a_map)
{
    weather_open(&session, text_of("drag = 'roughness', roughness = 0.2, heat = 'temperature', temperature = 300.3, "
                                   "wetness = 0.4"));
    FOR_COLUMNS
    {
        ground_is(i, j, 300.3, 0.2, 0.4);
        cr_assert(!(fabs(map_at(F_GROUND_WARMER, i, j)) > 0), "not to the bit");
    }
    session_close(&session);
}

/* The later patch wins, and leaves what it does not say; centres on an eastern edge are not within. */
Test(ground, patches_by_value)
{
    weather_open(&session, text_of("drag = 'roughness', roughness = 0.2, heat = 'temperature', temperature = 300, "
                                   "wetness = 0.1, patch_west = -1600, 500, patch_east = 1500, 1e9, "
                                   "patch_south = -1e9, 4000, patch_north = 7250, 1e9, patch_temperature = 290, 0, "
                                   "patch_roughness = 0, 0.5, patch_wetness = 1"));
    FOR_COLUMNS
    {
        const double x = -3000 + 1000 * (i + 0.5), y = 2000 + 1500 * (j + 0.5);
        const int first = x >= -1600 && x < 1500 && y < 7250, second = x >= 500 && y >= 4000;
        ground_is(i, j, first ? 290 : 300, second ? 0.5 : first ? 0 : 0.2, first ? 1 : 0.1);
    }
    const struct ground *const g = &((const struct dynamics_own *)session.in.own)->ground;
    cr_assert_float_eq(g->least[GROUND_TEMPERATURE], 290, 1e-9);
    cr_assert_float_eq(g->most[GROUND_ROUGHNESS], 0.5, 1e-9);
    cr_assert_float_eq(g->sea, 7. / 30, 1e-9, "%g", g->sea);
    session_close(&session);
}

static const struct variable_of three[] = {{"surface_temperature", "degC", NULL, 10, 1, 0.5},
                                           {"z0", "cm", "surface_roughness_length", 4, 0, 2},
                                           {"wetness", "%", NULL, 20, 5, 0}};

Test(ground, file_by_value)
{
    char text[256];
    file_make(three, 3, 0);
    snprintf(text, sizeof text,
             "drag = 'roughness', heat = 'temperature', file = '%s', patch_west = 2000, patch_wetness = 0.9", path);
    weather_open(&session, text_of(text));
    FOR_COLUMNS
    ground_is(i, j, 283.15 + j + 0.5 * i, 0.04 + 0.02 * i, i == 5 ? 0.9 : 0.2 + 0.05 * j);
    session_close(&session);
    unlink(path);
}

/* A file with all three serves a run that takes one: it is told of the others, and warned where it takes none. */
Test(ground, file_of_which_some_is_taken)
{
    static const struct {
        const char *keys, *notes, *warns;
    } run[] = {{"drag = 'roughness'", "surface_temperature, which is for heat = 'temperature'", NULL},
               {"drag = 'coefficient', drag_coefficient = 1e-3", NULL,
                "z0 of the file changes nothing: it is for drag = 'roughness'"}};
    file_make(three, 3, 0);
    for (int n = 0; n < 2; n++) {
        char text[256], told[8192];
        snprintf(text, sizeof text, "%s, file = '%s'", run[n].keys, path);
        cr_assert_eq(weather_told(text_of(text), told, sizeof told), SF_OK, "%s", told);
        cr_assert_eq(!!strstr(told, "changes nothing"), !!run[n].warns, "%s", told);
        cr_assert(strstr(told, run[n].notes ? run[n].notes : run[n].warns), "%s", told);
    }
    unlink(path);
}

static void refused(const char *surface, const char *says) { weather_refused(text_of(surface), "", says); }

/* The ground begins with one time: of several a wrong one would be taken without a word. One, whatever it is, is that.
 */
Test(ground, file_of_one_time)
{
    for (int times = 1; times <= 2; times++) {
        int nc, dim[3], at, var;
        double value[2 * NY * NX], when[2] = {86400, 172800};
        char text[256];
        snprintf(path, sizeof path, "/tmp/sferic-ground-%ld.nc", (long)getpid());
        need(nc_create(path, NC_CLOBBER | NC_NETCDF4, &nc));
        need(nc_def_dim(nc, "time", (size_t)times, &dim[0])), need(nc_def_dim(nc, "y", NY, &dim[1]));
        need(nc_def_dim(nc, "x", NX, &dim[2]));
        need(nc_def_var(nc, "time", NC_DOUBLE, 1, dim, &at));
        need(nc_put_att_text(nc, at, "units", 33, "seconds since 1999-12-31 00:00:00"));
        need(nc_def_var(nc, "wetness", NC_DOUBLE, 3, dim, &var));
        need(nc_enddef(nc));
        for (int n = 0; n < times * NY * NX; n++) value[n] = n < NY * NX ? 0.25 : 0.75;
        need(nc_put_var_double(nc, at, when)), need(nc_put_var_double(nc, var, value));
        need(nc_close(nc));
        snprintf(text, sizeof text, "drag = 'roughness', heat = 'temperature', temperature = 300, file = '%s'", path);
        if (times > 1) refused(text, "has 2 times, and the ground begins with one");
        else {
            weather_open(&session, text_of(text));
            ground_is(3, 3, 300, 0.1, 0.25);
            session_close(&session);
        }
        unlink(path);
    }
}

Test(ground, what_cannot_be_is_refused)
{
    char text[256];
    const char *const warm = "drag = 'roughness', heat = 'temperature', temperature = 300, ";
    static const struct {
        const char *more, *says;
    } bad[] = {
        {"patch_west = 0, patch_east = -5, patch_wetness = 1", "before it begins"},
        {"patch_south = 0, patch_north = -5, patch_wetness = 1", "before it begins"},
        {"patch_west = 0, 1, patch_wetness = 1", "2 of patch_west, but 1 ground"},
        {"patch_west = 0", "edges of patches, and no ground"},
        {"patch_roughness = 1e-12", "0 is sea"},
        {"patch_temperature = 20", "patch_temperature"},
        {"patch_temperature = 100", "above 150 K"},
        {"patch_roughness = 10", "lies within the roughness"},
        {"file = '/tmp/there/is/none.nc'", "none.nc"},
    };
    for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
        snprintf(text, sizeof text, "%s%s", warm, bad[n].more);
        refused(text, bad[n].says);
    }
    static const struct variable_of wrong[] = {{"surface_temperature", "K", NULL, 10, 1, 0.5},
                                               {"wetness", "m", NULL, 0.2, 0, 0.1},
                                               {"theta", "K", NULL, 300, 1, 1},
                                               {"roughness", "m", NULL, -1, 0, 0.5}};
    static const char *const why[] = {"no ground is so", "units that are known", "it holds: theta", "no ground is so"};
    for (int n = 0; n < 4; n++) {
        file_make(&wrong[n], 1, 0);
        snprintf(text, sizeof text, "%sfile = '%s'", warm, path);
        refused(text, why[n]);
    }
    file_make(three, 3, 300);
    snprintf(text, sizeof text, "%sfile = '%s'", warm, path);
    refused(text, "lies at x");
    unlink(path);
}

/* The first frame has what the surface layer makes of the air at the start. */
Test(ground, first_frame_has_its_fluxes)
{
    weather_open(&session, text_of("drag = 'roughness', roughness = 0.2, heat = 'temperature', temperature = 310, "
                                   "patch_west = 0, patch_temperature = 290, patch_roughness = 0, patch_wetness = 1"));
    FOR_COLUMNS
    {
        const int is_sea = i >= 3;
        cr_assert_float_eq(map_at(F_SKIN, i, j), is_sea ? 290 : 310, 1e-4);
        cr_assert(map_at(F_USTAR, i, j) > (is_sea ? 0.05 : 0.3) && map_at(F_USTAR, i, j) < (is_sea ? 0.25 : 0.8),
                  "friction velocity %g", map_at(F_USTAR, i, j));
        cr_assert(is_sea ? map_at(F_SENSIBLE, i, j) < 0 : map_at(F_SENSIBLE, i, j) > 100, "%g W/m2",
                  map_at(F_SENSIBLE, i, j));
        cr_assert(is_sea ? map_at(F_EVAPORATION, i, j) > 1e-6 : !(map_at(F_EVAPORATION, i, j) > 0), "%g kg/m2/s",
                  map_at(F_EVAPORATION, i, j));
    }
    /* Charnock's roughness and the wind agree: another round changes nothing that counts. */
    const double before = map_at(F_USTAR, 4, 2);
    cr_assert_eq(session_advance(&session, 1), SF_OK);
    cr_assert_eq(engine_refresh(&session.engine), SF_OK);
    cr_assert_float_eq(map_at(F_USTAR, 4, 2), before, 1e-3 * before, "%g, then %g", before, map_at(F_USTAR, 4, 2));
    session_close(&session);
}
