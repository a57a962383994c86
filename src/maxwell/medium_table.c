/* Media whose permittivity a text file gives. SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "maxwell/rows.h"

#include "pipeline/error.h"

#include <stdlib.h>

static const struct rows_form form = {.columns = 3,
                                      .least = 3,
                                      .most = 10000,
                                      .line = "a frequency and the two parts of epsilon, real and loss",
                                      .count = "three numbers",
                                      .lines = "lines of a permittivity",
                                      .first = "frequency",
                                      .units = "units"};

static int rows_check(const struct rows *r, const char *file)
{
    SF_CHECK(r->value[0] > 0, SF_INPUT, "%s: frequency %.9g Hz: give frequencies above 0", file, r->value[0]);
    for (int n = 0; n < r->n; n++) {
        const double *const row = r->value + 3 * n;
        SF_CHECK(
            !(row[2] < 0), SF_INPUT,
            "%s: at %.9g Hz the loss is %.4g, which would give energy: the third number is epsilon'' of epsilon' - i epsilon'', 0 or more",
            file, row[0], row[2]);
        SF_CHECK(row[1] < 0 || row[1] > 0 || row[2] > 0, SF_INPUT, "%s: at %.9g Hz the permittivity is 0", file,
                 row[0]);
    }
    return SF_OK;
}

static void fit_keep(struct medium *to, const struct fit *f)
{
    to->fit = *f;
    to->epsilon = f->epsilon, to->sigma = f->sigma;
    for (int p = 0; p < f->npoles; p++) {
        const struct pole_keys k = {.kind = POLE_DEBYE, .strength = f->strength[p], .tau = f->tau[p]};
        double none;
        to->npoles += pole_make(&to->pole[to->npoles], &k, &none);
    }
}

static int table_take(struct medium *to, const struct maxwell_params *p, int n, const char *dir)
{
    const char *const file = p->medium_table[n];
    struct rows rows;
    struct fit fit;
    SF_CHECK(!p->medium_material[n][0], SF_NAMELIST,
             "&medium: entry %d, '%.64s', has a material and a table: leave one of them out", n + 1, to->name);
    SF_CHECK(!(to->epsilon > 1) && !(to->sigma > 0), SF_NAMELIST,
             "&medium: table(%d) = '%.200s' gives epsilon and sigma: leave out those of the entry", n + 1, file);
    SF_TRY(rows_read(&rows, &form, file, dir));
    for (int line = 0; line < rows.n; line++) rows.value[3 * line] *= p->medium_table_unit[n];
    int rc = rows_check(&rows, file);
    if (!rc) rc = fit_make(&fit, rows.value, rows.n);
    if (!rc) {
        fit_keep(to, &fit);
        to->table = file, to->rows = rows.n;
        to->lowest = rows.value[0], to->highest = rows.value[3 * (rows.n - 1)];
    }
    free(rows.value);
    return rc;
}

int media_tables(struct media *m, const struct maxwell_params *p, const char *dir, struct complaints *to)
{
    for (int n = 0; n < m->n - MEDIUM_GIVEN; n++)
        if (p->medium_table[n][0])
            SF_TRY(sf_complain_or_fail(to, "medium%table medium%material", n,
                                       table_take(&m->medium[MEDIUM_GIVEN + n], p, n, dir)));
    return SF_OK;
}

void tables_judge(const struct instance *in, const struct maxwell_own *own, double lowest, double highest)
{
    static const double most = 0.03,
                        far = 100; /* of |epsilon|; a table that ends so many times below the band is none of it */
    for (int n = MEDIUM_GIVEN; n < own->media.n; n++) {
        const struct medium *const m = &own->media.medium[n];
        if (!m->table || !own->geometry.used[n] || m->stands_for) continue;
        if (m->fit.largest > most)
            sf_complain_mildly(
                in->complaints, "medium%table", n - MEDIUM_GIVEN,
                "Debye poles follow the table of '%.64s' to %.3g %% only, at %.4g Hz: it may have a resonance, as metals and crystals "
                "have, or jumps; give it entries of &pole (lorentz, drude) in place of a table, or a table of the sources' band alone",
                m->name, 100 * m->fit.largest, m->fit.worst);
        if (highest > 0 && (lowest > far * m->highest || highest * far < m->lowest))
            sf_complain(
                in->complaints, "medium%table_unit medium%table", n - MEDIUM_GIVEN,
                "the table of '%.64s' goes from %.4g to %.4g Hz, and the sources have power from %.4g to %.4g Hz: is it in another unit? Give "
                "table_unit, what one unit of its frequencies is in Hz (1e9 where they are in GHz)",
                m->name, m->lowest, m->highest, lowest, highest);
        else if (highest > 0 && (lowest < 0.99 * m->lowest || highest > 1.01 * m->highest))
            sf_complain_mildly(
                in->complaints, "medium%table", n - MEDIUM_GIVEN,
                "the table of '%.64s' goes from %.4g to %.4g Hz, and the sources have power from %.4g to %.4g Hz: beyond the table its poles go on alone",
                m->name, m->lowest, m->highest, lowest, highest);
    }
}
