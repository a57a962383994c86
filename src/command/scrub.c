/* One pass over the text: at each place the longest thing that is known, else the shape of a path or an address.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* strdup, open_memstream, realpath */
#include "command/scrub.h"

#include "pipeline/error.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Bytes of UTF-8 beyond ASCII count as letters. */
static int is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80); }
static int is_digit(int c) { return c >= '0' && c <= '9'; }
static int is_word(int c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; }

/* ---- what is known ----------------------------------------------------------------------------------------------- */

static int tells_nothing(const char *name)
{
    static const char *const word[] = {"root", "localhost", "nobody", "user", "HOST", "USER", "localdomain"};
    for (size_t n = 0; n < sizeof word / sizeof word[0]; n++)
        if (!strcasecmp(name, word[n])) return 1;
    return 0;
}

int scrub_add(struct scrub *s, enum scrub_kind kind, const char *text, const char *by)
{
    if (!text || !text[0]) return SF_OK;
    size_t length = strlen(text);
    const int is_place = kind == SCRUB_PLACE || kind == SCRUB_OPEN;
    while (is_place && length > 1 && text[length - 1] == '/') length--;
    if ((is_place && (text[0] != '/' || length < 2)) || (!is_place && tells_nothing(text))) return SF_OK;
    for (int n = 0; n < s->n; n++)
        if (s->name[n].length == length && s->name[n].kind == kind && !strncmp(s->name[n].text, text, length))
            return SF_OK;
    if (s->n == SCRUB_NAMES) return SF_OK;
    char *const copy = strndup(text, length);
    SF_CHECK(copy, SF_MEMORY, "no memory for a name");
    int at = s->n++;
    for (; at > 0 && s->name[at - 1].length < length; at--) s->name[at] = s->name[at - 1];
    s->name[at] = (struct scrub_name){copy, length, by, kind};
    return SF_OK;
}

static int place_add(struct scrub *s, const char *path, const char *by)
{
    if (!path || path[0] != '/') return SF_OK;
    char *const real = realpath(path, NULL);
    int rc = scrub_add(s, SCRUB_PLACE, path, by);
    if (!rc && real) rc = scrub_add(s, SCRUB_PLACE, real, by);
    free(real);
    return rc;
}

int scrub_add_person(struct scrub *s, uid_t who)
{
    const struct passwd *const p = getpwuid(who);
    char real[256];
    if (!p) return SF_OK;
    snprintf(real, sizeof real, "%.*s", (int)strcspn(p->pw_gecos ? p->pw_gecos : "", ","),
             p->pw_gecos ? p->pw_gecos : "");
    SF_TRY(scrub_add(s, SCRUB_NAME, p->pw_name, "USER"));
    SF_TRY(scrub_add(s, SCRUB_NAME, real, "USER"));
    return place_add(s, p->pw_dir, "~");
}

int scrub_add_host(struct scrub *s, const char *host)
{
    char name[256];
    snprintf(name, sizeof name, "%s", host ? host : "");
    SF_TRY(scrub_add(s, SCRUB_HOST, name, "HOST"));
    name[strcspn(name, ".")] = '\0';
    return scrub_add(s, SCRUB_HOST, name, "HOST");
}

int scrub_add_here(struct scrub *s)
{
    static const char *const user[] = {"USER", "LOGNAME", "SUDO_USER", "USERNAME"}, *const host[] = {"HOSTNAME",
                                                                                                     "SLURMD_NODENAME"};
    char name[256] = "";
    for (size_t n = 0; n < sizeof user / sizeof user[0]; n++) SF_TRY(scrub_add(s, SCRUB_NAME, getenv(user[n]), "USER"));
    for (size_t n = 0; n < sizeof host / sizeof host[0]; n++) SF_TRY(scrub_add_host(s, getenv(host[n])));
    if (!gethostname(name, sizeof name - 1)) SF_TRY(scrub_add_host(s, name));
    SF_TRY(place_add(s, getenv("HOME"), "~"));
    SF_TRY(place_add(s, getenv("TMPDIR"), "TMP"));
    return scrub_add_person(s, geteuid());
}

void scrub_free(struct scrub *s)
{
    for (int n = 0; n < s->n; n++) free(s->name[n].text);
    s->n = 0;
}

/* ---- what has the shape ------------------------------------------------------------------------------------------ */

struct cursor {
    const char *begin, *at, *end;
};

static int before(const struct cursor *c) { return c->at > c->begin ? (unsigned char)c->at[-1] : ' '; }
static int behind(const struct cursor *c, size_t n) { return c->at + n < c->end ? (unsigned char)c->at[n] : ' '; }

static int begins(const struct cursor *c, const char *text, size_t n)
{
    return (size_t)(c->end - c->at) >= n && !strncmp(c->at, text, n);
}

/* Bytes of the host's domain, ".cluster.example.org", at n. */
static size_t domain_length(const struct cursor *c, size_t n)
{
    const size_t from = n;
    while (behind(c, n) == '.' && (is_letter(behind(c, n + 1)) || is_digit(behind(c, n + 1)))) {
        n++;
        while (is_letter(behind(c, n)) || is_digit(behind(c, n)) || behind(c, n) == '-') n++;
    }
    return n - from;
}

static int ends_path(int c) { return c <= ' ' || strchr("'\"`<>|;,:()[]{}*?!\\", c) != NULL; }

/* A path's word: to where blanks or signs end it. */
static size_t word_length(const struct cursor *c, size_t from)
{
    size_t n = from;
    while (c->at + n < c->end && !ends_path((unsigned char)c->at[n])) n++;
    return n - from;
}

static int has_slash(const struct cursor *c, size_t from, size_t n)
{
    return n && c->at[from] != '-' && c->at[from] != '/' && memchr(c->at + from, '/', n) != NULL;
}

/* A path that begins here, with all of it that may have blanks. */
static size_t path_length(const struct cursor *c)
{
    const int quote = before(c) == '\'' || before(c) == '"' ? before(c) : 0;
    size_t n = 0;
    if (quote) {
        while (c->at + n < c->end && c->at[n] != quote && c->at[n] != '\n' && c->at[n] != '\\') n++;
        if (c->at + n < c->end && c->at[n] != '\n') return n;
    }
    n = word_length(c, 0);
    for (size_t next; behind(c, n) == ' ' && (next = word_length(c, n + 1)) && has_slash(c, n + 1, next);)
        n += 1 + next;
    while (n > 1 && (c->at[n - 1] == '.' || c->at[n - 1] == '/')) n--; /* the end of a sentence */
    return n;
}

/* What stands for a place of `n` bytes here, and the last part of what is below it. */
static size_t place_replace(const struct cursor *c, size_t n, const char *by, FILE *to)
{
    const size_t all = path_length(c);
    size_t slash = n;
    for (size_t m = n; m < all; m++)
        if (c->at[m] == '/' && m + 1 < all) slash = m;
    fputs(by, to);
    if (slash == n) return n;
    fputs("/.../", to);
    return slash + 1;
}

/* Bytes read here, after writing what replaces them; 0: nothing that is known stands here. */
static size_t known_replace(const struct scrub *s, const struct cursor *c, FILE *to)
{
    for (int n = 0; n < s->n; n++) {
        const struct scrub_name *const k = &s->name[n];
        const int next = behind(c, k->length);
        if (k->kind == SCRUB_PLACE || k->kind == SCRUB_OPEN) {
            if (!begins(c, k->text, k->length) || is_word(before(c)) || (is_word(next) && next != '.')) continue;
            if (k->kind == SCRUB_PLACE) return place_replace(c, k->length, k->by, to);
        } else if ((size_t)(c->end - c->at) < k->length || strncasecmp(c->at, k->text, k->length) ||
                   is_letter(before(c)) || is_letter(next))
            continue;
        fputs(k->by, to);
        return k->length + (k->kind == SCRUB_HOST ? domain_length(c, k->length) : 0);
    }
    return 0;
}

static int is_system(const char *path, size_t n)
{
    static const char *const own[] = {"/usr/", "/bin/",  "/sbin/", "/lib/", "/lib64/",
                                      "/etc/", "/proc/", "/sys/",  "/dev/"};
    for (size_t m = 0; m < sizeof own / sizeof own[0]; m++)
        if (n > strlen(own[m]) && !strncmp(path, own[m], strlen(own[m]))) return 1;
    return 0;
}

/* /home/NAME and the like: bytes that ~ stands for. */
static size_t home_length(const struct cursor *c)
{
    static const char *const above[] = {"/home/", "/Users/", "/export/home/", "/var/home/"};
    for (size_t m = 0; m < sizeof above / sizeof above[0]; m++) {
        const size_t n = strlen(above[m]);
        if (!begins(c, above[m], n)) continue;
        size_t length = n;
        while (is_word(behind(c, length))) length++;
        if (length > n) return length;
    }
    if (begins(c, "/root", 5) && !is_word(behind(c, 5))) return 5;
    return 0;
}

/* The same of what looks like a path. */
static size_t path_replace(const struct cursor *c, FILE *to)
{
    const int last = before(c), is_address = last == '/' && c->at - c->begin > 1 && c->at[-2] == ':'; /* http://... */
    if (*c->at != '/' || is_word(last) || last == '~' || last == ')' || is_address || !is_word(behind(c, 1))) return 0;
    const size_t home = home_length(c);
    if (home) return place_replace(c, home, "~", to);
    const size_t n = path_length(c);
    if (is_system(c->at, n) || begins(c, "/PATH/", 6)) return 0; /* that of //a/b before */
    size_t slash = n;
    while (slash > 0 && c->at[slash - 1] != '/') slash--;
    if (slash < 2) return 0; /* of one part */
    fputs("PATH/", to);
    return slash; /* its last part is looked at for names */
}

static size_t mail_replace(const struct cursor *c, FILE *to)
{
    size_t n = 0, dots = 0;
    if (is_word(before(c)) || !is_word((unsigned char)*c->at)) return 0;
    while (is_word(behind(c, n)) || behind(c, n) == '+') n++;
    if (behind(c, n) != '@' || !is_letter(behind(c, n + 1))) return 0;
    for (n++; is_word(behind(c, n)); n++) dots += behind(c, n) == '.';
    if (!dots) return 0;
    return fputs("USER@HOST", to), n;
}

static size_t address_replace(const struct cursor *c, FILE *to)
{
    size_t n = 0;
    if (!is_digit((unsigned char)*c->at) || is_word(before(c))) return 0;
    for (int part = 0; part < 4; part++) {
        size_t digits = 0;
        int value = 0;
        for (; is_digit(behind(c, n)) && digits < 4; n++, digits++) value = 10 * value + behind(c, n) - '0';
        if (!digits || digits > 3 || value > 255) return 0;
        if (part < 3 && behind(c, n++) != '.') return 0;
    }
    if (is_letter(behind(c, n)) || is_digit(behind(c, n)) || (behind(c, n) == '.' && is_digit(behind(c, n + 1))))
        return 0;
    return fputs("ADDRESS", to), n;
}

int scrub_text(const struct scrub *s, const char *text, size_t size, char **out, size_t *out_size)
{
    *out = NULL, *out_size = 0;
    FILE *const to = open_memstream(out, out_size);
    SF_CHECK(to, SF_MEMORY, "no memory for a text of %zu bytes", size);
    struct cursor c = {text, text, text + size};
    while (c.at < c.end) {
        size_t n = mail_replace(&c, to); /* before the user's name in it */
        if (!n) n = known_replace(s, &c, to);
        if (!n) n = address_replace(&c, to);
        if (!n) n = path_replace(&c, to);
        if (!n) fputc(*c.at, to), n = 1;
        c.at += n;
    }
    const int bad = fclose(to);
    if (!bad && *out) return SF_OK;
    free(*out);
    *out = NULL;
    SF_FAIL(SF_MEMORY, "no memory for a text of %zu bytes", size);
}
