/* What the turn at a Bloch-periodic seam changes of an element: see bloch.h. SPDX-License-Identifier: MIT */
#pragma once

#include "maxwell/element.h"

/* The two components across the axis, u and v, real and imaginary parts: each takes the other's partner. */
struct bloch_seam {
    real *to[2][2]; /* [u, v][re, im], row j0 of the slab */
    const real *from[2][2]; /* what lies beyond the seam, of the component that differs along the axis */
    const void *ids[2]; /* media of u and v */
    const real *turn; /* coefficients */
    int wide; /* bytes of an id */
    ptrdiff_t sj, sk, beyond; /* from an element to the one across the seam */
    real spacing[2]; /* 1/m, with the sign of the curl */
    real less, sine; /* of the phase; sine with its sign for this side */
    struct place_range range; /* elements, rows of the domain; those of a periodic y repeat after `rows` */
    int j0, rows;
};

/* Turned less plain: (z - 1) F, z = 1 + less - j sine. */
SF_FORMULA real bloch_change_re(real re, real im, real less, real sine) { return sf_fma(less, re, sine * im); }
SF_FORMULA real bloch_change_im(real re, real im, real less, real sine) { return sf_fma(less, im, -(sine * re)); }

/* Component `which`, 0 u, 1 v, at offset `at`. */
SF_FORMULA void bloch_point(const struct bloch_seam *m, int which, ptrdiff_t at)
{
    const real re = m->from[which][0][at + m->beyond], im = m->from[which][1][at + m->beyond];
    const real turn = coefficient_at(m->turn, m->ids[which], at, m->wide) * m->spacing[which];
    m->to[which][0][at] += turn * bloch_change_re(re, im, m->less, m->sine);
    m->to[which][1][at] += turn * bloch_change_im(re, im, m->less, m->sine);
}

struct bloch_pack;
struct call;

/* The seam of axis call.arg in a box, of E or of H; host. */
struct bloch_seam bloch_seam_of(const struct bloch_pack *p, struct box b, const struct call *c, int is_e);
