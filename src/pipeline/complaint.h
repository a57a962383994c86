/* What is wrong with a set of parameters beyond what each key shows by itself.
 *
 * Whoever finds something complains and goes on, so that a user hears everything at once. Nobody here knows a file:
 * whoever read the parameters (io) tells where the keys stood.
 *
 *     if (p->low > p->high) sf_complain(in->complaints, "group%low group%high", 0, "low must not exceed high");
 *
 * `keys`: what the complaint is about, "group%key" once or several times with a blank between, the one to be shown
 * first. It is dropped when one of them could not be read: it would only be a consequence of that. `index`: which
 * element of keys that are arrays, from 0; -1: the key as a whole. SPDX-License-Identifier: MIT */
#pragma once

enum { COMPLAINTS_MOST = 64, COMPLAINT_KEYS = 256, COMPLAINT_TEXT = 1024 };

struct complaint {
    char keys[COMPLAINT_KEYS], text[COMPLAINT_TEXT];
    int index, is_error;
};

/* Starts as zeros. `errors` may begin with those that the reader found; complaints beyond the last that fits are
 * counted. */
struct complaints {
    int errors, warnings;
    int code; /* what they make the outcome: SF_NAMELIST, or another failure where there is no other complaint; SF_OK */
    int n;
    struct complaint list[COMPLAINTS_MOST];
};

/* An error; a warning. c NULL: it is only logged. */
void sf_complain(struct complaints *c, const char *keys, int index, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void sf_complain_mildly(struct complaints *c, const char *keys, int index, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Turn the current failure, `code` and its message, into a complaint. It is a failure no more. */
void sf_complain_failure(struct complaints *c, const char *keys, int index, int code);

/* The same where the namelist or a file that it names is to blame: SF_OK, the caller goes on and looks at c->errors in
 * the end. Of any other failure, and where c is NULL, the code. */
int sf_complain_or_fail(struct complaints *c, const char *keys, int index, int code);
