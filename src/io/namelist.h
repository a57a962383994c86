/* Reads, checks, prints and explains Fortran namelists (Fortran 2018, 13.11) against tables of
 * parameters.
 *
 * A schema joins up to four tables with the blocks that hold their values; a group may be spread over
 * several of them. The order of use: namelist_defaults, namelist_read, namelist_set for each override,
 * namelist_write, namelist_free. Read on one rank: a rank that did not read needs the bytes of every
 * block and of `given`.
 *
 * Lists. A group whose keys are entries (struct param) may be given several times: each time it holds the next entry,
 * with one value a key. Or it is given with lists, `name = 'a', 'b'`; a text has one of both forms for a group.
 *
 * Where this reader departs from the standard, so that mistakes are found: an unknown group or key is an
 * error, a string ends on the line it begins on, numbers are finite, and a trailing null beyond the end
 * of a key is ignored.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "pipeline/complaint.h"
#include "pipeline/model.h"

enum { SCHEMA_PARTS = 4 };

struct schema_part {
    const struct param *table;
    int n;
    void *block;
    const char *model; /* whose keys they are; NULL: every case has them */
};

/* Keys of a model that is not asked for: only so that they are told apart from misspelt ones. */
struct schema_other {
    const char *model;
    const struct param *table;
    int n;
};

/* A key or a whole group that used to have another name: "group%key" or "group". `now` NULL: it was
 * dropped. */
struct renamed {
    const char *old, *now;
};

struct schema {
    struct schema_part part[SCHEMA_PARTS];
    int nparts;
    struct schema_other other[SCHEMA_PARTS];
    int nothers;
    const struct renamed *renamed;
    int nrenamed;
    int *given; /* [keys of all parts]: highest index the user gave, 0 none; made by namelist_defaults */
    int *entries; /* [keys of all parts]: at the first key of a group that was given several times, one entry each: how
                   * many; else 0. Made by namelist_defaults */
    struct origins *origins; /* which text gave which value; made by namelist_defaults, filled where texts are read */
};

/* What was found, as a compiler would print it, in the order of finding. Starts zeroed; `text` is NULL or ends in
 * NUL. */
struct report {
    char *text;
    size_t len, cap;
    struct finding *finding;
    int nfindings;
    int errors, warnings;
    int failed; /* out of memory: the text is cut */
};
/* Bring the findings into the order of their places: the file, the overrides, what has no place. */
void report_sort(struct report *r);
/* Print to stderr, count its warnings among those told, and free. */
void report_tell(struct report *r);
void report_free(struct report *r);

/* Fill every block from the tables and forget what the user gave. SF_INTERNAL: a default breaks its own
 * table. */
int namelist_defaults(struct schema *s);
void namelist_free(struct schema *s);

/* The whole text of a namelist into memory that the caller frees. A pipe can be read only once: whoever needs its text
 * twice loads it and parses what was loaded. Waits for a writer, a minute of silence at most. SF_NAMELIST: it cannot be
 * read; is silent; or is larger than 1 MiB. SF_MEMORY. */
int namelist_load(const char *path, char **text, size_t *len);

/* Read a file; errors and warnings go to stderr. SF_NAMELIST when there is an error or the file cannot
 * be read. Values without fault are stored even then. */
int namelist_read(const char *path, const struct schema *s);
int namelist_read_report(const char *path, const struct schema *s, struct report *r);

/* The same from memory, with the findings in `r`; `name` stands for the file in them. A text without any group is an
 * error. */
int namelist_parse(const char *text, size_t len, const char *name, const struct schema *s, struct report *r);

/* One override, `group%key=value`, where value is namelist text. A shell removes quotes, so strings and
 * choices may come without: such a word ends at a comma. The values given are all that the key then has, and further
 * elements take their defaults again; with an index, `group%key(2)=value`, the others stay. SF_USAGE when it is no
 * assignment, SF_NAMELIST when the key or value is wrong. */
int namelist_set(const char *assignment, const struct schema *s);
int namelist_set_report(const char *assignment, const struct schema *s, struct report *r);

/* Add complaints to the findings, each where its key stands in the file or the override, and sort all. `name` stands
 * for the file where a key has its default. Complaints that follow from an error of the reader are left out. Errors:
 * SF_MEMORY. */
int namelist_complain(const struct schema *s, const char *name, const struct complaints *c, struct report *r);

/* The values as they stand: every group and key, with unit and meaning. Reading it back over the
 * defaults gives the same bits and the same counts: elements of an array beyond the last one given that
 * still hold their default are left out. The caller frees the string. SF_INTERNAL: a value has no
 * namelist form (not finite, or a string with a line end). */
int namelist_write(FILE *f, const struct schema *s);
int namelist_text(const struct schema *s, char **text);

/* Type, unit, range, choices, default and meaning of every key (`what` NULL), a group, or a key
 * `group%key`. SF_USAGE when there is no such thing, with the nearest name. */
int namelist_explain(FILE *f, const struct schema *s, const char *what);

/* The first place of `word` in `text` where a word begins, whatever the case of letters: rain in rain_rate, not in
 * terrain. NULL: none. */
const char *namelist_holds(const char *text, const char *word);
/* Print the groups, and the keys, of whose names, choices or meanings a word begins with `word`, a line each, in this
 * order; *found: how many. Errors: SF_MEMORY, SF_IO. */
int namelist_search(FILE *f, const struct schema *s, const char *word, int *found);
/* A line as namelist_search prints it, of what is no key. Errors: SF_MEMORY, SF_IO. */
int namelist_search_row(FILE *f, const char *name, const char *text, const char *word);
int namelist_has_group(const struct schema *s, const char *word);
/* The group whose name is nearest to a mistyped word, "'grid'", or, where none is near, the key, "'time%dt'"; "": there
 * is neither. */
void namelist_near(const struct schema *s, const char *word, char *text, size_t size);

/* Every key as an element of a JSON list, for programs: group, key, model (of keys that are one's own), type, count,
 * is_entry, min and max (inclusive, where there are any), choices (separated by blanks), unit, default (as namelist
 * text), meaning. */
int namelist_explain_json(FILE *f, const struct schema *s);

/* The word of a choice, into a buffer. 0 when there is no such key, or when it is no choice. */
int namelist_word(const struct schema *s, const char *group, const char *key, char *word, size_t size);

/* Did the user give the key a value; the highest index given, 0 when none. No such key: 0. */
int namelist_is_set(const struct schema *s, const char *group, const char *key);
int namelist_count(const struct schema *s, const char *group, const char *key);
