/* What makes a run this run: the text that its checkpoints carry. SPDX-License-Identifier: MIT */
#include "command/session_parts.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { VALUE = PARAM_STRING_SIZE + 32 };

/* Keys that change no bit of the state. Times of steps are compared by themselves when a checkpoint is read. */
static int is_free(const struct session *s, const struct param *p)
{
    if (!strcmp(p->group, "dynamics") && !strncmp(p->key, "expected_", 9))
        return s->config.time_dt > 0; /* winds for an automatic step */
    if (!strcmp(p->group, "spectrum") && !strcmp(p->key, "reference"))
        return 1; /* results are compared with it, fields are not */
    if (!strcmp(p->group, "output") || !strcmp(p->group, "pipeline")) return 1;
    if (!strcmp(p->group, "maxwell")) return !strcmp(p->key, "sweeps");
    if (!strcmp(p->group, "case")) return strcmp(p->key, "model") != 0;
    static const char *const step[] = {"dt", "adaptive", "courant_target", "dt_max", "dt_min"};
    if (strcmp(p->group, "time")) return 0;
    for (size_t n = 0; n < sizeof step / sizeof step[0]; n++)
        if (!strcmp(p->key, step[n])) return 0;
    return 1;
}

static void value_print(const struct param *p, const char *at, char text[VALUE])
{
    int i = 0;
    double x = 0;
    const char *word = p->choices;
    if (p->type == PARAM_REAL) memcpy(&x, at, sizeof x);
    else if (p->type != PARAM_STRING) memcpy(&i, at, sizeof i);
    switch (p->type) {
    case PARAM_REAL:
        snprintf(text, VALUE, "%.17g", x);
        break;
    case PARAM_STRING:
        snprintf(text, VALUE, "'%s'", at);
        break;
    case PARAM_CHOICE:
        for (int n = 0; n < i; n++) word += strcspn(word, " ") + 1;
        snprintf(text, VALUE, "%.*s", (int)strcspn(word, " "), word);
        break;
    default:
        snprintf(text, VALUE, "%d", i);
    }
}

/* What a file holds counts, not where it lies. */
static int file_print(const char *path, char text[VALUE])
{
    char block[1 << 14];
    FILE *f = fopen(path, "rb");
    SF_CHECK(f, SF_INPUT, "cannot read '%s'", path);
    XXH3_state_t x;
    XXH3_64bits_reset(&x);
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) XXH3_64bits_update(&x, block, n);
    const int bad = ferror(f);
    fclose(f);
    SF_CHECK(!bad, SF_INPUT, "cannot read '%s' to its end", path);
    snprintf(text, VALUE, "file %016llx", (unsigned long long)XXH3_64bits_digest(&x));
    return SF_OK;
}

/* The number of the input that a key names; -1: it names none. */
static int input_of(const struct instance *in, const struct param *p, int element)
{
    for (int n = 0; n < in->ninputs; n++)
        if (!strcmp(in->input[n].group, p->group) && !strcmp(in->input[n].key, p->key) &&
            in->input[n].element == element)
            return n;
    return -1;
}

/* Elements that count: those given, and all before the last that differs from the one behind it. */
static int count_of(const struct param *p, const char *at, int given)
{
    char last[VALUE], other[VALUE];
    int n = p->count;
    const char *const end = at + (size_t)(n - 1) * p->size;
    for (; n > 1 && n > given; n--) {
        const char *const before = at + (size_t)(n - 2) * p->size;
        if (!memcmp(before, end, p->size)) continue; /* most are as they were made; to print them all takes long */
        value_print(p, end, last);
        value_print(p, before, other);
        if (strcmp(last, other)) break;
    }
    return n;
}

/* Of input n; `first` holds what stands for those before it, since a file that two keys name is read once. */
static int input_print(const struct instance *in, int n, char (*first)[VALUE], char text[VALUE])
{
    const int as = session_input_first(in, n);
    if (!first[as][0]) {
        SF_TRY(file_print(in->input[as].path, text));
        snprintf(first[as], sizeof *first, "%s", text);
    }
    snprintf(text, VALUE, "%s", first[as]);
    return SF_OK;
}

static int keys_print(const struct session *s, char (*first)[VALUE], FILE *f)
{
    char text[VALUE];
    for (int part = 0; part < s->schema.nparts; part++)
        for (int n = 0; n < s->schema.part[part].n; n++) {
            const struct param *p = &s->schema.part[part].table[n];
            const char *at = (const char *)s->schema.part[part].block + p->offset;
            if (is_free(s, p)) continue;
            fprintf(f, "%s%%%s =", p->group, p->key);
            const int count = count_of(p, at, namelist_count(&s->schema, p->group, p->key));
            for (int m = 0; m < count; m++) {
                const int in = input_of(&s->in, p, m);
                if (in >= 0) SF_TRY(input_print(&s->in, in, first, text));
                else value_print(p, at + (size_t)m * p->size, text);
                fprintf(f, " %s", text);
            }
            fputc('\n', f);
        }
    return SF_OK;
}

int session_identify(struct session *s)
{
    size_t size = 0;
    FILE *f = open_memstream(&s->identity, &size);
    SF_CHECK(f, SF_MEMORY, "no memory for the settings of a checkpoint");
    char(*const first)[VALUE] = calloc((size_t)s->in.ninputs + 1, sizeof *first);
    const int rc =
        first ? keys_print(s, first, f) : sf_fail(SF_MEMORY, __FILE__, __LINE__, "no memory for what input files hold");
    free(first);
    /* A sounding that was edited shows here; digits enough to see it, few enough for other machines to agree. */
    for (int n = 0; n < s->in.nprofiles; n++) {
        fprintf(f, "profile %s =", s->in.profile[n].name);
        for (int k = 0; k < s->grid.nz; k++) fprintf(f, " %.6g", s->in.profile[n].value[k]);
        fputc('\n', f);
    }
    const int bad = fclose(f);
    SF_TRY(rc);
    SF_CHECK(!bad && s->identity, SF_MEMORY, "no memory for the settings of a checkpoint");
    return SF_OK;
}
