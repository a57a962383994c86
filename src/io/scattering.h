/* Scattering parameters of all ports, from runs of which each drove one of them: read, solved, written as netCDF and
 * Touchstone. Of the thread that makes netCDF calls, on rank 0.
 *
 * Run m has waves a[n][m] into the device and b[n][m] out of it at every port n. b = S a holds for each run, whatever
 * the ends of ports return, so S = B inverse(A). Errors: SF_INPUT of a file that cannot be read or is of other ports
 * and frequencies, SF_IO, SF_MEMORY. SPDX-License-Identifier: MIT */
#pragma once

#include <complex.h>

struct scattering {
    int n, nf; /* ports, frequencies */
    double *frequency; /* Hz */
    double *number, *resistance; /* [n]: of each port; ohm, 0: a guide, whose waves are of its own impedance */
    double complex *a, *b, *s; /* [nf][port][driven], a and b in W^1/2 Hz^-1 */
    unsigned char *said; /* [nf]: 1 where S is known */
};

/* Room for n ports. */
int scattering_begin(struct scattering *x, int n);
void scattering_free(struct scattering *x); /* also of a zeroed one */

/* Take the run that drove port number `driven` (0 .. n - 1) from ports.nc of its directory. */
int scattering_read(struct scattering *x, int driven, const char *directory);
/* S from all of them. Where a wave is not said, or the runs do not tell the ports apart, nothing is. */
void scattering_solve(struct scattering *x);

/* The largest |S_mn - S_nm|, and the largest share of the power into a port that comes out of all. Over the frequencies
 * that are said. */
void scattering_judge(const struct scattering *x, double *unlike, double *most);

/* directory/sparameters.nc, and directory/name.sNp: Touchstone 1.1, or 2.0 where ports have different resistances. */
int scattering_write(const struct scattering *x, const char *directory, const char *name, const char *source);
