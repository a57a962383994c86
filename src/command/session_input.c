/* The namelist that a run leaves beside its output: it runs again, from everywhere and on other machines, since the
 * files that it names lie beside it as copies. SPDX-License-Identifier: MIT */
#include "command/session_parts.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int session_input_first(const struct instance *in, int n)
{
    int first = 0;
    while (strcmp(in->input[first].path, in->input[n].path) != 0) first++;
    return first;
}

/* Two files of one name are told apart by their number; of a long name the end is kept, which says what it is. */
void session_input_name(const struct session *s, int n, char name[PARAM_STRING_SIZE])
{
    enum { LONGEST = PARAM_STRING_SIZE - 32 };
    n = session_input_first(&s->in, n);
    const char *base = base_name(s->in.input[n].path);
    int same = 0;
    for (int m = 0; m < n; m++) same |= !strcmp(base, base_name(s->in.input[m].path));
    const size_t length = strlen(base);
    if (length > LONGEST) base += length - LONGEST;
    while (((unsigned char)*base & 0xc0) == 0x80) base++; /* not from within a character */
    if (same) snprintf(name, PARAM_STRING_SIZE, "input/%d_%s", n + 1, base);
    else snprintf(name, PARAM_STRING_SIZE, "input/%s", base);
}

/* Where the namelist keeps the name of input n; its capacity. */
static char *value_of(const struct session *s, int n, size_t *size)
{
    const struct input *in = &s->in.input[n];
    for (int part = 0; part < s->schema.nparts; part++)
        for (int k = 0; k < s->schema.part[part].n; k++) {
            const struct param *p = &s->schema.part[part].table[k];
            if (p->type != PARAM_STRING || strcmp(p->group, in->group) || strcmp(p->key, in->key)) continue;
            *size = p->size;
            return (char *)s->schema.part[part].block + p->offset + (size_t)in->element * p->size;
        }
    return NULL;
}

int session_text(struct session *s)
{
    const int inputs = s->in.ninputs;
    param_string *kept = calloc((size_t)inputs + 1, sizeof *kept);
    SF_CHECK(kept, SF_MEMORY, "no memory for the names of input files");
    int rc = SF_OK;
    for (int n = 0; n < inputs && !rc; n++) {
        param_string name;
        size_t size = 0;
        char *value = value_of(s, n, &size);
        session_input_name(s, n, name);
        if (!value || size > sizeof *kept || strlen(name) >= size)
            rc = sf_fail(SF_INTERNAL, __FILE__, __LINE__, "input %s%%%s is no string of the namelist",
                         s->in.input[n].group, s->in.input[n].key);
        if (rc) break;
        memcpy(kept[n], value, size);
        memset(value, 0, size);
        memcpy(value, name, strlen(name));
    }
    if (!rc) rc = namelist_text(&s->schema, &s->text);
    for (int n = 0; n < inputs; n++) {
        size_t size = 0;
        char *value = value_of(s, n, &size);
        if (value && kept[n][0]) memcpy(value, kept[n], size);
    }
    free(kept);
    return rc;
}
