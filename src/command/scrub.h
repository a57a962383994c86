/* Text without what tells who somebody is and where his files lie: names of users and machines, homes, absolute paths,
 * addresses. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <sys/types.h>

enum { SCRUB_NAMES = 64, SCRUB_TEXT = 4096 };

/* How a text that is known is replaced. */
enum scrub_kind {
    SCRUB_OPEN, /* a path; what is below it keeps its own path */
    SCRUB_PLACE, /* a path; of what is below it the last part stays: ~/.../a.nc */
    SCRUB_NAME, /* of a user: where no letter stands beside it, small or capital */
    SCRUB_HOST /* of a machine: the same, with the domain behind it */
};

struct scrub {
    int n;
    struct scrub_name {
        char *text; /* owned */
        size_t length;
        const char *by;
        enum scrub_kind kind;
    } name[SCRUB_NAMES];
};

/* `by` replaces `text`; `by` outlives s. Without effect: empty ones, "/", those that are known, and names that tell
 * nothing (root, localhost). Errors: SF_MEMORY. */
int scrub_add(struct scrub *s, enum scrub_kind kind, const char *text, const char *by);

/* Who runs this process and where: home, user, machine, temporary directory. Errors: SF_MEMORY. */
int scrub_add_here(struct scrub *s);

/* A machine by its name with its domain, and without. Errors: SF_MEMORY. */
int scrub_add_host(struct scrub *s, const char *host);

/* Name, real name and home of a user of this machine. Errors: SF_MEMORY. */
int scrub_add_person(struct scrub *s, uid_t who);

/* Write `text` of `size` bytes to a text of its own, which the caller frees; *out_size: its bytes, a zero follows. What
 * is known is replaced, the longest first; then
 *
 *   - /home/NAME, /Users/NAME and /root become ~, as a SCRUB_PLACE;
 *   - other absolute paths of two or more parts keep their last part, behind PATH/, unless they are the system's own
 *     (/usr, /etc, /proc, ...). In quotes a path may have blanks; out of quotes it goes on behind a blank as long as
 *     the next word has a slash inside;
 *   - mail addresses become USER@HOST, addresses of four numbers ADDRESS.
 *
 * What was replaced is not looked at again. Errors: SF_MEMORY. */
int scrub_text(const struct scrub *s, const char *text, size_t size, char **out, size_t *out_size);

void scrub_free(struct scrub *s);
