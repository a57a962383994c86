/* The table of materials. SPDX-License-Identifier: MIT */
#include "maxwell/material.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* rad/s of 1 eV: e / hbar, CODATA 2018; and of a wave number of 1/um. */
#define EV 1.519267447878626e15
#define PER_UM (2 * 3.14159265358979323846 * 299792458.0 * 1e6)

/* In one table, as they are listed: what has a name begins a material. */
static const struct row {
    const char *name, *source;
    double epsilon, sigma, lowest, highest;
    struct pole_keys pole;
} row[] = {
#define MATERIAL(its_name, eps, conducts, low, high, whence)                                                           \
    {its_name, whence, eps, conducts, low, high, {.kind = POLE_NONE}},
#define POLE_ROW(...) {NULL, NULL, 0, 0, 0, 0, {__VA_ARGS__}},
#define DEBYE(d, t) POLE_ROW(.kind = POLE_DEBYE, .strength = (d), .tau = (t))
#define DRUDE_EV(plasma, f, g) POLE_ROW(.kind = POLE_DRUDE, .strength = (f), .omega = (plasma)*EV, .gamma = (g)*EV)
#define LORENTZ_EV(plasma, f, g, w)                                                                                    \
    POLE_ROW(.kind = POLE_LORENTZ, .strength = (f) * (plasma) * (plasma) / ((w) * (w)), .omega = (w)*EV,               \
             .gamma = (g)*EV)
#define LORENTZ_UM(d, length, g)                                                                                       \
    POLE_ROW(.kind = POLE_LORENTZ, .strength = (d), .omega = PER_UM / (length), .gamma = (g)*PER_UM)
#include "maxwell/materials.def"
};

enum { ROWS = (int)(sizeof row / sizeof row[0]), MOST = 64 };

static struct material material[MOST];
static int materials;
static char names[1024];

static void table_read(void)
{
    if (materials) return;
    for (int r = 0; r < ROWS; r++) {
        if (!row[r].name) {
            material[materials - 1].end = r + 1;
            continue;
        }
        material[materials++] = (struct material){row[r].name,   row[r].source,  row[r].epsilon, row[r].sigma,
                                                  row[r].lowest, row[r].highest, r + 1,          r + 1};
        if (names[0]) strcat(names, ", ");
        strcat(names, row[r].name);
    }
}

const struct material *material_of(int n)
{
    table_read();
    return n < materials ? &material[n] : NULL;
}

const struct material *material_find(const char *name)
{
    for (int n = 0; material_of(n); n++)
        if (!strcasecmp(material[n].name, name)) return &material[n];
    return NULL;
}

/* A drude has no strength: f counts with the square of its plasma frequency. */
struct pole_keys material_pole(int m)
{
    struct pole_keys k = row[m].pole;
    if (k.kind == POLE_DRUDE) k.omega *= __builtin_sqrt(k.strength), k.strength = 0;
    return k;
}

const char *material_names(void)
{
    table_read();
    return names;
}
