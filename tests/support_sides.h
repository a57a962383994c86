/* Sides of the test models. SPDX-License-Identifier: MIT */
#pragma once

enum side { SIDE_PERIODIC, SIDE_WALL, SIDE_OPEN, SIDE_SYMMETRIC };
