/* What the files of the namelist reader share: a position in a text, findings, keys. Not for use elsewhere.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "io/namelist.h"

enum { NML_NAME = 128, NML_TEXT_MAX = 1 << 20 }; /* bytes of a name with the NUL; of a file */
enum { NML_PATIENCE = 60 }; /* s that a pipe may be silent */

struct nml_reader {
    const char *text;
    size_t len, at;
    const char *name; /* of the file */
    const struct schema *s;
    struct report *r;
    size_t *seen; /* [elements of all keys]: 1 + offset of the assignment that set it, 0 none; NULL: not kept */
    struct nml_list *list; /* [keys]: of the group whose first key it is; NULL: not kept */
    struct nml_list *open; /* of the group that is being read; NULL: it is no list */
    int lenient; /* an override or a default: one assignment, strings may lack quotes */
    int origin; /* number of the text among the origins, from 1; 0: not kept */
};

/* What a text has given so far of a group whose keys are entries. */
struct nml_list {
    enum {
        LIST_NONE,
        LIST_GROUPS,
        LIST_ARRAYS
    } form; /* LIST_NONE: at most one entry so far, which may be of either form */
    int entries; /* groups with an entry, of the first two forms */
    size_t at, first_at; /* of this group, and of the first that decided the form */
    int is_begun, has_told, has_name; /* in this group */
    int was_nameless; /* the first entry */
    const struct param *name; /* the key that says what an entry is */
};

/* A key of a schema and where its values lie. */
struct nml_key {
    const struct param *p;
    const char *model; /* whose key it is; NULL: every case has it */
    char *base;
    int index; /* among all keys of the schema */
    int first; /* of its first element among the elements of all keys */
    int *given; /* its entry of schema.given; NULL: not kept */
};

/* ---- namelist_report.c ---- */

void nml_add(struct report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Add text with control characters and broken UTF-8 replaced by '?', so that a file cannot drive a
 * terminal. */
void nml_add_clean(struct report *r, const char *text, size_t n);
/* A finding at offset `at`: place, message, the line, a caret, and the key's description when `p` is
 * given. */
void nml_error(struct nml_reader *rd, size_t at, const struct param *p, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void nml_warning(struct nml_reader *rd, size_t at, const struct param *p, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int nml_line(const struct nml_reader *rd, size_t at);
/* Further findings are only counted: no use in working out what they would say. */
int nml_errors_full(const struct report *r);
int nml_warnings_full(const struct report *r);

/* A finding from outside the reader, at `at`, or without a place where rd->text is NULL. */
void nml_complaint(struct nml_reader *rd, int is_error, size_t at, const struct param *p, const char *text);

/* ---- namelist_origin.c ---- */

int nml_origins_init(struct schema *s); /* 0: no memory */
void nml_origins_free(struct schema *s);
/* Keep the text of the reader; what is read from it can be shown later. Errors: SF_MEMORY. */
int nml_origin_add(struct nml_reader *rd);
void nml_origin_set(const struct nml_reader *rd, const struct nml_key *key, int element, size_t at);
/* Entry `entry` of a group is the group that begins at `at`: what is said of its other keys is shown there. */
void nml_origin_entry(const struct nml_reader *rd, const struct nml_key *key, int entry, size_t at);
/* Elements from `from` on have their defaults again. */
void nml_origin_forget(const struct nml_reader *rd, const struct nml_key *key, int from);
/* An error was told of a key, or of all keys of a group. */
void nml_fault_set(const struct nml_reader *rd, const struct param *p);
void nml_fault_set_group(const struct nml_reader *rd, const char *group);

/* ---- namelist_schema.c ---- */

int nml_same(const char *a, const char *b); /* equal but for the case of letters */
int nml_key_at(const struct schema *s, int index, struct nml_key *out);
int nml_key_find(const struct schema *s, const char *group, const char *name, struct nml_key *out);
int nml_key_total(const struct schema *s);
int nml_element_total(const struct schema *s);
int nml_group_find(const struct schema *s, const char *group); /* index of its first key, -1 none */
/* The model that has the group, or this key of it, of those that are not asked for; NULL none. And the one that is. */
const char *nml_other_model(const struct schema *s, const char *group, const char *key);
const char *nml_model(const struct schema *s);
/* The group, or the key of `group` (any group when NULL), whose name is nearest; NULL or 0 when none is
 * near. */
const char *nml_group_near(const struct schema *s, const char *word);
int nml_key_near(const struct schema *s, const char *group, const char *word, struct nml_key *out);
/* The key that a word without '%' may stand for: its own name, or `group%key` misspelt. */
int nml_name_near(const struct schema *s, const char *word, struct nml_key *out);
const struct renamed *nml_renamed_find(const struct schema *s, const char *group, const char *name);

/* ---- namelist_value.c ---- */

/* Store the unquoted word or the quoted string [at, at + n) into `dest`, or report why not. */
int nml_word_store(struct nml_reader *rd, const struct param *p, size_t at, size_t n, void *dest);
int nml_string_store(struct nml_reader *rd, const struct param *p, size_t at, size_t n, void *dest);
enum { NML_REAL_SIZE = 32 };
void nml_real_text(double x, char text[NML_REAL_SIZE]); /* shortest that reads back to the same bits */

/* ---- namelist_lex.c ---- */

static inline int nml_byte(const struct nml_reader *rd, size_t at)
{
    return at < rd->len ? (unsigned char)rd->text[at] : -1;
}

static inline int nml_is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static inline int nml_is_digit(int c) { return c >= '0' && c <= '9'; }
static inline int nml_is_blank(int c) { return c == ' ' || c == '\t'; }
static inline int nml_is_space(int c) { return nml_is_blank(c) || c == '\n' || c == '\r' || c == '\0'; }
static inline int nml_is_quote(int c) { return c == '\'' || c == '"'; }
static inline int nml_is_end(int c) { return c == -1 || nml_is_space(c) || c == '!' || c == '&'; }
static inline int nml_is_separator(int c) { return nml_is_end(c) || c == ',' || c == '/' || c == ';' || c == '#'; }

size_t nml_line_end(const struct nml_reader *rd, size_t at);
size_t nml_blank_skip(const struct nml_reader *rd, size_t at);
size_t nml_word_end(const struct nml_reader *rd, size_t at);
/* Does a name and its '=' stand here, rather than a value? */
int nml_name_ahead(const struct nml_reader *rd, size_t at);
/* Does the "$end" of an old dialect stand here? */
int nml_dollar_end(const struct nml_reader *rd, size_t at);
/* End of the value without quotes at `at`. Where words may hold a slash, only one before a blank or an
 * end closes. */
size_t nml_token_end(const struct nml_reader *rd, size_t at, int is_wordy);
/* One past the closing quote, or 0 when the line ends first. */
size_t nml_string_end(const struct nml_reader *rd, size_t at);
void nml_space_skip(struct nml_reader *rd); /* and comments */
/* After an error: go on to the next line, comma (when asked), assignment or end of the group. */
void nml_recover(struct nml_reader *rd, int stop_at_comma);

/* ---- namelist_load.c ---- */

/* namelist_load with another limit of silence, s. */
int nml_text_load(const char *path, double patience, char **text, size_t *len);

/* ---- namelist_outside.c ---- */

/* The line at rd->at stands outside of all groups: tell of what was meant to be read. */
void nml_outside_check(struct nml_reader *rd);

/* ---- namelist_parse.c ---- */

void nml_read_file(struct nml_reader *rd);
void nml_read_assignment(struct nml_reader *rd, const char *group);

/* ---- namelist_entry.c ---- */

/* A group begins, or ends, at `at`; `index` is of its first key. */
void nml_group_begin(struct nml_reader *rd, int index, size_t at);
void nml_group_end(struct nml_reader *rd);
/* An assignment to an entry's key: which element takes its value, from 0, and into *one whether it takes one alone.
 * `is_indexed`: it has a subscript. -1: what is wrong was told. */
int nml_entry_place(struct nml_reader *rd, const struct nml_key *key, int is_indexed, size_t at, int *one);
/* After it was read: the highest element that it gave, from 1. */
void nml_entry_read(struct nml_reader *rd, const struct nml_key *key, int is_indexed, int highest, size_t at);

/* ---- namelist_list.c ---- */

/* Values until the next key or the end; returns the highest element stored, from 1. */
int nml_read_values(struct nml_reader *rd, const struct nml_key *key, int start, int step, int n, size_t name_at);
/* A whole key from its default; 0 when the default breaks its own table. */
int nml_default_read(const struct param *p, void *dest);

/* ---- namelist_explain.c ---- */

/* Group, key, what it takes, unit, range and default, in a line. */
void nml_describe(struct report *r, const struct param *p);
