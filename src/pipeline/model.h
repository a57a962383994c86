/* A model is three tables and a program: fields, parameters, stages, and the time step as a flat list of ops.
 *
 * Everything else follows from them: ghost rows, schedule, memory, transfers, restart and output metadata, checking of
 * the namelist, and what `explain` prints. The engine reads these tables; it knows no physics.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* ---- parameters -------------------------------------------------------------------------------------------------- */

enum param_type {
    PARAM_INT,     /* int */
    PARAM_REAL,    /* double */
    PARAM_LOGICAL, /* int, 0 or 1 */
    PARAM_STRING,  /* char[size] */
    PARAM_CHOICE   /* int, the index of the word in `choices` */
};

/* One key of one group. An array of `count` elements lies contiguous at `offset` in the parameter block. */
struct param {
    const char *group, *key;
    enum param_type type;
    size_t offset; /* bytes from the start of the block */
    size_t size;   /* bytes of one element; for a string its capacity with the NUL */
    int count;     /* 1 for a scalar */
    const char *initial; /* default, as namelist text; the last value fills an array */
    double min, max;     /* inclusive range of numbers; min > max: no limit */
    const char *choices; /* blank-separated words of a PARAM_CHOICE, else NULL */
    const char *unit;    /* "1" when dimensionless, "" when none applies */
    const char *meaning; /* one sentence */
};

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Where the value sits in its cell; a face or level n lies at the low side of cell n. */
enum stagger { STAG_CENTRE = 0, STAG_X = 1, STAG_Y = 2, STAG_Z = 4 };

enum shape {
    SHAPE_FULL,  /* [nj][nk][ni] */
    SHAPE_LEVELS, /* [nk]: a vertical profile */
    SHAPE_MAP    /* [nj][ni] */
};

enum role {
    ROLE_PROGNOSTIC, /* loaded, computed, stored, in restart and digest */
    ROLE_TRACER,     /* the same, one of a family with a run-time count */
    ROLE_STATIC,     /* loaded, never changed */
    ROLE_SCRATCH     /* lives within a step; where the step is computed and nowhere else */
};

enum face { FACE_W, FACE_E, FACE_S, FACE_N, FACE_B, FACE_T, FACES };

/* What stands beyond a face of the domain. EVEN and ODD mirror about the face; a quantity staggered onto an ODD face is
 * zero there. OPEN repeats the outermost value; a quantity staggered onto an OPEN face has one more value, its own. */
enum ghost { GHOST_NONE, GHOST_PERIODIC, GHOST_EVEN, GHOST_ODD, GHOST_OPEN };

struct field {
    const char *name, *long_name, *unit, *standard_name; /* standard_name: CF, "" when CF has none */
    unsigned stagger;                                     /* sum of enum stagger */
    enum role role;
    enum shape shape;
    enum ghost ghost[FACES];
    int banks; /* 1, or 2 for a field that some stage reads beyond its unit and changes */
};

/* ---- stages and the program -------------------------------------------------------------------------------------- */

enum access_mode {
    ACCESS_END = 0,
    ACCESS_READ,   /* read within the reach */
    ACCESS_UPDATE, /* read and changed, at the stage's own unit only */
    ACCESS_WRITE   /* every unit of the span is written, none read; with two banks: into the other bank */
};

/* How far a read extends beyond the stage's own unit, in grid points. */
struct reach {
    signed char im, ip, km, kp, jm, jp;
};

struct access {
    int field;
    enum access_mode mode;
    struct reach reach; /* of ACCESS_READ */
    int family;         /* 1: the op's member is added to `field` */
};

enum unit { UNIT_POINT, UNIT_COLUMN };

/* What an op hands to its stage. `work` is `work_bytes` of scratch memory that belongs to the calling thread. */
struct call {
    real dt;          /* s, the op's share of the step */
    int arg;          /* the op's literal argument */
    int member;       /* which of a family */
    long step;        /* number of the time step, from 0 */
    double time;      /* s at the start of the step */
    const void *ctx;  /* the model's constants */
    void *work;
};

typedef void stage_function(const struct slab *s, struct box b, const struct call *c);

enum { STAGE_MAX_ACCESS = 32 };

struct stage {
    const char *name;
    stage_function *run;
    enum unit unit;
    int extend; /* 1: where a side is open, the box also holds the face beyond the last cell */
    struct access access[STAGE_MAX_ACCESS]; /* closed by ACCESS_END */
    size_t (*work_bytes)(int columns, int nk); /* NULL: none */
    double flops; /* per point, for reports; 0 when not counted */
};

struct op {
    int stage;
    double dt_factor; /* times the time step gives call.dt */
    int every;        /* run when step % every == 0; 1: always */
    int arg, member;
};
