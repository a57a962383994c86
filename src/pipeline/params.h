/* Turns a parameter file (.def) into the struct that holds the values and the table that describes them.
 *
 * A .def file is a list of
 *     PARAM(group, key, TYPE, default text, min, max, choices, unit, meaning)          a scalar
 *     PARAMS(group, key, TYPE, count, default text, min, max, choices, unit, meaning)  an array
 *     ENTRIES(the same)  an array of which a namelist may give one element in each of several groups of that name
 * with TYPE one of INT REAL LOGICAL STRING CHOICE. The member of the struct is called group_key.
 *
 *     struct thing_params {
 *     #define PARAM SF_PARAM_MEMBER
 *     #define PARAMS SF_PARAMS_MEMBER
 *     #include "thing/params.def"
 *     };
 *     #define SF_PARAM_STRUCT struct thing_params
 *     static const struct param table[] = {
 *     #define PARAM SF_PARAM_ROW
 *     #define PARAMS SF_PARAMS_ROW
 *     #include "thing/params.def"
 *     };
 * and likewise ENTRIES, SF_PARAMS_MEMBER and SF_ENTRIES_ROW, where there are such keys.
 * The .def file undefines these macros at its end. No limit on a number: min 1, max 0.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/model.h"

#include <string.h>

enum { PARAM_STRING_SIZE = 256 };
typedef char param_string[PARAM_STRING_SIZE];

/* The word number `index` of the choices of a parameter; *length: of it. */
static inline const char *param_choice(const char *choices, int index, int *length)
{
    const char *c = choices + strspn(choices, " ");
    for (; index > 0 && *c; index--) {
        c += strcspn(c, " ");
        c += strspn(c, " ");
    }
    *length = (int)strcspn(c, " ");
    return c;
}

#define SF_PARAM_CTYPE_INT int
#define SF_PARAM_CTYPE_REAL double
#define SF_PARAM_CTYPE_LOGICAL int
#define SF_PARAM_CTYPE_STRING param_string
#define SF_PARAM_CTYPE_CHOICE int

#define SF_PARAM_MEMBER(group, key, type, initial, min, max, choices, unit, meaning)                                   \
    SF_PARAM_CTYPE_##type group##_##key;
#define SF_PARAMS_MEMBER(group, key, type, count, initial, min, max, choices, unit, meaning)                           \
    SF_PARAM_CTYPE_##type group##_##key[count];

/* Of scalars, arrays and entries; is_list 1: of entries. */
#define SF_PARAM_ANY_ROW(group, key, type, count, initial, min, max, choices, unit, meaning, is_list)                  \
    {#group,                                                                                                           \
     #key,                                                                                                             \
     PARAM_##type,                                                                                                     \
     offsetof(SF_PARAM_STRUCT, group##_##key),                                                                         \
     sizeof(SF_PARAM_CTYPE_##type),                                                                                    \
     count,                                                                                                            \
     initial,                                                                                                          \
     min,                                                                                                              \
     max,                                                                                                              \
     choices,                                                                                                          \
     unit,                                                                                                             \
     meaning,                                                                                                          \
     is_list},
#define SF_PARAM_ROW(group, key, type, initial, min, max, choices, unit, meaning)                                      \
    SF_PARAM_ANY_ROW(group, key, type, 1, initial, min, max, choices, unit, meaning, 0)
#define SF_PARAMS_ROW(group, key, type, count, initial, min, max, choices, unit, meaning)                              \
    SF_PARAM_ANY_ROW(group, key, type, count, initial, min, max, choices, unit, meaning, 0)
#define SF_ENTRIES_ROW(group, key, type, count, initial, min, max, choices, unit, meaning)                             \
    SF_PARAM_ANY_ROW(group, key, type, count, initial, min, max, choices, unit, meaning, 1)
