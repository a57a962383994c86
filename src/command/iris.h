/* A symmetric inductive iris without thickness in a rectangular guide, exactly: two vanes from the narrow walls leave
 * an opening in the middle, as high as the guide. SPDX-License-Identifier: MIT */
#pragma once

#include <complex.h>

/* Of a TE10 wave at a frequency between its own cut-off and that of TE30, in a guide `width` wide with vacuum in it:
 * s[0] what returns (S11), s[1] what goes through (S21), both counted at the iris. m, Hz. */
void iris_scatter(double width, double opening, double frequency, double complex s[2]);
