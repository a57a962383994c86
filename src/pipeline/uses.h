/* Which keys a run reads: a table says with which choices each key counts, and who gives one that counts for nothing is
 * told. SPDX-License-Identifier: MIT */
#pragma once

struct complaints;
struct model;

/* A key counts where one of the keys `of` ("group%key" once or several times with a blank between) is one of `words`,
 * blank-separated; words NULL: where it is given and is not its default. And where, `also` not NULL, the same holds of
 * `also` and `also_words`. Rows of one key follow each other: it counts where one of them lets it. Element m of a key
 * of a list is judged by element m of other keys of that list, anything else by any element. Where the first of a list
 * (its kind) is at its default the element is switched off, and nothing is told of it. */
struct param_use {
    const char *key, *of, *words, *also, *also_words;
};

/* Warns of each key that was given, is not its default, and counts for nothing. values(names, group, key): how many
 * entries of a key were given. Only names of keys of the model may stand in the table (an assertion). */
void param_uses_check(const struct model *m, const void *params, const struct param_use *use, int n,
                      int (*values)(const void *names, const char *group, const char *key), const void *names,
                      struct complaints *to);

/* Is element `element` of "group%key" other than its default? */
int param_is_set(const struct model *m, const void *params, const char *key, int element);
