/* Reads files of profiles, text and netCDF. SPDX-License-Identifier: MIT */
#include "dynamics/forced.h"
#include "dynamics/sounding_parts.h"

#include "pipeline/config.h"
#include "pipeline/error.h"
#include "pipeline/filed.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TIMES_MOST = 100000, HEIGHTS_MOST = 20000, LINE_MOST = 8192 };

struct forced_block *forced_add(struct forced_blocks *b, double time, int n, unsigned given)
{
    struct forced_block *const more = realloc(b->of, ((size_t)b->n + 1) * sizeof *more);
    if (!more) return NULL;
    b->of = more;
    struct forced_block *const to = &more[b->n++];
    *to = (struct forced_block){.time = time, .n = n};
    to->z = calloc((size_t)SF_MAX(n, 1) * (1 + FORCED_KEYS), sizeof *to->z);
    if (!to->z) return NULL;
    for (int key = 0; key < FORCED_KEYS; key++)
        if (given >> key & 1) to->value[key] = to->z + (size_t)(1 + key) * (size_t)n;
    return to;
}

void forced_free(struct forced_blocks *b)
{
    for (int n = 0; n < b->n; n++) free(b->of[n].z);
    free(b->of);
    *b = (struct forced_blocks){0};
}

/* The row of a key in the model's table of parameters. */
static const struct param *row_of(const struct instance *in, int key)
{
    for (int n = 0; n < in->model->nparams; n++) {
        const struct param *const p = &in->model->param[n];
        if (!strcmp(p->group, "forcing") && !strcmp(p->key, forced_key[key])) return p;
    }
    return NULL;
}

static int range_check(const struct instance *in, const char *where, int key, double x)
{
    const struct param *const p = row_of(in, key);
    SF_CHECK(isfinite(x) && x >= p->min && x <= p->max, SF_INPUT, "%s: %s of %g %s lies outside of %g to %g", where,
             forced_key[key], x, p->unit, p->min, p->max);
    return SF_OK;
}

static int height_check(const char *where, const struct forced_block *b, int n)
{
    SF_CHECK(isfinite(b->z[n]) && b->z[n] >= 0, SF_INPUT, "%s: heights are above the ground: %g m is not", where,
             b->z[n]);
    SF_CHECK(!n || b->z[n] > b->z[n - 1], SF_INPUT, "%s: heights must rise: %g m follows %g m", where, b->z[n],
             n ? b->z[n - 1] : 0);
    return SF_OK;
}

static int time_check(const char *where, const struct forced_blocks *b, double time)
{
    SF_CHECK(isfinite(time), SF_INPUT, "%s: a time is a number of seconds since the start", where);
    SF_CHECK(!b->n || time > b->of[b->n - 1].time, SF_INPUT, "%s: times must rise: %g s follows %g s", where, time,
             b->n ? b->of[b->n - 1].time : 0);
    SF_CHECK(b->n < TIMES_MOST, SF_INPUT, "%s: more than %d times", where, TIMES_MOST);
    return SF_OK;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

struct text {
    const struct instance *in;
    struct forced_blocks *to;
    FILE *file;
    const char *path;
    int line; /* from 1 */
    int column[1 + FORCED_KEYS], columns; /* the key of each but the first; 0: the names have not come yet */
    unsigned given;
    int is_timed;
    double time;
    int n, room; /* rows of the block that is read */
    double *row;
    char where[BASE_PATH + 32];
};

/* The next word of a line, ended by NUL; NULL: there is none. */
static char *word_next(char **at)
{
    char *s = *at;
    while (*s && (isspace((unsigned char)*s) || *s == ',' || *s == '=')) s++;
    if (!*s || *s == '#' || *s == '!') return NULL;
    char *const from = s;
    while (*s && !isspace((unsigned char)*s) && !strchr(",=#!", *s)) s++;
    if (*s == '#' || *s == '!') *s = '\0', *at = s;
    else *at = *s ? (*s = '\0', s + 1) : s;
    return from;
}

static int number_of(const struct text *t, const char *word, double *x)
{
    const char *const end = word ? reader_number(word, word + strlen(word), x) : NULL;
    SF_CHECK(end && !*end, SF_INPUT, "%s: '%s' is no number", t->where, word ? word : "");
    return SF_OK;
}

static int names_read(struct text *t, char *word, char *at)
{
    SF_CHECK(!t->columns, SF_INPUT, "%s: the names of columns came before: '%s' is no number", t->where, word);
    SF_CHECK(!strcasecmp(word, "z"), SF_INPUT,
             "%s: the first line names the columns, such as 'z subsidence theta_rate': it begins with '%s', not with z",
             t->where, word);
    for (t->columns = 1; (word = word_next(&at)); t->columns++) {
        int key = 0;
        while (key < FORCED_KEYS && strcasecmp(word, forced_key[key]) != 0) key++;
        SF_CHECK(key < FORCED_KEYS, SF_INPUT,
                 "%s: there is no profile '%s'; columns are named as the keys of &forcing (sferic explain forcing)",
                 t->where, word);
        SF_CHECK(!(t->given >> key & 1), SF_INPUT, "%s: two columns are %s", t->where, word);
        t->given |= 1u << key, t->column[t->columns] = key;
    }
    SF_CHECK(t->columns > 1, SF_INPUT, "%s: there is no column beside the heights", t->where);
    return SF_OK;
}

static int row_read(struct text *t, char *word, char *at)
{
    SF_CHECK(t->columns, SF_INPUT, "%s: the first line names the columns, such as 'z subsidence theta_rate'", t->where);
    SF_CHECK(t->n < HEIGHTS_MOST, SF_INPUT, "%s: more than %d heights", t->where, HEIGHTS_MOST);
    if (t->n == t->room) {
        const int room = t->room ? 2 * t->room : 64;
        double *const more = realloc(t->row, (size_t)room * (1 + FORCED_KEYS) * sizeof *more);
        SF_CHECK(more, SF_MEMORY, "no memory for the rows of '%s'", t->path);
        t->row = more, t->room = room;
    }
    double *const to = t->row + (size_t)t->n++ * (1 + FORCED_KEYS);
    for (int m = 0; m < t->columns; m++, word = word_next(&at)) {
        SF_CHECK(word, SF_INPUT, "%s: %d numbers, but %d columns", t->where, m, t->columns);
        SF_TRY(number_of(t, word, &to[m]));
        if (m) SF_TRY(range_check(t->in, t->where, t->column[m], to[m]));
    }
    SF_CHECK(!word, SF_INPUT, "%s: more numbers than the %d columns", t->where, t->columns);
    SF_CHECK(to[0] >= 0, SF_INPUT, "%s: heights are above the ground: %g m is not", t->where, to[0]);
    SF_CHECK(t->n < 2 || to[0] > to[-1 - FORCED_KEYS], SF_INPUT, "%s: heights must rise: %g m follows %g m", t->where,
             to[0], t->n < 2 ? 0 : to[-1 - FORCED_KEYS]);
    return SF_OK;
}

/* The rows that have been read become a block. */
static int block_end(struct text *t)
{
    SF_CHECK(t->n, SF_INPUT, "%s: no values before this line, of time %g s", t->where, t->time);
    struct forced_block *const b = forced_add(t->to, t->time, t->n, t->given);
    SF_CHECK(b, SF_MEMORY, "no memory for the profiles of '%s'", t->path);
    for (int n = 0; n < t->n; n++)
        for (int m = 0; m < t->columns; m++)
            (m ? b->value[t->column[m]] : b->z)[n] = t->row[(size_t)n * (1 + FORCED_KEYS) + (size_t)m];
    t->n = 0;
    return SF_OK;
}

static int line_read(struct text *t, char *line)
{
    char *at = line, *const word = word_next(&at);
    if (!word) return SF_OK;
    const int is_time = !strcasecmp(word, "time");
    if (isalpha((unsigned char)word[0]) && !is_time) return names_read(t, word, at);
    if (!is_time) return row_read(t, word, at);
    SF_CHECK(t->is_timed || !t->n, SF_INPUT, "%s: values stand before the first line of a time", t->where);
    if (t->is_timed) SF_TRY(block_end(t));
    SF_TRY(number_of(t, word_next(&at), &t->time));
    SF_TRY(time_check(t->where, t->to, t->time));
    SF_CHECK(!word_next(&at), SF_INPUT, "%s: a line of a time has one number", t->where);
    t->is_timed = 1;
    return SF_OK;
}

static int text_read(struct text *t)
{
    char line[LINE_MOST];
    while (fgets(line, sizeof line, t->file)) {
        snprintf(t->where, sizeof t->where, "'%s', line %d", t->path, ++t->line);
        SF_CHECK(strlen(line) + 1 < sizeof line, SF_INPUT, "%s: it is longer than %d characters", t->where,
                 LINE_MOST - 2);
        SF_TRY(line_read(t, line));
    }
    snprintf(t->where, sizeof t->where, "'%s', at its end", t->path);
    SF_CHECK(!ferror(t->file), SF_INPUT, "cannot read '%s'", t->path);
    SF_CHECK(t->columns || t->is_timed, SF_INPUT,
             "'%s' is empty: its first line names the columns, such as 'z subsidence theta_rate'", t->path);
    SF_CHECK(t->n || t->is_timed, SF_INPUT, "'%s' has no rows below the names of its columns", t->path);
    return block_end(t);
}

/* ---- netCDF ------------------------------------------------------------------------------------------------------ */

/* What the file has of a key; -1: nothing. */
static int variable_find(const struct filed_list *list, int key)
{
    for (int n = 0; n < list->n; n++)
        if (!strcmp(list->field[n].name, forced_key[key])) return n;
    return -1;
}

static int variable_check(const struct instance *in, const char *path, const struct filed *f, int key)
{
    const char *const unit = row_of(in, key)->unit;
    SF_CHECK(!f->refusal[0], SF_INPUT, "'%s': %s cannot be read: %s", path, f->name, f->refusal);
    SF_CHECK(!f->n[FILED_X] && !f->n[FILED_Y] && f->n[FILED_Z], SF_INPUT,
             "'%s': %s is no profile: its dimensions are to be (time, z) or (z)", path, f->name);
    SF_CHECK(f->at[FILED_Z], SF_INPUT, "'%s': %s does not say where its levels lie: give its dimension a coordinate",
             path, f->name);
    SF_CHECK(!f->unit[0] || !strcmp(f->unit, unit), SF_INPUT, "'%s': %s is in '%s', and '%s' is wanted", path, f->name,
             f->unit, unit);
    return SF_OK;
}

static int moment_read(struct forced_blocks *b, const struct instance *in, const struct filed_list *list, double time)
{
    int of[FORCED_KEYS], first = -1;
    unsigned given = 0;
    for (int key = 0; key < FORCED_KEYS; key++) {
        if ((of[key] = variable_find(list, key)) < 0) continue;
        SF_TRY(variable_check(in, list->path, &list->field[of[key]], key));
        if (first < 0) first = of[key];
        given |= 1u << key;
    }
    SF_CHECK(given, SF_INPUT, "'%s' holds no profile that is named as a key of &forcing (sferic explain forcing)",
             list->path);
    char where[BASE_PATH + 64];
    snprintf(where, sizeof where, "'%s', time %g", list->path, time);
    const struct filed *const f = &list->field[first];
    SF_TRY(time_check(where, b, time));
    struct forced_block *const to = forced_add(b, time, f->n[FILED_Z], given);
    SF_CHECK(to, SF_MEMORY, "no memory for the profiles of '%s'", list->path);
    for (int n = 0; n < to->n; n++) {
        to->z[n] = f->at[FILED_Z][n];
        SF_TRY(height_check(where, to, n));
    }
    for (int key = 0; key < FORCED_KEYS; key++) {
        if (of[key] < 0) continue;
        const struct filed *const x = &list->field[of[key]];
        SF_CHECK(x->n[FILED_Z] == to->n, SF_INPUT, "'%s': %s and %s have other heights", list->path, f->name, x->name);
        for (int n = 0; n < to->n; n++)
            SF_CHECK(fabs(x->at[FILED_Z][n] - to->z[n]) <= 1e-6 * to->z[n], SF_INPUT,
                     "'%s': %s and %s have other heights", list->path, f->name, x->name);
        SF_TRY(in->filed_read(list, of[key], 0, 1, to->value[key]));
        for (int n = 0; n < to->n; n++) SF_TRY(range_check(in, where, key, to->value[key][n]));
    }
    return SF_OK;
}

/* 1: `text` is a date and maybe a time of day, as 2000-01-01 or 2000-01-01T06:00:00Z, of UTC. */
static int date_read(const char *text, double date[6])
{
    int n = 0, more = 0;
    for (int m = 3; m < 6; m++) date[m] = 0;
    if (sscanf(text, "%lf-%lf-%lf%n", &date[0], &date[1], &date[2], &n) < 3 || !n) return 0;
    if (sscanf(text + n, "%*1[T ]%2lf:%2lf%n", &date[3], &date[4], &more) == 2 && more) n += more, more = 0;
    if (sscanf(text + n, ":%lf%n", &date[5], &more) == 1) n += more;
    while (text[n] == ' ') n++;
    return !text[n] || !strcmp(text + n, "Z") || !strcmp(text + n, "UTC");
}

int forced_seconds_find(const struct filed_list *list, const char *start, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } unit[] = {{"", 1},        {"s", 1},        {"sec", 1},      {"second", 1},  {"seconds", 1},
                {"min", 60},    {"minute", 60},  {"minutes", 60}, {"h", 3600},    {"hr", 3600},
                {"hour", 3600}, {"hours", 3600}, {"d", 86400},    {"day", 86400}, {"days", 86400}};
    const char *const text = list->time_unit, *const since = strstr(text, " since ");
    const size_t n = since ? (size_t)(since - text) : strlen(text);
    double given[6], wanted[6];
    *seconds = 0;
    for (size_t u = 0; u < sizeof unit / sizeof unit[0]; u++)
        if (strlen(unit[u].name) == n && !strncasecmp(text, unit[u].name, n)) *seconds = unit[u].seconds;
    SF_CHECK(*seconds > 0, SF_INPUT, "'%s': its times are in '%s', and s, min, h or d since the start are wanted",
             list->path, text);
    if (!since) return SF_OK;
    const int is_start = date_read(since + strlen(" since "), given) && date_read(start, wanted);
    int is_other = !is_start;
    for (int m = 0; m < 6 && is_start; m++) is_other |= given[m] < wanted[m] || given[m] > wanted[m];
    SF_CHECK(!is_other, SF_INPUT,
             "'%s': its times are in '%s', and the run starts at %s: give seconds since the start, of unit 's'",
             list->path, text, start);
    return SF_OK;
}

/* Profiles that no key is for. */
static void strangers_tell(const struct filed_list *list, struct complaints *to)
{
    for (int n = 0; n < list->n; n++) {
        int key = 0;
        while (key < FORCED_KEYS && strcmp(list->field[n].name, forced_key[key]) != 0) key++;
        if (key == FORCED_KEYS && list->field[n].n[FILED_Z])
            sf_complain_mildly(to, "forcing%file", -1, "%s of the file is not read: no key of &forcing is named so",
                               list->field[n].name);
    }
}

static int moments_read(struct forced_blocks *b, const char *path, const struct instance *in)
{
    double unit = 1;
    struct filed_list list;
    SF_CHECK(in->filed_list && in->filed_read, SF_INTERNAL, "nothing reads files of fields here");
    SF_TRY(in->filed_list(path, -1, &list));
    strangers_tell(&list, in->complaints);
    int rc = list.has_time && list.ntimes < 1
                 ? sf_fail(SF_INPUT, __FILE__, __LINE__,
                           "'%s': its dimension of time has no coordinate: give a variable of its name, in s since the "
                           "start",
                           path)
                 : forced_seconds_find(&list, in->config->time_start, &unit);
    if (!rc && !list.has_time) rc = moment_read(b, in, &list, 0);
    if (!rc && list.has_other_times)
        rc = sf_fail(SF_INPUT, __FILE__, __LINE__,
                     "'%s': its profiles are of several times: let them have one dimension", path);
    for (int n = 0; n < list.ntimes && !rc; n++) {
        for (int f = 0; f < list.n; f++)
            if (list.field[f].time >= 0) list.field[f].time = n;
        rc = list.times[n] >= 0
                 ? moment_read(b, in, &list, list.times[n] * unit)
                 : sf_fail(SF_INPUT, __FILE__, __LINE__, "'%s': times count from the start, and %g lies before it",
                           path, list.times[n]);
    }
    in->filed_read(&list, 0, 0, 0, NULL);
    filed_free(&list);
    return rc;
}

int forced_read(struct forced_blocks *b, const char *path, const struct instance *in)
{
    unsigned char magic[4] = {0};
    FILE *const file = fopen(path, "rb");
    SF_CHECK(file, SF_INPUT, "cannot read '%s'", path);
    const size_t n = fread(magic, 1, sizeof magic, file);
    rewind(file);
    const int is_netcdf = n == sizeof magic && (!memcmp(magic, "CDF", 3) || !memcmp(magic, "\211HDF", 4));
    struct text t = {.in = in, .to = b, .file = file, .path = path};
    const int rc = is_netcdf ? moments_read(b, path, in) : text_read(&t);
    free(t.row);
    fclose(file);
    return rc;
}
