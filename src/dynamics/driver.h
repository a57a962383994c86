/* A file that leads the air at open sides (Davies 1976): at the beginning of every step
 *
 *     q = (1 - w) q + w q_file        w = 1 - tanh(d / scale) where d < rows, else 0
 *
 * of u, v, theta', pi' and vapour; w, cloud and rain go to 0, over terrain w to what the file's wind along the surfaces
 * makes. d: cells from the nearest side, 0 for the outermost; of a wind on faces half a cell less on either side, on
 * the side itself 0. q_file: between two times of the file on a straight line. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

SF_FORMULA real driver_toward(real weight, real q, real to) { return sf_fma(weight, to - q, q); }
