/* A model is three tables and a program: fields, parameters, stages, and the time step, or two together, as a flat list
 * of ops.
 *
 * Everything else follows from them: ghost rows, schedule, memory, transfers, restart and output metadata, checking of
 * the namelist, and what `explain` prints. The engine reads these tables; it knows no physics.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/complaint.h"
#include "pipeline/sferic.h"

/* ---- parameters -------------------------------------------------------------------------------------------------- */

enum param_type {
    PARAM_INT, /* int */
    PARAM_REAL, /* double */
    PARAM_LOGICAL, /* int, 0 or 1 */
    PARAM_STRING, /* char[size] */
    PARAM_CHOICE /* int, the index of the word in `choices` */
};

/* One key of one group. An array of `count` elements lies contiguous at `offset` in the parameter block. */
struct param {
    const char *group, *key;
    enum param_type type;
    size_t offset; /* bytes from the start of the block */
    size_t size; /* bytes of one element; for a string its capacity with the NUL */
    int count; /* 1 for a scalar */
    const char *initial; /* default, as namelist text; the last value fills an array */
    double min, max; /* inclusive range of numbers; min > max: no limit */
    const char *choices; /* blank-separated words of a PARAM_CHOICE, else NULL */
    const char *unit; /* "1" when dimensionless, "" when none applies */
    const char *meaning; /* one sentence */
    int is_entry; /* its group is a list: a group given again holds the next element of all such keys. The first such
                   * key of a group in its table says what an entry is (a name, a kind) */
};

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Where the value sits in its cell; a face or level n lies at the low side of cell n. */
enum stagger { STAG_CENTRE = 0, STAG_X = 1, STAG_Y = 2, STAG_Z = 4 };

enum shape {
    SHAPE_FULL, /* [nj][nk][ni] */
    SHAPE_LEVELS, /* [nk]: a vertical profile */
    SHAPE_MAP, /* [nj][ni] */
    SHAPE_BOX /* [j1 - j0][n][k1 - k0][i1 - i0]: part of the domain, n values a point; see struct extent */
};

/* The part of the domain that a field of SHAPE_BOX covers: half open, global, in cells or nodes of the field's own.
 * Empty when an extent is; then the field takes no memory. */
struct extent {
    int i0, i1, k0, k1, j0, j1, n;
};

enum role {
    ROLE_PROGNOSTIC, /* loaded, computed, stored, in restart and digest. A map of it, or of a kept field, is changed by
                      * stages of columns: rain on the ground */
    ROLE_TRACER, /* the same, one of a family with a run-time count */
    ROLE_KEPT, /* the same of one bank: what some op makes now and then and others read until it is made again, such as
                * the heating of radiation or the temperature of the ground */
    ROLE_STATIC, /* loaded, never changed */
    ROLE_FED, /* comes from a file or a function of time: model.feed fills levels in time, two are at hand, and a stage
               * finds what lies between them at the beginning of its step, for every cut and restart. No stage changes
               * it, nothing of it is in restart and digest. The model fills ghosts too: no ghost rule counts. No
               * profile: those in time are tables that model.prepare makes; and no program of two steps has any */
    ROLE_SCRATCH /* lives within a step; where the step is computed and nowhere else */
};

enum face { FACE_W, FACE_E, FACE_S, FACE_N, FACE_B, FACE_T, FACES };

/* What stands beyond a face of the domain. EVEN and ODD mirror about the face; a quantity staggered onto an ODD face is
 * zero there. OPEN repeats the outermost value; a quantity staggered onto an OPEN face has one more value, its own. */
enum ghost { GHOST_NONE, GHOST_PERIODIC, GHOST_EVEN, GHOST_ODD, GHOST_OPEN, GHOST_GIVEN, GHOST_FLUX };

/* GIVEN and FLUX take their values from another field, field.beyond[face], and are for fields with a restart.
 *
 * GIVEN: beyond the side, and on it where the quantity is staggered onto it, stand the values of a field that is fed or
 * static, at the same place: a box of a few columns, levels or rows beyond the side, or a full field. Where that has
 * none stands the nearest that it has; of a static field that is no box, the outermost inside.
 *
 * FLUX: the ghost is the value that mirrors it, plus what a gradient up the axis adds on the way from there. The
 * gradient is the value beside the side of a field of one bank that is fed, static, or has a restart: a map that a
 * stage makes, for the ground; a profile with the same in all levels, for a constant. No quantity is staggered onto
 * such a side.
 *
 * Both are made anew when the field is written, when its source is, and, where that is fed, at the beginning of each
 * step, whose time then stands beyond the side for all of the step. Where a place lies beyond two sides of which one
 * has another rule, that rule mirrors what was made; of two that are made, x comes first, then z, then y. */

struct field {
    const char *name, *long_name, *unit, *standard_name; /* standard_name: CF, "" when CF has none */
    unsigned stagger; /* sum of enum stagger */
    enum role role;
    enum shape shape;
    enum ghost ghost[FACES];
    int beyond[FACES]; /* of GHOST_GIVEN and GHOST_FLUX: the field that what stands there comes from */
    int banks; /* 1, or 2 for a field that some stage reads beyond its unit and changes, or goes back to as it was */
    struct extent box; /* of SHAPE_BOX */
    int bytes; /* of an element of a static field that holds small numbers: 1 or 2; 0: a real. The model fills its
                * ghost rows too: what the numbers stand for may differ between ranks */
    double
        late; /* the time of its values minus the time of the state, in steps of dt_fixed: -0.5 for H of the EM model */
    int is_fed_along; /* of role FED: model.feed fills its levels with those of the field before it */
    double share; /* ops touch the field on this fraction of the domain (0 .. 1); reports of bytes use it. 0 stands for
                     all of it */
};

static inline int ghost_is_made(enum ghost g) { return g == GHOST_GIVEN || g == GHOST_FLUX; }

static inline int field_has_made(const struct field *f)
{
    int made = 0;
    for (int face = 0; face < FACES; face++) made |= ghost_is_made(f->ghost[face]);
    return made;
}

/* ---- stages and the program -------------------------------------------------------------------------------------- */

enum access_mode {
    ACCESS_END = 0,
    ACCESS_READ, /* read within the reach */
    ACCESS_UPDATE, /* read and changed, at the stage's own unit only */
    ACCESS_WRITE, /* every unit of the span is written, none read; with two banks: into the other bank, where it is from
                     then on */
    ACCESS_READ_OTHER, /* read within the reach, in the other bank: what the field was before it went where it is */
    ACCESS_REWRITE, /* every unit of the span is written, none read, in the bank where the field is */
    ACCESS_READ_BESIDE /* read within the reach where the field is, by a stage that reads the other bank, too, and finds
                          this one at w */
};

static inline int access_reads(enum access_mode m)
{
    return m == ACCESS_READ || m == ACCESS_READ_OTHER || m == ACCESS_READ_BESIDE || m == ACCESS_UPDATE;
}
static inline int access_writes(enum access_mode m)
{
    return m == ACCESS_UPDATE || m == ACCESS_WRITE || m == ACCESS_REWRITE;
}

/* How far a read extends beyond the stage's own unit, in grid points. */
struct reach {
    signed char im, ip, km, kp, jm, jp;
};

/* Not at every point, but at few, or where the stage finds something to do: an access, or what an update changes of
 * what it reads everywhere. */
enum rare { RARE_NOT, RARE_ALL, RARE_CHANGES };

struct access {
    int field;
    enum access_mode mode;
    struct reach reach; /* of a read */
    int family; /* of a family, `field` of its first member: fields from one member to the next; 0: none */
    int nth; /* and which of a member's fields it is, from 0 */
    enum rare rare; /* for reports */
};

enum unit { UNIT_POINT, UNIT_COLUMN };

/* The n-th field of one member of a family, as struct slab has fields; NULL where the stage declared no access. */
enum { MEMBER_FIELDS = 4, MEMBERS_MOST = 32 };
struct member {
    real *f[MEMBER_FIELDS], *w[MEMBER_FIELDS];
    ptrdiff_t n; /* which of the family it is, from 0 */
};

struct candidate;

/* What an op hands to its stage. `work` is scratch memory: stage.work_bytes of the calling thread's own, or, on a GPU,
 * stage.device_bytes, which launches use one after the other. */
struct call {
    real dt; /* s, the op's share of the step */
    int arg; /* the op's literal argument */
    int member; /* which of a family; the first of several */
    int members; /* so many of them, one behind the other; 0: that one alone, which the slab has */
    const struct member *of; /* [members], the host's; what lies in the slab is that of the first */
    long step; /* number of the time step, from 0 */
    int pass_step; /* the same within the pass: an index of the tables that model.prepare made */
    double time; /* s at the start of the step */
    const void *ctx; /* the model's constants */
    void *work;
    const struct candidate *shape; /* on a GPU: what kernels are launched in; NULL: what their launch finds fit */
};

typedef void stage_function(const struct slab *s, struct box b, const struct call *c);

/* The same on a GPU: puts kernels into `stream` (a cudaStream_t) and returns. Pointers of the slab are the device's;
 * `ctx` is the host's, and what it points to are tables (tables.h), which both can read. Bits are those of the CPU. */
typedef void stage_launch(const struct slab *s, struct box b, const struct call *c, void *stream);

/* What of a box a stage changes, where that is little: a box that holds it, of no columns, levels or rows where it
 * changes nothing. Such a stage updates fields, and writes none. */
typedef struct box stage_changes(const struct call *c, struct box b);

/* A stage is its CPU function NAME and, where the program has a GPU part, NAME_gpu; or that alone, for programs of a
 * GPU. */
#if SF_CUDA
#define SF_STAGE_BY(function, kernels) .run = function, .launch = kernels
#define SF_STAGE(name) SF_STAGE_BY(name, name##_gpu)
#define SF_STAGE_GPU(name) .launch = name##_gpu
#else
#define SF_STAGE_BY(function, kernels) .run = function
#define SF_STAGE(name) .run = name
#define SF_STAGE_GPU(name) .run = NULL
#endif

/* The row of a stage of kernels alone that does what several described ones do (SWEEP of the made tables). */
#define SF_STAGE_SWEEP(its_name, kernels, its_extend, its_sides, its_flops, ...)                                       \
    {.name = its_name,                                                                                                 \
     SF_STAGE_BY(NULL, kernels),                                                                                       \
     .unit = UNIT_POINT,                                                                                               \
     .extend = its_extend,                                                                                             \
     .sides = its_sides,                                                                                               \
     .flops = its_flops,                                                                                               \
     .access = {__VA_ARGS__}},

enum { STAGE_MAX_ACCESS = 96 };

/* What the GPU kernels of a stage do at the sides of the domain themselves; stage.sides is a sum of these. On a GPU
 * every fill of ghosts is a kernel, and the engine leaves out the fills that `sides` makes needless, unless another
 * stage reads those ghosts. On a CPU the engine ignores `sides`: loops read ghosts, which are cheap there. Example: the
 * kernels of u and v of a small step find pi' beyond a wall inside the domain (SIDES_BOUND), so that no kernel fills
 * ghosts of pi' between small steps. */
enum sides {
    SIDES_ZERO = 1, /* write: a staggered field is set to zero on its odd sides in the west, in the south and at the
                     * bottom, or stays zero there */
    SIDES_FAR = 2, /* write: a field staggered along x also in column ni, one staggered along y also in row nj (together
                    * with row nj - 1; not where y is periodic), each by the ghost rule of that side */
    SIDES_BOUND =
        4, /* read: a value beyond a side that is not periodic is taken from inside, by the ghost rule, or none is */
    SIDES_ROUND = 8, /* read: a value beyond a side that is periodic along x is taken from the other end, or none is */
    SIDES_UNREAD = 16 /* read: where a field is read without reach, its values on odd sides do not change the result */
};

struct stage {
    const char *name;
    stage_function *run;
    stage_launch *launch; /* NULL: it has no kernels */
    enum unit unit;
    int extend; /* 1: where a side is open, the box also holds the face beyond the last cell */
    int sides; /* what its GPU kernels do at the sides themselves: a sum of enum sides */
    struct access access[STAGE_MAX_ACCESS]; /* closed by ACCESS_END */
    size_t (*work_bytes)(int columns, int nk); /* call.work on a CPU, for `columns` columns in a row. NULL: none */
    size_t (*device_bytes)(int nk); /* call.work on a GPU, of a launch of any size. NULL: none */
    double flops; /* of every point, for reports; as many at the least */
    stage_changes *changes; /* NULL: it changes all that it writes */
};

struct op {
    int stage;
    double dt_factor; /* times the time step gives call.dt */
    int every; /* run when step % every == 0; 1: always */
    double every_s; /* > 0, in place of `every`: run in the first step, and in the first that begins at or after each
                     * multiple of so many seconds. call.dt is then dt_factor times the time from the beginning of the
                     * step in which it last ran to that of this one: 0 in the first step. The same for every cut,
                     * restart, and steps that adapt (periods.h) */
    int arg, member;
    int members; /* the op works on so many members of its families from `member` on, in one visit; 0: on that one,
                  * which its stage then finds in the slab */
    int step; /* of a program of two steps: 1 when it belongs to the second */
    double share; /* the op computes this fraction of the domain (0 .. 1); reports of rates use it. 0 stands for all of
                     it */
};

/* Does the op leave out steps? Where it would write it updates, for old values stay. */
static inline int op_skips(const struct op *o) { return o->every > 1 || o->every_s > 0; }

/* ---- shapes of kernels ------------------------------------------------------------------------------------------- */

/* A shape that the kernels of a stage can be launched in. All of them give the same bits. What the kernel reads beyond
 * its tile follows from the reaches that the stage declares. */
struct candidate {
    const char *name; /* "64 x 4, 16 rows" */
    int tile_i, tile_k; /* columns and levels of a block's tile; 0: it goes through all levels */
    int rows; /* that a block goes through before another takes over; 0: all of them */
    int threads; /* of a block */
    size_t shared; /* bytes of a block, static and dynamic: devices that have less are spared it */
    int levels; /* that it takes at most; 0: any number */
};

/* Candidates of the stages that a launch function serves, which finds one of them in call.shape: for `sferic bench
 * --tune`, which tells the fastest, and `run`, which takes it. */
struct tunable {
    stage_launch *launch;
    const struct candidate *candidate;
    int ncandidates;
};

/* What kernels of several rows a thread, one after the other (printed.h), can be launched in: threads that take a
 * column, or a vector of columns, each. */
enum { ROW_SHAPES = 15 };
extern const struct candidate row_shape[ROW_SHAPES], vector_shape[ROW_SHAPES];

/* ---- what a model shows ------------------------------------------------------------------------------------------ */

/* A history variable at cell centres. `row` fills out[nk][ni] for row j from a slab whose ghosts are valid to depth
 * 1. */
struct diagnostic {
    const char *name, *long_name, *unit, *standard_name;
    int initial; /* 1: written when the namelist names no fields */
    void (*row)(const struct slab *s, const void *ctx, int j, real *__restrict out);
    double late; /* the time of its values minus the time of the state, in steps of dt_fixed: -0.5 is half a step before
                    the state */
    int is_label; /* 1: its numbers are names, and have no mean: it is in the history alone */
    int is_map; /* 1: one value a column, out[ni]: in the history alone, too */
};

/* A vertical profile that does not change, [nk] at centres. */
struct profile {
    const char *name, *long_name, *unit, *standard_name;
    const double *value;
};

/* One number of the time series. */
struct quantity {
    const char *name, *long_name, *unit;
};

struct reduction;
struct state;

/* ---- what a model records while it runs -------------------------------------------------------------------------- */

/* A quantity recorded at every probe after every step. `late`: the time of its value minus the time at the end of the
 * step, in steps
 * (-0.5: half a step before the end). */
struct trace {
    const char *name, *long_name, *unit;
    double late;
};

/* Where a trace of a probe is taken: m, and the row that it lies in. */
struct trace_place {
    double x, y, z;
    int j;
};

/* Values after steps first .. first + n - 1, counted from 0: [n][ntraces][nprobes], those of this rank's rows; what
 * others own is 0. */
struct trace_record {
    long first, n;
    const real *value;
};

/* Probes that a model records itself, in place of diagnostics at output times. n = 0: none. */
struct traces {
    int n, nprobes;
    const struct trace *trace; /* [n] */
    const struct trace_place *place; /* [n][nprobes] */
    /* What was recorded since the last call, valid until the next pass. Every rank has the same steps. */
    void (*take)(void *own, struct trace_record *r);
    /* On rank 0 every entry once and in order, also those that a restarted run took over: [n][nprobes] at `time` s.
     * NULL: nobody looks. */
    void (*watch)(void *own, double time, const double *value);
    void *own;
};

/* A dimension of a result: `value` in `unit`; or `label`, n names of letters, digits, - and _; of both the other is
 * NULL. */
struct result_axis {
    const char *name, *long_name, *unit;
    int n;
    const double *value;
    const char *const *label;
    const double *bounds; /* [n][2], the ends of the cells around the values; NULL: it has none */
};

enum { RESULT_MAX_DIMS = 4 };

/* What cannot be said, such as a share of nothing: netCDF's own fill value, declared in the file. */
#define RESULT_NONE 9.9692099683868690e+36

/* A value counts as something where it is at least this many times what round-off may have put into it: off by a fifth
 * at most. */
#define RESULT_LEAST 5.0

/* A variable over axes dim[0 .. ndims - 1] of its result. share_of >= 0: not filled, but that variable over what it is
 * in the reference run, entry by entry; left out where it is less there than RESULT_LEAST times `round_off`. */
struct result_variable {
    const char *name, *long_name, *unit, *comment;
    int ndims, dim[RESULT_MAX_DIMS];
    int share_of;
    const char *round_off; /* of a share: name of the variable of the same axes that says what round-off may have put
                              in; NULL: none does */
};

/* What CF says of an axis or a variable; NULL: nothing. */
struct result_names {
    const char *standard_name, *cell_methods;
};

/* Something that a run and its reference must have in common: a text, or n numbers in `unit`. The file of the result
 * has it as attribute `name` of the variable `of`, which holds nothing else. Facts of one `of` follow each other. */
enum { FACT_VALUES = 6 };
struct result_fact {
    char of[96], text[64];
    const char *name, *unit;
    int n; /* 0: it is the text */
    double value[FACT_VALUES];
};

/* A file of numbers that a model makes of its state: written anew at every output time, whole. */
struct result {
    const char *file; /* its name */
    const char *comment;
    const char
        *reference; /* directory of the run that shares count from; NULL or "": there is none, and no shares either */
    const struct result_axis *axis;
    int naxes;
    const struct result_variable *variable;
    int nvariables;
    const struct result_names *axis_names, *variable_names; /* [naxes], [nvariables]; NULL: CF says nothing of any */
    const struct result_fact *fact; /* NULL: nothing but axes must agree with a reference */
    int nfacts;
    const char
        *facts_are; /* what the variable that has them is called; NULL: what a reference run must have in common */
    /* Is there something to write? Called before fill, and the only one that may change how long the first axis is; the
     * same on all ranks. NULL: always. */
    int (*ready)(const struct result *r);
    /* All values of variable v that is no share, dim[0] slowest, to out[v], unless that is NULL. out: [nvariables] on
     * rank 0, NULL on others. Collective. Errors: SF_COMM, SF_MEMORY. */
    int (*fill)(const struct result *r, const struct state *st, double *const *out);
    size_t filling; /* bytes that fill takes beside `out` on rank 0; of other ranks each takes the share of its rows */
    const void *own;
};

/* A number of the case as it begins, which all its files have as an attribute. */
struct fact {
    const char *name, *about; /* with its unit */
    double value;
};

/* A file that the namelist names, as it was found: element `element` of the key held its name. */
struct input {
    const char *group, *key;
    int element;
    const char *path;
};

/* ---- a model bound to a namelist and a grid ---------------------------------------------------------------------- */

struct config;
struct filed_list;
struct grid;
struct layout;
struct model;

struct mapping;

struct instance {
    const struct model *model;
    const struct config *config;
    const struct grid *grid;
    int levels; /* in time that fields of role FED have, one after the other; 0: not known. Where it is more than the
                   two at hand, a thread of its own calls model.feed for the next ones while steps go on */
    int threads; /* that may share what the host makes before a run and between passes; 0: one */
    int is_on_paper; /* handed to bind: 1: of a device that is not at hand, for a plan: nothing will be computed */
    double device_room; /* handed to bind: bytes that fields may take on the devices of all ranks; 0: stages run on the
                           host */
    struct field field[SF_MAX_FIELDS];
    int nfields;
    struct op *op; /* one time step; owned */
    int nops;
    struct op *pair; /* the same of two time steps together, for passes of an even number of them; owned. NULL: there is
                        none */
    int npair;
    const struct diagnostic *diagnostic;
    int ndiagnostics;
    int ndiagnostics_most; /* there are with other parameters (more tracers), the further ones behind these; 0: no
                              further */
    const struct profile *profile;
    int nprofiles;
    const struct fact *fact;
    int nfacts;
    const struct quantity *quantity;
    int nquantities;
    int nquantities_most; /* as ndiagnostics_most */
    struct traces traces;
    const struct result *result;
    int nresults;
    double sample_every; /* s between calls of model.sample; 0: it is not called */
    double *sampled; /* what samples came to, the same on all ranks: the first nsampled of room for sampled_most, which
                        a checkpoint keeps, and gives back after `begin` */
    long nsampled, sampled_most;
    int sampled_same; /* the first of them say what it is a table of: a checkpoint must have the same */
    const char *sampled_keys; /* the keys that they follow from, as a message names them */
    const void *ctx; /* the model's constants, handed to stages and diagnostics */
    const struct input *input;
    int ninputs;
    const char
        *time_units; /* CF units of time in the output, "s" for one without dates; NULL: seconds since &time start */
    struct complaints *complaints; /* while binding: what is wrong with the parameters */
    double dt_limit; /* s, the longest stable time step; what binds it */
    const char *dt_limit_by;
    double dt_hopeless; /* s: with a longer one every run grows without bounds, whatever its state, for the reason
                           dt_hopeless_by; 0: none is known */
    const char *dt_hopeless_by;
    double dt_calm; /* s: the same in air whose own wind is no limit: what an adaptive step may come to; 0: steps cannot
                       adapt */
    double dt_start; /* s: a longer first step breaks at once, for the reason dt_start_by, which the keys say (see
                        sf_complain); 0: none is known */
    const char *dt_start_by, *dt_start_keys;
    int dt_start_index;
    int measures_host; /* 1: some of them no kernel sums: model.measure wants the state on the host */
    int quantity_told; /* which quantity the end of a run tells; 0: none */
    int survey_every; /* steps between calls of model.survey; 0: it is not called */
    double *carried; /* numbers beside the fields that a checkpoint keeps, and gives back after `begin`: at most 40 */
    int ncarried;
    const char *way; /* how a device takes the steps, where there is more than one way; NULL */
    int may_end; /* is_over may end the run before its duration: the state is looked at after the same steps on every
                    device */
    const char *end_reason; /* set by is_over: what brought the end, or how far it is, for the user; NULL or "": nothing
                               more is known; where may_end is set not NULL */
    int check_interval; /* steps between looks at the state where the namelist leaves it open; 0: 10 */
    double dt_fixed; /* s: all steps of the run, output times are the nearest steps; 0: steps are cut so that those are
                        exact */
    /* Handed to bind: reads rows j0 .. j1 - 1 of an integer variable medium(z, y, x), values 0 .. count - 1, from a
     * netCDF file; no rows: is it there? Errors: SF_INPUT, SF_MEMORY. */
    int (*volume_read)(const char *path, int ni, int nk, int nj, int j0, int j1, int count, unsigned char *values);
    /* Handed to bind: what fields a netCDF file holds, and rows of one of them: filed.h. */
    int (*filed_list)(const char *path, double time, struct filed_list *list);
    int (*filed_read)(const struct filed_list *list, int field, int j0, int j1, double *values);
    const char *heights; /* the diagnostic that says where levels lie, since they follow the ground; NULL: z does */
    const struct mapping *mapping; /* mapping.h: how x and y lie on the Earth; NULL: on a plane */
    void *own; /* the model's memory */
};

struct model {
    const char *name, *title;
    const struct param *param;
    int nparams;
    size_t params_bytes;
    const struct stage *stage;
    int nstages;
    const struct field *field; /* fields of its instances, those that only some parameters make among them: what the
                                * history may show with other parameters. NULL: as the instance has them */
    int nfields;
    const struct tunable *tunable; /* of a program with a GPU part */
    int ntunables;
    /* Build fields, program, constants and shown quantities from checked parameters. `values` is how many entries of
     * a key the user gave (0: none). dir: the namelist's directory, for the files that it names. What is wrong with the
     * parameters goes to in->complaints (sf_complain), all of it; then nothing is run and SF_OK may be returned.
     * Errors: SF_NAMELIST, without a message: what was complained of leaves nothing to go on with (a `diagnostic` that
     * is static may stay set: names in &output fields are checked even so); SF_MEMORY. */
    int (*bind)(struct instance *in, const void *params,
                int (*values)(const void *names, const char *group, const char *key), const void *names,
                const char *dir);
    void (*unbind)(struct instance *in);
    /* Fill the rank's own rows with the state at time 0, pointwise in the global coordinate. */
    int (*begin)(const struct instance *in, struct state *st);
    /* Maps of the rank's own rows that follow from the state at time 0, so that its first frame has them, too; dt s:
     * the step that follows. The state is on the host, ghosts valid to depth 1. NULL: nothing follows. */
    void (*derive)(const struct instance *in, struct state *st, double dt);
    /* Before a pass: tables of `steps` steps from `step` on, beginning at time[0 .. steps - 1] s. NULL: none are
     * needed. */
    int (*prepare)(const struct instance *in, long step, int steps, const double *time, double dt);
    /* Bytes of tables that `prepare` has yet to take on this rank, dt s: what is forecast of memory counts them. NULL:
     * they are small. */
    int (*tables)(const struct instance *in, double dt, size_t *bytes);
    /* After a pass, whose rows are this rank's own: take what its ops recorded. NULL: they record nothing. */
    int (*collect)(const struct instance *in, long step, int steps);
    /* Has the run come to its end before its time? Asked between passes, after what was recorded has been taken. The
     * same on all ranks and for every cut. NULL: never. Collective. */
    int (*is_over)(const struct instance *in, const struct state *st, double time, int *over);
    /* What `check` prints of the model: limits and derived figures, one a line. */
    void (*report)(const struct instance *in, double dt, void (*line)(void *to, const char *text), void *to);
    /* values[nquantities] of the state, on all ranks (collective); NULL: only the Courant number. The first state
     * measured is the one that drifts count from. *courant: the largest, as a share of what is stable. */
    int (*measure)(const struct instance *in, const struct state *st, double dt, double *values, double *courant);
    /* After the first step at or after every multiple, from 1 on, of in->sample_every: add the state to in->sampled.
     * `dt` s: the step that follows. The state is on the host, ghosts valid to depth 1. Collective. Errors: SF_MEMORY,
     * SF_COMM. */
    int (*sample)(struct instance *in, const struct state *st, long multiple, double dt);
    /* Look at a state that a frame is written of for what makes the result doubtful, and tell each such thing once
     * (sf_warn on rank 0). dt s: the step that follows; ghosts valid to depth 1. NULL: nothing is looked for.
     * Collective. Errors: SF_MEMORY, SF_COMM. */
    int (*doubt)(struct instance *in, const struct state *st, double time, double dt);
    int measures_north; /* 1: values of a row need the row north of it, which on several ranks only a refreshed state on
                           the host has */
    /* Fill `to->f[field]`, all that it stores, ghosts too (feed_fill in feed.h does so point by point), with a level in
     * time of a field of role FED, and that of those behind it that are fed along with it: later 0: the last one at or
     * before *time; 1: the first one after it. *time becomes the level's; INFINITY where none follows: the last one
     * holds from then on, and nothing need be filled. A level is the same whenever it is asked for, by any thread.
     * Errors: SF_INPUT, SF_MEMORY. */
    int (*feed)(const struct instance *in, const struct slab *to, const struct layout *l, int field, int later,
                double *time);
    /* Before every step whose number is a multiple of in->survey_every: what its program needs to know of the whole
     * state, which ops of those steps (op.every) read in ctx. Passes end there, for every cut. NULL: nothing.
     * Collective. Errors: SF_MEMORY, SF_COMM. */
    int (*survey)(struct instance *in, const struct state *st);
    /* The reduction (reduce.h) that `survey` makes, ahead of the steps behind which it is called; it lasts until the
     * next call of either. NULL: there is none. Collective. Errors: SF_MEMORY. */
    int (*survey_rows)(struct instance *in, const struct state *st, struct reduction *r);
    /* On a GPU: kernels that put the Courant number of rows ja .. jb - 1 in *courant, a table that holds 0; NULL: the
     * host is asked. */
    void (*courant_launch)(const struct instance *in, const struct slab *s, int ja, int jb, double dt, double *courant,
                           void *stream);
};

/* The candidates of a stage; NULL: its kernels come in one shape. */
const struct tunable *tunable_of(const struct model *m, int stage);
