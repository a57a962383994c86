/* Keeps complaints until they are told. SPDX-License-Identifier: MIT */
#include "pipeline/complaint.h"

#include "pipeline/error.h"

#include <stdarg.h>
#include <stdio.h>

static void complaint_add(struct complaints *c, const char *keys, int index, int code, const char *fmt, va_list ap)
{
    char text[COMPLAINT_TEXT];
    vsnprintf(text, sizeof text, fmt, ap);
    if (!c) {
        sf_warn("%s", text);
        return;
    }
    if (code) {
        c->errors++;
        c->code = c->code && c->code != code ? SF_NAMELIST : code;
    } else {
        c->warnings++;
    }
    if (c->n == COMPLAINTS_MOST) return;
    struct complaint *one = &c->list[c->n++];
    one->index = index;
    one->is_error = code != SF_OK;
    snprintf(one->keys, sizeof one->keys, "%s", keys);
    snprintf(one->text, sizeof one->text, "%s", text);
}

void sf_complain(struct complaints *c, const char *keys, int index, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    complaint_add(c, keys, index, SF_NAMELIST, fmt, ap);
    va_end(ap);
}

void sf_complain_mildly(struct complaints *c, const char *keys, int index, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    complaint_add(c, keys, index, SF_OK, fmt, ap);
    va_end(ap);
}

static void coded_add(struct complaints *c, const char *keys, int index, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    complaint_add(c, keys, index, code, fmt, ap);
    va_end(ap);
}

void sf_complain_failure(struct complaints *c, const char *keys, int index, int code)
{
    coded_add(c, keys, index, code, "%s", sf_error_text());
    sf_error_clear();
}

int sf_complain_or_fail(struct complaints *c, const char *keys, int index, int code)
{
    if (!c || (code != SF_NAMELIST && code != SF_INPUT)) return code;
    sf_complain_failure(c, keys, index, code);
    return SF_OK;
}
