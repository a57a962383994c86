/* What the ground is like by place: its temperature at the start, its roughness, of which 0 is sea, and its wetness, as
 * maps. First what the keys of &surface say of all of it; upon that what &surface file has; upon that the patches,
 * rectangles in whose order the later wins. A column is in a patch where its centre is: west <= x < east,
 * south <= y < north. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/filed.h"

enum ground_of { GROUND_TEMPERATURE, GROUND_ROUGHNESS, GROUND_WETNESS, GROUND_MAPS, GROUND_HEIGHT = GROUND_MAPS };

struct ground {
    struct filed_list list; /* of the file; path[0] 0: there is none */
    filed_reader *read;
    int field[GROUND_MAPS]; /* of the list; -1: the file has none */
    double scale[GROUND_MAPS], offset[GROUND_MAPS]; /* to the unit of the model */
    int patches;
    double least[GROUND_MAPS], most[GROUND_MAPS]; /* of all columns: K, m, 1 */
    double smooth; /* least roughness beside 0, m */
    double sea; /* share of the columns whose roughness is 0 */
};
