/* Binds a description to a namelist and a grid. Its parameters are the keys of &parameters, in the order of their
 * lines; the sides of the domain those of &boundary. SPDX-License-Identifier: MIT */
#include "stages/described.h"

#include "pipeline/error.h"
#include "pipeline/program.h"
#include "pipeline/reduce.h"
#include "pipeline/state.h"
#include "stages/describe.h"
#include "stages/library.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum side { SIDE_PERIODIC, SIDE_MIRROR };

typedef double start_function(const double *v, double x, double y, double z);
typedef void row_function(const struct slab *s, const void *ctx, int j, real *__restrict out);

/* The model itself leads it: instance.model points at both. */
struct described_model {
    struct model model;
    struct description d;
    void *library, *kernels; /* of loops; of kernels, once a GPU computes: NULL before */
    char *path, *text;
    struct param *param;
    struct stage *stage;
    struct tunable *tunable; /* of a GPU: of every stage */
    char (*initial)[32]; /* of parameters, as text */
    struct diagnostic *diagnostic;
    struct quantity *quantity;
    int nparameters, is_file;
};

/* What an instance keeps. */
struct described_own {
    struct input input;
    double *value; /* dx, dy, dz, parameters, numbers: what stages find in ctx */
};

static const struct described_model *model_of(const struct instance *in)
{
    return (const struct described_model *)in->model;
}

static void *function_find(const struct described_model *m, const char *name, const char *behind)
{
    char text[256];
    snprintf(text, sizeof text, "%s%s", name, behind);
    return dlsym(m->library, text);
}

/* ---- its code ---- */

static int code_print(const struct description *d, char **code, size_t *n)
{
    FILE *const to = open_memstream(code, n);
    SF_CHECK(to, SF_MEMORY, "no memory for the code of model %s", d->name);
    describe_print_code(d, to), describe_print_begin(d, to);
    fclose(to);
    return SF_OK;
}

static int library_make(const struct description *d, enum library_kind kind, void **library)
{
    char *code = NULL;
    size_t n = 0;
    SF_TRY(code_print(d, &code, &n));
    const int rc = library_open(kind, code, n, library);
    free(code);
    return rc;
}

/* Where a GPU computes. */
static int kernels_make(struct described_model *m)
{
    if (m->kernels) return SF_OK;
    SF_TRY(library_make(&m->d, LIBRARY_KERNELS, &m->kernels));
    for (int n = 0; n < m->d.nstages; n++) {
        char name[256];
        snprintf(name, sizeof name, "%s_run_gpu", m->d.stage[n].name);
        m->stage[n].launch = m->d.stage[n].is_shown ? NULL : (stage_launch *)dlsym(m->kernels, name);
        if (m->d.stage[n].unit == UNIT_COLUMN)
            snprintf(name, sizeof name, "%s_device_bytes", m->d.stage[n].name),
                m->stage[n].device_bytes = (size_t(*)(int))dlsym(m->kernels, name);
        SF_CHECK(m->d.stage[n].is_shown || m->stage[n].launch, SF_INTERNAL, "the kernels of model %s lack stage %s",
                 m->d.name, m->d.stage[n].name);
        /* Columns have one shape. */
        if (m->d.stage[n].unit == UNIT_POINT)
            m->tunable[n] = (struct tunable){
                m->stage[n].launch, describe_kernels(&m->d.stage[n]) == KERNELS_VECTORS ? vector_shape : row_shape,
                ROW_SHAPES};
    }
    m->model.tunable = m->tunable, m->model.ntunables = m->d.nstages;
    return SF_OK;
}

/* ---- binding ---- */

static void uniform_check(const struct grid *g, struct complaints *to)
{
    int same = !g->x_f && !g->y_f;
    for (int k = 0; k < g->nz; k++)
        same &=
            fabs((g->z_f[k + 1] - g->z_f[k]) * g->nz - (g->z_f[g->nz] - g->z_f[0])) < 1e-9 * fabs(g->top - g->z_f[0]);
    if (!same)
        sf_complain(to, "grid%size_x grid%size_y grid%size_z grid%stretch_ratio", -1,
                    "a model from a file takes cells of one size along each axis: give dx, dy and dz alone");
}

static void sides_check(const int *side, struct complaints *to)
{
    static const char *const of[3][2] = {{"boundary%west boundary%east", "west and east"},
                                         {"boundary%south boundary%north", "south and north"},
                                         {"boundary%bottom boundary%top", "bottom and top"}};
    for (int a = 0; a < 3; a++)
        if ((side[2 * a] == SIDE_PERIODIC) != (side[2 * a + 1] == SIDE_PERIODIC))
            sf_complain(to, of[a][0], -1, "%s must both be 'periodic', or neither", of[a][1]);
}

/* What is seen of a mirrored domain beyond its side is that domain: no further. */
static void reach_check(const struct described_model *m, const struct grid *g, const int *side, struct complaints *to)
{
    static const char *const keys[] = {"grid%nx", "grid%ny", "grid%nz"}, *const word[] = {"columns", "rows", "levels"};
    const int cells[] = {g->nx, g->ny, g->nz};
    for (int n = 0; n < m->d.nstages; n++)
        for (int t = 0; t < m->d.stage[n].ntouches; t++) {
            const struct touch *const x = &m->d.stage[n].touch[t];
            const struct reach r = x->reach;
            const int far[] = {SF_MAX(r.im, r.ip), SF_MAX(r.jm, r.jp), SF_MAX(r.km, r.kp)};
            for (int a = 0; a < 3; a++)
                if (far[a] > cells[a] && side[2 * a] != SIDE_PERIODIC)
                    sf_complain(
                        to, keys[a], -1,
                        "stage %s reads %s %d %s away, beyond both sides of a domain of %d: %s must be %d or more",
                        m->d.stage[n].called, x->field->name, far[a], word[a], cells[a], keys[a], far[a]);
        }
}

/* Kernels that count places in 32 bits take so many elements at a time (MADE_ELEMENTS_MOST), and reach as many beyond.
 */
static void rows_check(const struct described_model *m, const struct grid *g, struct complaints *to)
{
    enum { MOST = 1 << 30, PADDING = 64 };
    const double row = ((double)g->nx + PADDING) * ((double)g->nz + PADDING);
    for (int n = 0; n < m->d.nstages; n++) {
        int far = 1;
        if (describe_kernels(&m->d.stage[n]) != KERNELS_NEAR) continue;
        for (int t = 0; t < m->d.stage[n].ntouches; t++) {
            const struct reach r = m->d.stage[n].touch[t].reach;
            far = SF_MAX(far, SF_MAX(r.jm, r.jp));
        }
        if (row * far > MOST)
            sf_complain(
                to, "grid%nx grid%nz", -1,
                "on a GPU stage %s counts %d rows of %d x %d cells in 32 bits, which is too many: make the long "
                "axis y, or compute with &pipeline backend = 'cpu'",
                m->d.stage[n].called, far, g->nx, g->nz);
    }
}

static void fields_make(struct instance *in, const struct described_model *m, const int *side)
{
    for (int n = 0; n < m->d.nsymbols; n++) {
        const struct symbol *const s = &m->d.symbol[n];
        if (s->kind != SYMBOL_FIELD) continue;
        struct field *const f = &in->field[s->number];
        in->nfields++;
        *f = s->field;
        f->name = s->name, f->long_name = s->long_name, f->unit = s->unit, f->standard_name = s->standard_name;
        for (int face = 0; face < FACES; face++) {
            const unsigned axis = 1u << (face == FACE_B || face == FACE_T ? 2 : face / 2);
            const int is_odd = !(f->stagger & axis) != !(s->odd & axis);
            f->ghost[face] = side[face] == SIDE_PERIODIC ? GHOST_PERIODIC : is_odd ? GHOST_ODD : GHOST_EVEN;
        }
    }
}

static void described_unbind(struct instance *in)
{
    struct described_own *const own = in->own;
    if (!own) return;
    free(own->value), free(own);
    free(in->op);
    in->own = NULL, in->op = NULL;
}

static int bind_all(struct instance *in, const struct described_model *m, struct described_own *own,
                    const double *parameter)
{
    const struct description *const d = &m->d;
    const struct grid *const g = in->grid;
    const int *const side = (const int *)(parameter + m->nparameters);
    uniform_check(g, in->complaints), sides_check(side, in->complaints), reach_check(m, g, side, in->complaints);
    if (in->device_room > 0) rows_check(m, g, in->complaints);
    const int n = DESCRIBE_VALUES + d->nvalues;
    own->value = calloc((size_t)n, sizeof *own->value);
    SF_CHECK(own->value, SF_MEMORY, "no memory for the numbers of model %s", d->name);
    double *const v = own->value;
    v[0] = g->dx, v[1] = g->dy, v[2] = (g->z_f[g->nz] - g->z_f[0]) / g->nz;
    for (int p = 0, k = 0; p < d->nsymbols; p++)
        if (d->symbol[p].kind == SYMBOL_PARAMETER) v[d->symbol[p].number] = parameter[k++];
    ((void (*)(double *))function_find(m, "numbers_make", ""))(v);
    for (int k = 0; k < d->nsymbols; k++) {
        const struct symbol *const s = &d->symbol[k];
        if ((s->kind == SYMBOL_NUMBER || s->kind == SYMBOL_PARAMETER) && !isfinite((real)v[s->number]))
            sf_complain(in->complaints, "case%model", -1,
                        "the number %s of %s is %g with these parameters, which no %d-bit number holds", s->name,
                        m->path, v[s->number], SF_PREC);
    }
    fields_make(in, m, side);
    if (in->device_room > 0 && !in->is_on_paper) SF_TRY(kernels_make((struct described_model *)m));
    for (int o = 0; o < d->nops; o++)
        SF_TRY(
            program_add(&in->op, &in->nops,
                        (struct op){.stage = d->op[o].number, .dt_factor = d->op[o].factor, .every = d->op[o].every}));
    in->ctx = own->value;
    in->diagnostic = m->diagnostic, in->quantity = m->quantity;
    for (int s = 0; s < d->nstages; s++) in->ndiagnostics += d->stage[s].is_shown == SHOWN_HISTORY;
    in->nquantities = d->nsums;
    in->dt_limit = INFINITY; /* none is known */
    if (d->limit)
        in->dt_limit = ((double (*)(const double *))function_find(m, "limit_of_step", ""))(v),
        in->dt_limit_by = d->limit_by;
    if (!(in->dt_limit > 0))
        sf_complain(in->complaints, "case%model", -1,
                    "the longest stable step of %s is %g s with these parameters: the line `limit` of the model is "
                    "to be more than 0",
                    m->path, in->dt_limit);
    own->input = (struct input){"case", "model", 0, m->path};
    in->input = &own->input, in->ninputs = m->is_file;
    return SF_OK;
}

static int described_bind(struct instance *in, const void *params,
                          int (*values)(const void *, const char *, const char *), const void *names, const char *dir)
{
    (void)values, (void)names, (void)dir;
    struct described_own *const own = in->own = calloc(1, sizeof *own);
    SF_CHECK(own, SF_MEMORY, "no memory for model %s", in->model->name);
    const int rc = bind_all(in, model_of(in), own, params);
    if (rc) described_unbind(in);
    return rc;
}

/* ---- the state at the start ---- */

static void row_begin(const struct instance *in, const struct symbol *f, start_function *start, real *line, int n,
                      int j, int k)
{
    const struct described_own *const own = in->own;
    const unsigned on = f->field.stagger;
    const double y = grid_y(in->grid, j, !!(on & STAG_Y)), z = grid_z(in->grid, k, !!(on & STAG_Z));
    for (int i = 0; i < n; i++)
        line[i] = (real)(start ? start(own->value, grid_x(in->grid, i, !!(on & STAG_X)), y, z) : 0);
}

static int described_begin(const struct instance *in, struct state *st)
{
    const struct described_model *const m = model_of(in);
    const struct described_own *const own = in->own;
    const struct slab *const s = &st->host.s;
    for (int n = 0; n < m->d.nsymbols; n++) {
        const struct symbol *const f = &m->d.symbol[n];
        if (f->kind != SYMBOL_FIELD || f->field.role == ROLE_SCRATCH) continue;
        start_function *const start = (start_function *)function_find(m, f->name, "_start");
        const struct field *const field = &in->field[f->number];
        if (f->field.shape == SHAPE_LEVELS) {
            const int ghosts = st->host.lay.gk;
            const double low = grid_z(in->grid, 0, !!(f->field.stagger & STAG_Z)), dz = own->value[2];
            for (int k = -ghosts; k <= s->nk + ghosts; k++)
                s->f[f->number][k] = (real)(start ? start(own->value, 0, 0, low + k * dz) : 0);
            continue;
        }
        const int is_map = f->field.shape == SHAPE_MAP, levels = is_map ? 1 : s->nk + !!(field->stagger & STAG_Z);
        const int ni = s->ni + !!(field->stagger & STAG_X), far = !!(field->stagger & STAG_Y) && st->jb == s->nj;
        for (int j = st->ja; j < st->jb + far; j++)
            for (int k = 0; k < levels; k++)
                row_begin(in, f, start, s->f[f->number] + (j - s->j0) * (is_map ? s->sm : s->sj) + k * s->sk, ni, j, k);
    }
    return SF_OK;
}

/* ---- what is watched ---- */

struct watched {
    const struct described_model *model;
    const struct described_own *own;
    row_function *row[SUMS];
    double volume;
    int sums, failed;
};

static void watch_row(const struct state *st, int j, double *out, void *ctx)
{
    struct watched *const w = ctx;
    const struct slab *const s = &st->host.s;
    const size_t n = (size_t)s->ni * (size_t)s->nk;
    real *const value = malloc(n * sizeof *value);
    double *const line = malloc((size_t)s->ni * sizeof *line);
    const struct description *const d = &w->model->d;
    if (!value || !line) __atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED);
    int at[2] = {0, w->sums};
    for (int q = 0; q < d->nsums; q++) {
        double *const to = &out[at[d->sum[q].kind == SUM_LARGEST]++];
        *to = d->sum[q].kind == SUM_LARGEST ? -HUGE_VAL : 0;
        if (!value || !line) continue;
        w->row[q](s, w->own->value, j, value);
        for (int k = 0; k < s->nk; k++) {
            for (int i = 0; i < s->ni; i++) line[i] = (double)value[(size_t)k * (size_t)s->ni + (size_t)i];
            if (d->sum[q].kind == SUM_TOTAL) *to += reduce_tree(line, s->ni) * w->volume;
            for (int i = 0; i < s->ni && d->sum[q].kind == SUM_LARGEST; i++) *to = reduce_larger(*to, line[i]);
        }
    }
    free(value), free(line);
}

static int described_measure(const struct instance *in, const struct state *st, double dt, double *values,
                             double *courant)
{
    const struct described_model *const m = model_of(in);
    const struct described_own *const own = in->own;
    *courant = dt / in->dt_limit;
    if (!values || !m->d.nsums) return SF_OK;
    struct watched w = {.model = m, .own = own, .volume = own->value[0] * own->value[1] * own->value[2]};
    for (int q = 0; q < m->d.nsums; q++) {
        w.sums += m->d.sum[q].kind == SUM_TOTAL;
        w.row[q] = (row_function *)function_find(m, m->d.stage[m->d.sum[q].stage].name, "_row");
    }
    double number[SUMS];
    const struct reduction r = {.sums = w.sums, .maxima = m->d.nsums - w.sums, .row = watch_row, .ctx = &w};
    SF_TRY(reduce_rows(&st->comm, st, &r, number));
    SF_TRY(comm_max(&st->comm, &w.failed));
    SF_CHECK(!w.failed, SF_MEMORY, "no memory for the sums of a row of %d cells", in->grid->nx);
    int at[2] = {0, w.sums};
    for (int q = 0; q < m->d.nsums; q++) values[q] = number[at[m->d.sum[q].kind == SUM_LARGEST]++];
    return SF_OK;
}

/* ---- the tables ---- */

static void params_make(struct described_model *m)
{
    static const char *const face[] = {[FACE_W] = "west",  [FACE_E] = "east",   [FACE_S] = "south",
                                       [FACE_N] = "north", [FACE_B] = "bottom", [FACE_T] = "top"};
    int n = 0;
    for (int k = 0; k < m->d.nsymbols; k++) {
        const struct symbol *const s = &m->d.symbol[k];
        if (s->kind != SYMBOL_PARAMETER) continue;
        for (int digits = 6; digits <= 17; digits++) { /* no more than it takes */
            snprintf(m->initial[n], sizeof m->initial[n], "%.*g", digits, s->initial);
            const double back = strtod(m->initial[n], NULL);
            if (!(back < s->initial || back > s->initial)) break;
        }
        m->param[n] = (struct param){"parameters",
                                     s->name,
                                     PARAM_REAL,
                                     (size_t)n * sizeof(double),
                                     sizeof(double),
                                     1,
                                     m->initial[n],
                                     s->min,
                                     s->max,
                                     NULL,
                                     s->unit,
                                     s->long_name,
                                     0};
        n++;
    }
    m->nparameters = n;
    for (int f = 0; f < FACES; f++)
        m->param[n + f] = (struct param){"boundary",
                                         face[f],
                                         PARAM_CHOICE,
                                         (size_t)n * sizeof(double) + (size_t)f * sizeof(int),
                                         sizeof(int),
                                         1,
                                         f < FACE_B ? "'periodic'" : "'mirror'",
                                         1,
                                         0,
                                         "periodic mirror",
                                         "",
                                         "what stands beyond this side",
                                         0};
    m->model.param = m->param, m->model.nparams = n + FACES;
    m->model.params_bytes = (size_t)n * sizeof(double) + FACES * sizeof(int);
}

static void accesses_make(struct stage *to, const struct described *s)
{
    int n = 0;
    for (int t = 0; t < s->ntouches; t++) {
        const struct touch *const x = &s->touch[t];
        const enum access_mode reading = touch_reading(x), writing = touch_writing(x);
        const enum rare rare = touch_rare_reading(x);
        const int field = x->field->number;
        if (reading)
            to->access[n++] = (struct access){.field = field, .mode = reading, .reach = x->reach, .rare = rare};
        if (x->is_both)
            to->access[n++] =
                (struct access){.field = field, .mode = ACCESS_READ_BESIDE, .reach = x->reach, .rare = rare};
        if (writing) to->access[n++] = (struct access){.field = field, .mode = writing, .rare = touch_rare_writing(x)};
    }
}

static int stages_make(struct described_model *m)
{
    int shown = 0;
    for (int n = 0; n < m->d.nstages; n++) {
        const struct described *const s = &m->d.stage[n];
        struct stage *const to = &m->stage[n];
        if (s->is_shown == SHOWN_HISTORY)
            m->diagnostic[shown++] = (struct diagnostic){.name = s->shown_as,
                                                         .long_name = s->title,
                                                         .unit = s->unit_shown,
                                                         .standard_name = s->standard_name,
                                                         .initial = 1,
                                                         .row = (row_function *)function_find(m, s->name, "_row")};
        *to = (struct stage){.name = s->called, .unit = s->unit, .flops = s->flops};
        if (s->is_shown) continue;
        if (s->unit == UNIT_COLUMN) to->work_bytes = (size_t(*)(int, int))function_find(m, s->name, "_work_bytes");
        to->run = (stage_function *)function_find(m, s->name, "_run");
        SF_CHECK(to->run, SF_INTERNAL, "the library of model %s lacks stage %s", m->d.name, s->name);
        accesses_make(to, s);
    }
    for (int q = 0; q < m->d.nsums; q++)
        m->quantity[q] = (struct quantity){m->d.sum[q].name, m->d.sum[q].long_name, m->d.sum[q].unit};
    m->model.stage = m->stage, m->model.nstages = m->d.nstages;
    return SF_OK;
}

static int described_make(struct described_model *m, const char *path, const char *text, char **wrong)
{
    struct description *const d = &m->d;
    m->path = strdup(path), m->text = strdup(text);
    SF_CHECK(m->path && m->text, SF_MEMORY, "no memory for the text of %s", path);
    describe_read(d, m->path, m->text);
    describe_settle(d);
    if (d->nerrors) {
        *wrong = d->errors, d->errors = NULL;
        SF_FAIL(SF_INPUT, "%s: %d error%s in the description of the model", path, d->nerrors,
                d->nerrors == 1 ? "" : "s");
    }
    SF_TRY(library_make(d, LIBRARY_LOOPS, &m->library));
    const size_t all = (size_t)(d->nsymbols + d->nstages + FACES + 1);
    m->param = calloc(all, sizeof *m->param), m->initial = calloc(all, sizeof *m->initial),
    m->stage = calloc(all, sizeof *m->stage), m->tunable = calloc(all, sizeof *m->tunable);
    m->diagnostic = calloc(all, sizeof *m->diagnostic), m->quantity = calloc(all, sizeof *m->quantity);
    SF_CHECK(m->param && m->initial && m->stage && m->tunable && m->diagnostic && m->quantity, SF_MEMORY,
             "no memory for the tables of model %s", d->name);
    m->model = (struct model){.name = d->name,
                              .title = d->title,
                              .bind = described_bind,
                              .unbind = described_unbind,
                              .begin = described_begin,
                              .measure = described_measure};
    params_make(m);
    return stages_make(m);
}

const char *described_shipped(const char *name)
{
    static const struct {
        const char *name, *text;
    } shipped[] = {
#include "stages/models.def"
    };
    for (size_t n = 0; n < sizeof shipped / sizeof shipped[0]; n++)
        if (!strcmp(shipped[n].name, name)) return shipped[n].text;
    return NULL;
}

int described_open(const char *path, int is_file, const char *text, const struct model **model, char **wrong)
{
    struct described_model *const m = calloc(1, sizeof *m);
    SF_CHECK(m, SF_MEMORY, "no memory for the model of %s", path);
    *wrong = NULL, *model = NULL, m->is_file = is_file;
    const int rc = described_make(m, path, text, wrong);
    if (rc) described_close(&m->model);
    else *model = &m->model;
    return rc;
}

void described_close(const struct model *model)
{
    struct described_model *const m = (struct described_model *)model;
    if (!m) return;
    if (m->library) dlclose(m->library);
    if (m->kernels) dlclose(m->kernels);
    describe_free(&m->d);
    free(m->path), free(m->text), free(m->param), free(m->initial), free(m->stage), free(m->tunable),
        free(m->diagnostic), free(m->quantity);
    free(m);
}
