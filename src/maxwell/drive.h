/* What a source does to an element. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

enum source_drive { DRIVE_CURRENT, DRIVE_SOFT, DRIVE_HARD };

/* `turn`: the element's coefficient, which a current enters with. */
SF_FORMULA real driven(real f, enum source_drive drive, real turn, real value)
{
    return drive == DRIVE_CURRENT ? f + turn * value : drive == DRIVE_SOFT ? f + value : value;
}
