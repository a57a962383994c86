/* The namelist reader against a corpus of small files, against gfortran, and under another locale.
 *
 * The files of tests/namelists say at their head what must come out of them: a line `! expect error
 * LINE:COLUMN text` for each finding in order, `! value group%key=...` for each key that leaves its
 * default, `! count group%key n`, and `! gfortran: why` where gfortran takes another view. Every other
 * value must be the default, bit for bit.
 * SPDX-License-Identifier: MIT */
#include "io/namelist.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <glob.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/namelist_parts.h"
#include "namelist_schema.h"
#include "pipeline/error.h"

enum { CORPUS_LEAST = 120, FILE_MAX = 65536, LINE_MAX_READ = 1024 };

static void corpus_find(glob_t *found)
{
    char pattern[LINE_MAX_READ];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(pattern, sizeof pattern, "%.*snamelists/*.nml", slash ? (int)(slash - __FILE__ + 1) : 0, __FILE__);
    cr_assert_eq(glob(pattern, 0, NULL, found), 0, "no corpus at %s", pattern);
}

static size_t file_load(const char *path, char *text)
{
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "%s", path);
    const size_t n = fread(text, 1, FILE_MAX - 1, f);
    fclose(f);
    text[n] = '\0';
    return n;
}

/* The next line of the head, 0 when the head has ended. */
static int head_next(const char **at, char line[LINE_MAX_READ])
{
    if (!strncmp(*at, "\xef\xbb\xbf", 3)) *at += 3;
    if (**at != '!') return 0;
    const size_t n = strcspn(*at, "\r\n");
    snprintf(line, LINE_MAX_READ, "%.*s", (int)n, *at);
    *at += n + strspn(*at + n, "\r\n");
    return 1;
}

/* The next "file:line:column: kind: message" of a report into `line`, without the file. */
static int finding_next(const char **at, const char *name, char line[LINE_MAX_READ])
{
    const size_t skip = strlen(name);
    while (**at && strncmp(*at, name, skip)) *at += strcspn(*at, "\n") + ((*at)[strcspn(*at, "\n")] == '\n');
    if (!**at) return 0;
    *at += skip + 1;
    const size_t n = strcspn(*at, "\n");
    snprintf(line, LINE_MAX_READ, "%.*s", (int)n, *at);
    *at += n;
    return 1;
}

static void corpus_check(const char *path)
{
    static char text[FILE_MAX];
    const size_t len = file_load(path, text);
    char line[LINE_MAX_READ], found[LINE_MAX_READ], place[32], kind[16];
    struct test_params read, want;
    struct report r = {0}, own = {0};
    cr_assert_eq(test_params_init(&read), 0);
    cr_assert_eq(test_params_init(&want), 0);
    sf_error_clear();
    const int rc = namelist_parse(text, len, "case.nml", &read.schema, &r);
    const char *findings = r.text ? r.text : "";
    int errors = 0;
    for (const char *at = text; head_next(&at, line);) {
        int used = 0, n = 0;
        char *hash = NULL;
        if (sscanf(line, "! expect %15s %31s %n", kind, place, &used) == 2) {
            const int has_finding = finding_next(&findings, "case.nml", found);
            cr_expect(has_finding, "%s: no finding for '%s'\n%s", path, line, r.text);
            if (!has_finding) break;
            const size_t np = strlen(place), nk = strlen(kind);
            cr_expect(!strncmp(found, place, np) && !strncmp(found + np, ": ", 2) &&
                          !strncmp(found + np + 2, kind, nk) && strstr(found, line + used),
                      "%s: expected '%s', found '%s'\n%s", path, line, found, r.text);
            errors += !strcmp(kind, "error");
        } else if (!strncmp(line, "! value ", 8)) {
            cr_expect_eq(namelist_set_report(line + 8, &want.schema, &own), 0, "%s: %s\n%s", path, line, own.text);
        } else if (!strncmp(line, "! count ", 8) && (hash = strchr(line, '%')) && strchr(hash, ' ')) {
            char *space = strchr(hash, ' ');
            n = atoi(space + 1);
            *hash = *space = '\0';
            cr_expect_eq(namelist_count(&read.schema, line + 8, hash + 1), n, "%s: count of %s", path, hash + 1);
            cr_expect_eq(namelist_is_set(&read.schema, line + 8, hash + 1), n > 0);
        }
    }
    cr_expect(!finding_next(&findings, "case.nml", found), "%s: unexpected finding '%s'\n%s", path, found, r.text);
    cr_expect_eq(r.errors, errors, "%s", path);
    cr_expect_eq(rc, errors ? SF_NAMELIST : SF_OK, "%s", path);
    cr_expect(test_params_same(&read, &want), "%s: a value is wrong", path);
    report_free(&r);
    report_free(&own);
    namelist_free(&read.schema);
    namelist_free(&want.schema);
}

Test(namelist, corpus)
{
    glob_t found;
    corpus_find(&found);
    cr_assert_geq(found.gl_pathc, CORPUS_LEAST);
    for (size_t i = 0; i < found.gl_pathc; i++) corpus_check(found.gl_pathv[i]);
    globfree(&found);
}

/* ---- values against C literals ---- */

static int text_read(struct test_params *p, const char *text, struct report *r)
{
    sf_error_clear();
    cr_assert_eq(test_params_init(p), 0);
    return namelist_parse(text, strlen(text), "case.nml", &p->schema, r);
}

Test(namelist, defaults_come_from_the_table)
{
    struct test_params p;
    cr_assert_eq(test_params_init(&p), 0);
    const struct test_block *b = &p.block;
    cr_assert(b->nx == 128 && b->nz == 64 && b->dx == 1000 && b->top == 20000 && b->position[2] == 0);
    cr_assert(b->levels[0] == 10 && b->levels[1] == 20 && b->levels[2] == 30 && b->levels[4] == 30);
    cr_assert(!strcmp(b->title, "untitled") && !strcmp(b->label, "") && b->scheme == 2 && !b->restart &&
              b->steps == 100);
    cr_assert(b->flags[0] == 1 && b->flags[1] == 0 && b->flags[3] == 0 && b->modes[0] == 0 && p.wave.width[2] == 1e-15);
    cr_assert_eq(namelist_is_set(&p.schema, "grid", "nx"), 0);
    cr_assert_eq(namelist_is_set(&p.schema, "grid", "nothing"), 0);
    namelist_free(&p.schema);
}

Test(namelist, values_are_those_of_c)
{
    struct test_params p;
    struct report r = {0};
    const int rc = text_read(&p,
                             "&grid nx=200 dx=.5d3 top=1+3 position=-1d-3,,0.1 levels(2:4)=3*7.25 /\n"
                             "&run title='it''s' scheme=\"Euler\" restart=T flags(2)=.true. f .T t=t /\n"
                             "&source wave%peak = 1.e2 /\n",
                             &r);
    const struct test_block *b = &p.block;
    cr_assert_eq(rc, 0, "%s", r.text);
    cr_assert(b->nx == 200 && b->dx == 500 && b->top == 1000);
    cr_assert(b->position[0] == -0.001 && b->position[1] == 0 && b->position[2] == 0.1);
    cr_assert(b->levels[0] == 10 && b->levels[1] == 7.25 && b->levels[3] == 7.25 && b->levels[4] == 30);
    cr_assert(!strcmp(b->title, "it's") && b->scheme == 0 && b->restart == 1 && p.wave.peak == 100);
    cr_assert(b->flags[0] && b->flags[1] && !b->flags[2] && b->flags[3] && b->t);
    cr_assert(namelist_count(&p.schema, "RUN", "Flags") == 4 && namelist_count(&p.schema, "grid", "levels") == 4);
    namelist_free(&p.schema);
}

/* ---- findings ---- */

Test(namelist, a_report_reads_like_a_compilers)
{
    struct test_params p;
    struct report r = {0};
    cr_assert_eq(text_read(&p, "&grid\n  nx = 5000, dx\t= ten\n  nxx = 5 ! wrong\n/\n", &r), SF_NAMELIST);
    cr_assert_str_eq(r.text, "case.nml:2:8: error: 5000 is out of range\n"
                             "    2 |   nx = 5000, dx\t= ten\n"
                             "      |        ^\n"
                             "        grid%nx: integer, 1 to 4096, default 128\n"
                             "case.nml:2:19: error: expected a real number, got 'ten'\n"
                             "    2 |   nx = 5000, dx\t= ten\n"
                             "      |                \t  ^\n"
                             "        grid%dx: real number, m, 1e-09 to 1000000, default 1000\n"
                             "case.nml:3:3: error: unknown key 'nxx' in &grid; did you mean 'nx'?\n"
                             "    3 |   nxx = 5 ! wrong\n"
                             "      |   ^\n"
                             "        grid%nx: integer, 1 to 4096, default 128\n");
    cr_assert_str_eq(sf_error_text(), "case.nml: 3 errors in the namelist");
    report_free(&r);
    namelist_free(&p.schema);
}

static char *text_repeat(const char *head, const char *piece, size_t size)
{
    const size_t n = strlen(piece), h = strlen(head);
    char *text = malloc(h + size + n + 1);
    cr_assert_not_null(text);
    memcpy(text, head, h);
    size_t at = h;
    for (; at < h + size; at += n) memcpy(text + at, piece, n);
    text[at] = '\0';
    return text;
}

/* Time grows with the length and no faster, and memory stays small: quadratic reading would take hours
 * here. */
Test(namelist, hostile_text_costs_little, .timeout = 60)
{
    static const char *const pieces[] = {
        "a%",    "(",    "a(",     "a( ",          "'",    "&",     "&a/",          "&1",
        "1",     "1 ",   "nx=x\n", "nx=1\n",       "zzz=", "1*",    "9999999999*1", ",",
        ";",     "#",    "#\n",    "a b ",         "nx(",  "nx(1,", "nx(:",         "=",
        "a \n ", "\"\"", "/a",     "levels=5*1\n", "%",    "\xe2",  "nx=1 nz=\n",   "t="};
    static const char *const heads[] = {"", "&grid ", "&grid nx=", "&run title=", "&zzz ", "&grid nx(", "&run flags="};
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++) {
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            struct test_params p;
            struct report r = {0};
            char *text = text_repeat(heads[h], pieces[i], 200000);
            text_read(&p, text, &r);
            cr_assert_lt(r.len, 200000, "'%s' '%s': a report of %zu bytes", heads[h], pieces[i], r.len);
            free(text);
            report_free(&r);
            namelist_free(&p.schema);
        }
    }
}

Test(namelist, warnings_do_not_hide_errors)
{
    struct test_params p;
    struct report r = {0};
    char *text = text_repeat("&grid\n", "nx = 5\n", 7 * 1000);
    cr_assert_eq(text_read(&p, text, &r), SF_NAMELIST);
    cr_assert(r.errors == 1 && r.warnings == 999);
    cr_assert(strstr(r.text, "more than 50 warnings") && strstr(r.text, "1:1: error: &grid is not closed"));
    free(text);
    report_free(&r);
    namelist_free(&p.schema);

    struct report many = {0};
    text = text_repeat("&grid\n", "nx = ten\n", 9 * 1000);
    cr_assert_eq(text_read(&p, text, &many), SF_NAMELIST);
    cr_assert_eq(many.errors, 1001);
    cr_assert(strstr(many.text, "more than 200 errors") &&
              !strcmp(sf_error_text(), "case.nml: 1001 errors in the namelist"));
    free(text);
    report_free(&many);
    namelist_free(&p.schema);
}

/* ---- files ---- */

Test(namelist, a_file_that_cannot_be_read_says_why)
{
    char path[] = "/tmp/sferic-namelist-XXXXXX";
    struct test_params p;
    cr_assert_eq(test_params_init(&p), 0);
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);

    cr_assert_eq(namelist_read("/nowhere/case.nml", &p.schema), SF_NAMELIST);
    cr_assert_str_eq(sf_error_text(), "cannot read the namelist '/nowhere/case.nml': No such file or directory");
    sf_error_clear();
    cr_assert_eq(namelist_read("/tmp", &p.schema), SF_NAMELIST);
    cr_assert_not_null(strstr(sf_error_text(), "Is a directory"));
    sf_error_clear();
    cr_assert_eq(ftruncate(fd, (off_t)1 << 40), 0);
    cr_assert_eq(namelist_read(path, &p.schema), SF_NAMELIST);
    cr_assert_not_null(strstr(sf_error_text(), "is larger than"));
    sf_error_clear();
    cr_assert_eq(ftruncate(fd, 0), 0);
    cr_assert_eq(namelist_read(path, &p.schema), SF_NAMELIST, "an empty file is no namelist");
    sf_error_clear();
    static const char text[] = "&grid nx = 77 /";
    cr_assert_eq(write(fd, text, sizeof text - 1), (ssize_t)sizeof text - 1);
    cr_assert_eq(namelist_read(path, &p.schema), 0);
    cr_assert_eq(p.block.nx, 77);
    close(fd);
    unlink(path);
    namelist_free(&p.schema);
}

/* Two processes at a pipe: whoever writes comes when it likes, and in pieces. */
static int fifo_read(const char *path, const char *const pieces[], int n, double patience, char **text, size_t *len)
{
    const pid_t writer = n < 0 ? -1 : fork();
    if (writer == 0) {
        FILE *f = fopen(path, "w");
        for (int m = 0; f && m < n; m++) {
            usleep(20000);
            fputs(pieces[m], f);
            fflush(f);
        }
        if (n > 0) fclose(f);
        else sleep(10); /* opened, and silent */
        _exit(0);
    }
    sf_error_clear();
    const int rc = nml_text_load(path, patience, text, len);
    if (writer > 0) {
        kill(writer, SIGKILL);
        waitpid(writer, NULL, 0);
    }
    return rc;
}

Test(namelist, a_fifo_is_read_to_its_end_and_silence_has_one)
{
    char dir[] = "/tmp/sferic-namelist-XXXXXX", path[64];
    static const char *const pieces[] = {"&grid nx", " = 77 ", "/\n"};
    char *text = NULL;
    size_t len = 0;
    cr_assert_not_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/fifo", dir);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_eq(fifo_read(path, pieces, 3, 20, &text, &len), 0, "%s", sf_error_text());
    cr_assert(len == 16 && !memcmp(text, "&grid nx = 77 /\n", len));
    free(text);
    cr_assert_eq(fifo_read(path, NULL, -1, 0.1, &text, &len), SF_NAMELIST, "nobody opens it");
    cr_assert(!text && strstr(sf_error_text(), "nobody has written to it for 0.1 s"));
    cr_assert_eq(fifo_read(path, NULL, 0, 0.3, &text, &len), SF_NAMELIST, "a writer that writes nothing");
    unlink(path);
    rmdir(dir);
}

Test(namelist, a_pipe_gives_its_text_by_the_name_of_its_descriptor)
{
    int fd[2];
    char path[64], *text = NULL;
    size_t len = 0;
    cr_assert_eq(pipe(fd), 0);
    cr_assert_eq(write(fd[1], "&grid /", 7), 7);
    close(fd[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
    cr_assert_eq(nml_text_load(path, 5, &text, &len), 0);
    cr_assert(len == 7 && !memcmp(text, "&grid /", 7));
    free(text);
    cr_assert_eq(nml_text_load(path, 5, &text, &len), 0, "it is at its end");
    cr_assert_eq(len, 0);
    free(text);
    close(fd[0]);
    cr_assert_eq(nml_text_load(path, 5, &text, &len), SF_NAMELIST);
    cr_assert_not_null(strstr(sf_error_text(), "mpirun"));
}

Test(namelist, utf16_is_named)
{
    static const char text[] = "\xff\xfe&\0g\0r\0i\0d\0";
    struct test_params p;
    struct report r = {0};
    cr_assert_eq(test_params_init(&p), 0);
    cr_assert_eq(namelist_parse(text, sizeof text - 1, "case.nml", &p.schema, &r), SF_NAMELIST);
    cr_assert(r.errors == 1 && strstr(r.text, "UTF-16"));
    report_free(&r);
    namelist_free(&p.schema);
}

/* One error, not one for every line of its binary text. */
Test(namelist, netcdf_is_named)
{
    static const char *const heads[] = {"\x89HDF\r\n\n&\b\n", "CDF\2\n&grid\1 /\n"};
    for (int n = 0; n < 2; n++) {
        struct test_params p;
        struct report r = {0};
        cr_assert_eq(test_params_init(&p), 0);
        cr_assert_eq(namelist_parse(heads[n], strlen(heads[n]), "history.nc", &p.schema, &r), SF_NAMELIST);
        cr_assert(r.errors == 1 && strstr(r.text, "netCDF") && strstr(r.text, "namelist.nml"), "%s", r.text);
        report_free(&r);
        namelist_free(&p.schema);
    }
}

/* ---- overrides ---- */

static int set(struct test_params *p, const char *assignment)
{
    sf_error_clear();
    return namelist_set(assignment, &p->schema);
}

Test(namelist, override)
{
    struct test_params p;
    const struct test_block *b = &p.block;
    cr_assert_eq(test_params_init(&p), 0);
    cr_assert(!set(&p, "grid%nx=7") && b->nx == 7);
    cr_assert(!set(&p, "GRID%Nx = 8") && b->nx == 8);
    cr_assert(!set(&p, "grid%position(2)=3") && b->position[1] == 3 && b->position[0] == 0);
    cr_assert(!set(&p, "grid%levels=2*1,,5.5") && b->levels[1] == 1 && b->levels[2] == 30 && b->levels[3] == 5.5);
    cr_assert(!set(&p, "output%fields='u','w'") && !strcmp(b->fields[1], "w"));
    cr_assert_eq(namelist_count(&p.schema, "output", "fields"), 2);
    cr_assert(!set(&p, "output%fields=theta,pi , qv") && !strcmp(b->fields[0], "theta") && !strcmp(b->fields[1], "pi"));
    cr_assert(!strcmp(b->fields[2], "qv") && namelist_count(&p.schema, "output", "fields") == 3);
    cr_assert(!set(&p, "output%fields=rho") && !strcmp(b->fields[0], "rho") && !b->fields[1][0] && !b->fields[2][0]);
    cr_assert_eq(namelist_count(&p.schema, "output", "fields"), 1, "a list takes the place of the whole list");
    cr_assert(!set(&p, "output%fields(2)=u") && !strcmp(b->fields[0], "rho") && !strcmp(b->fields[1], "u"));
    cr_assert(!set(&p, "grid%levels=7") && b->levels[0] == 7 && b->levels[1] == 20 && b->levels[4] == 30,
              "the rest: its defaults");
    cr_assert(!set(&p, "run%title=/data/my run=3! & #1") && !strcmp(b->title, "/data/my run=3! & #1"));
    cr_assert(!set(&p, "run%title='a, b'") && !strcmp(b->title, "a, b"));
    cr_assert(!set(&p, "run%scheme=rk2") && b->scheme == 1);
    cr_assert(!set(&p, "run%restart=t") && b->restart == 1);
    cr_assert(!set(&p, "source%wave%peak=4d2") && p.wave.peak == 400);
    cr_assert_eq(namelist_is_set(&p.schema, "run", "scheme"), 1);
    cr_assert_eq(namelist_is_set(&p.schema, "run", "steps"), 0);
    namelist_free(&p.schema);
}

Test(namelist, override_refused)
{
    static const struct {
        const char *text;
        int code;
    } cases[] = {
        {"", SF_USAGE},
        {"grid", SF_USAGE},
        {"nx=5", SF_USAGE},
        {"grid%nx", SF_USAGE},
        {"%nx=5", SF_USAGE},
        {"=grid%nx", SF_USAGE},
        {"grid%=5", SF_NAMELIST},
        {"gird%nx=5", SF_NAMELIST},
        {"grid%nxx=5", SF_NAMELIST},
        {"grid%nx=five", SF_NAMELIST},
        {"grid%nx=0", SF_NAMELIST},
        {"grid%nx=5 nz=6", SF_NAMELIST},
        {"grid%nx=5/", SF_NAMELIST},
        {"grid%nx=5,6", SF_NAMELIST},
        {"grid%nx=/", SF_NAMELIST},
        {"grid%position(4)=1", SF_NAMELIST},
        {"run%scheme=rk9", SF_NAMELIST},
        {"run%label=12345678", SF_NAMELIST},
        {"grid%nx 5=", SF_NAMELIST},
        {"run%title='a", SF_NAMELIST},
        {"run%title='a'b", SF_NAMELIST},
        {"grid%ni=5", SF_NAMELIST},
        {"run%title=a\nb", SF_NAMELIST},
    };
    struct test_params p, fresh;
    cr_assert_eq(test_params_init(&p), 0);
    cr_assert_eq(test_params_init(&fresh), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(set(&p, cases[i].text), cases[i].code, "'%s'", cases[i].text);
        cr_assert_gt(strlen(sf_error_text()), 0);
    }
    cr_assert_eq(p.block.nz, fresh.block.nz);
    struct report r = {0};
    namelist_set_report("gird%nx=5", &p.schema, &r);
    cr_assert_not_null(strstr(r.text, "--set:1:1: error: unknown group 'gird'; did you mean 'grid'?"));
    report_free(&r);
    namelist_free(&p.schema);
    namelist_free(&fresh.schema);
}

Test(namelist, an_override_without_a_group_gets_a_key_that_exists)
{
    static const struct {
        const char *text, *told;
    } cases[] = {{"gridnx=3", "did you mean grid%nx=3?"},     {"nx=3", "did you mean grid%nx=3?"},
                 {"grid.nx = 3", "did you mean grid%nx= 3?"}, {"run%steps", "did you mean run%steps=VALUE?"},
                 {"stpes=3", "did you mean run%steps=3?"},    {"xyzzy=3", "such as grid%nx=128"}};
    struct test_params p;
    cr_assert_eq(test_params_init(&p), 0);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        cr_assert_eq(set(&p, cases[n].text), SF_USAGE);
        cr_expect(strstr(sf_error_text(), cases[n].told), "%s", sf_error_text());
    }
    namelist_free(&p.schema);
}

/* ---- complaints ---- */

static const char *complain(struct test_params *p, const char *text, const char *override, const struct complaints *c,
                            struct report *r)
{
    *r = (struct report){0};
    text_read(p, text, r);
    if (override) namelist_set_report(override, &p->schema, r);
    sf_error_clear();
    cr_assert_eq(namelist_complain(&p->schema, "case.nml", c, r), 0);
    namelist_free(&p->schema);
    return r->text ? r->text : "";
}

Test(namelist, a_complaint_stands_where_its_key_does)
{
    static struct complaints c;
    struct test_params p;
    struct report r;
    sf_complain(&c, "grid%levels", 1, "level %d is %s", 2, "low");
    const char *got = complain(&p, "&grid levels = 1, 2, 3 /\n", NULL, &c, &r);
    cr_expect_str_eq(got, "case.nml:1:19: error: level 2 is low\n"
                          "    1 | &grid levels = 1, 2, 3 /\n"
                          "      |                   ^\n"
                          "        grid%levels: list of up to 5 real numbers, m, 0 to 100000, default 10., 20., 30.\n");
    cr_expect_eq(r.errors, 1);
    report_free(&r);
    got = complain(&p, "&grid levels = 5 /\n", NULL, &c, &r);
    cr_expect(strstr(got, "case.nml:1:16: error: level 2"), "the element has its default: %s", got);
    report_free(&r);
    got = complain(&p, "&grid levels = 2*5 /\n", "grid%levels(2)=7", &c, &r);
    cr_expect(strstr(got, "--set:1:16: error: level 2"), "%s", got);
    report_free(&r);
    got = complain(&p, "&grid /\n", NULL, &c, &r);
    cr_expect(strstr(got, "case.nml: error: level 2 is low\n        grid%levels is not given"), "%s", got);
    report_free(&r);
}

/* The key that is named first is shown, unless an override gave another. */
Test(namelist, a_complaint_about_several_keys)
{
    static struct complaints c;
    struct test_params p;
    struct report r;
    sf_complain_mildly(&c, "grid%nx grid%nz", -1, "too flat");
    const char *got = complain(&p, "&grid nz = 3\n nx = 4 /\n", NULL, &c, &r);
    cr_expect(strstr(got, "case.nml:2:7: warning: too flat"), "%s", got);
    cr_expect(r.errors == 0 && r.warnings == 1);
    report_free(&r);
    got = complain(&p, "&grid nz = 3 /\n", NULL, &c, &r);
    cr_expect(strstr(got, "case.nml:1:12: warning: too flat"), "%s", got);
    report_free(&r);
    got = complain(&p, "&grid nz = 3\n nx = 4 /\n", "grid%nz=2", &c, &r);
    cr_expect(strstr(got, "--set:1:9: warning: too flat"), "%s", got);
    report_free(&r);
}

Test(namelist, complaints_come_in_the_order_of_the_file)
{
    static struct complaints c;
    struct test_params p;
    struct report r;
    sf_complain(&c, "run%scheme", -1, "by default");
    sf_complain(&c, "run%steps", -1, "third");
    sf_complain(&c, "grid%top", -1, "first");
    sf_complain(&c, "grid%dx", -1, "fourth");
    const char *got = complain(&p, "&grid top = 1\n nxx = 2 /\n&run steps = 3 /\n", "grid%dx=2", &c, &r);
    const char *const order[] = {"1:13: error: first", "2:2: error: unknown key 'nxx'", "3:14: error: third",
                                 "--set:1:9: error: fourth", "case.nml: error: by default"};
    for (size_t n = 0; n < sizeof order / sizeof *order; n++) {
        const char *at = strstr(got, order[n]);
        cr_assert(at, "'%s' is not behind those before in\n%s", order[n], r.text);
        got = at;
    }
    cr_expect_eq(r.errors, 5);
    report_free(&r);
}

Test(namelist, what_follows_from_an_error_is_not_told)
{
    static struct complaints c;
    static const char *const texts[] = {"&grid nx = many /\n", "&grid nxx = 5 /\n", "&gird nx = 5 /\n"};
    struct test_params p;
    struct report r;
    sf_complain(&c, "grid%nz grid%nx", -1, "too flat");
    sf_complain(&c, "run%steps", -1, "too few");
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        const char *got = complain(&p, texts[n], NULL, &c, &r);
        cr_expect(!strstr(got, "too flat") && strstr(got, "too few"), "%s", got);
        cr_expect_eq(r.errors, 2);
        report_free(&r);
    }
}

Test(namelist, failures_become_complaints)
{
    static struct complaints c;
    sf_error_clear();
    sf_fail(SF_INPUT, "file.c", 1, "no such file");
    sf_complain_failure(&c, "run%title", -1, SF_INPUT);
    cr_expect(c.errors == 1 && c.code == SF_INPUT && !strcmp(c.list[0].text, "no such file"));
    cr_expect_str_eq(sf_error_text(), "", "it is a failure no more");
    for (int n = 0; n < 2 * COMPLAINTS_MOST; n++) sf_complain(&c, "grid%nx", -1, "again");
    cr_expect(c.code == SF_NAMELIST && c.errors == 1 + 2 * COMPLAINTS_MOST && c.n == COMPLAINTS_MOST);
}

/* ---- writing ---- */

static void back_check(const struct test_params *p)
{
    char *text = NULL;
    struct test_params back;
    struct report r = {0};
    sf_error_clear();
    cr_assert_eq(namelist_text(&p->schema, &text), 0, "%s", sf_error_text());
    cr_assert_eq(text_read(&back, text, &r), 0, "%s\n%s", text, r.text);
    cr_assert_eq(r.warnings, 0, "%s\n%s", text, r.text);
    cr_assert(test_params_same(p, &back), "%s", text);
    for (const struct param *k = test_table; k < test_table + sizeof test_table / sizeof *test_table; k++) {
        if (k->count == 1) continue;
        cr_assert_eq(namelist_count(&p->schema, k->group, k->key), namelist_count(&back.schema, k->group, k->key), "%s",
                     k->key);
    }
    free(text);
    report_free(&r);
    namelist_free(&back.schema);
}

Test(namelist, corpus_survives_writing)
{
    static char text[FILE_MAX];
    glob_t found;
    corpus_find(&found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct test_params p;
        struct report r = {0};
        sf_error_clear();
        cr_assert_eq(test_params_init(&p), 0);
        namelist_parse(text, file_load(found.gl_pathv[i], text), "case.nml", &p.schema, &r);
        back_check(&p);
        report_free(&r);
        namelist_free(&p.schema);
    }
    globfree(&found);
}

Test(namelist, every_finite_double_survives_writing)
{
    struct test_params p;
    uint64_t x = 88172645463325252u;
    cr_assert_eq(test_params_init(&p), 0);
    cr_assert_eq(namelist_set("grid%position=3*1", &p.schema), 0); /* all three count as given */
    for (int n = 0; n < 2000; n++) {
        for (int i = 0; i < 3;) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            memcpy(&p.block.position[i], &x, sizeof x);
            i += isfinite(p.block.position[i]) != 0;
        }
        p.block.top = n % 2 ? -0.0 : 0.1 * n;
        back_check(&p);
    }
    namelist_free(&p.schema);
}

Test(namelist, written_text)
{
    struct test_params p;
    struct report r = {0};
    char *text = NULL;
    cr_assert_eq(text_read(&p, "&grid dx = 0.1 levels = 5*1 / &output fields = 'u', 'it''s' /", &r), 0, "%s", r.text);
    cr_assert_eq(namelist_text(&p.schema, &text), 0);
    cr_assert_not_null(strstr(text, "&grid\n  nx = 128                           ! [1] Cells west-east.\n"), "%s",
                       text);
    cr_assert_not_null(strstr(text, "  dx = 0.1                           ! [m] Grid spacing west-east.\n"), "%s",
                       text);
    cr_assert_not_null(strstr(text, "  levels = 5*1                       ! [m] Heights.\n"), "%s", text);
    cr_assert_not_null(strstr(text, "  fields = 'u', 'it''s'              ! Names of the fields to write.\n"), "%s",
                       text);
    cr_assert_not_null(strstr(text, "  position =                         ! [m] Place of the centre. (not given: 0)\n"),
                       "%s", text);
    cr_assert_not_null(strstr(text, "  wave%peak = 1                      ! [V m-1] Amplitude.\n"), "%s", text);
    free(text);
    report_free(&r);
    namelist_free(&p.schema);
}

Test(namelist, what_has_no_form_is_not_written)
{
    struct test_params p;
    char *text = NULL;
    cr_assert_eq(test_params_init(&p), 0);
    p.block.top = NAN;
    cr_assert_eq(namelist_text(&p.schema, &text), SF_INTERNAL);
    cr_assert_not_null(strstr(sf_error_text(), "grid%top"));
    cr_assert_null(text);
    p.block.top = 1;
    strcpy(p.block.title, "two\nlines");
    cr_assert_eq(namelist_text(&p.schema, &text), SF_INTERNAL);
    strcpy(p.block.title, "one line");
    p.block.scheme = 4;
    cr_assert_eq(namelist_text(&p.schema, &text), SF_INTERNAL);
    p.block.scheme = 3;
    cr_assert_eq(namelist_text(&p.schema, &text), 0);
    free(text);
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    sf_error_clear();
    cr_assert_eq(namelist_write(full, &p.schema), SF_IO);
    fclose(full);
    namelist_free(&p.schema);
}

Test(namelist, a_wrong_default_is_found)
{
    int value = 0;
    struct param row = {"grid", "n", PARAM_INT, 0, sizeof value, 1, "0", 1, 9, NULL, "1", "A number.", 0};
    struct schema s = {.part = {{&row, 1, &value, NULL}}, .nparts = 1};
    cr_assert_eq(namelist_defaults(&s), SF_INTERNAL);
    cr_assert_str_eq(sf_error_text(), "the default of grid%n breaks its own table: 0");
    row.initial = "3";
    cr_assert_eq(namelist_defaults(&s), 0);
    cr_assert_eq(value, 3);
    namelist_free(&s);
}

/* ---- explain ---- */

static int explain(const char *what, char **text)
{
    size_t size = 0;
    struct test_params p;
    cr_assert_eq(test_params_init(&p), 0);
    sf_error_clear();
    free(*text);
    FILE *f = open_memstream(text, &size);
    cr_assert_not_null(f);
    const int rc = namelist_explain(f, &p.schema, what);
    fclose(f);
    namelist_free(&p.schema);
    return rc;
}

Test(namelist, explain_json)
{
    char *text = NULL;
    size_t size = 0;
    struct test_params p;
    cr_assert_eq(test_params_init(&p), 0);
    FILE *f = open_memstream(&text, &size);
    cr_assert_not_null(f);
    cr_assert_eq(namelist_explain_json(f, &p.schema), 0);
    fclose(f);
    cr_assert(!strncmp(text, "[\n{\"group\": ", 12) && !strcmp(text + size - 4, "}\n]\n"));
    cr_assert_not_null(
        strstr(text, "\n{\"group\": \"grid\", \"key\": \"dx\", \"type\": \"real\", \"count\": 1, \"is_entry\": false, "
                     "\"min\": 1e-09, \"max\": 1000000, \"unit\": \"m\", \"default\": \"1000\", "
                     "\"meaning\": \"Grid spacing west-east.\"}"));
    cr_assert_not_null(strstr(text, "\"choices\": \"euler rk2 rk3 leapfrog\""));
    int rows = 0;
    for (const char *c = text; (c = strstr(c, "{\"group\"")); c++) rows++;
    cr_assert_eq(rows, p.schema.part[0].n + p.schema.part[1].n);
    struct param odd[] = {{.group = "a",
                           .key = "b",
                           .type = PARAM_STRING,
                           .count = 1,
                           .size = 8,
                           .initial = "'\"\\'",
                           .unit = "",
                           .meaning = "a\tb"}};
    struct schema s = {.nparts = 1, .part = {{odd, 1, text, "m"}}};
    free(text);
    f = open_memstream(&text, &size);
    cr_assert_eq(namelist_explain_json(f, &s), 0);
    fclose(f);
    cr_assert_not_null(strstr(text, "\"model\": \"m\", \"type\": \"string\""));
    cr_assert_not_null(strstr(text, "\"default\": \"'\\\"\\\\'\", \"meaning\": \"a\\u0009b\"}"));
    free(text);
    namelist_free(&p.schema);
}

Test(namelist, explain)
{
    char *text = NULL;
    cr_assert_eq(explain("grid%dx", &text), 0);
    cr_assert_str_eq(text, "&grid\n"
                           "  dx                       real number [m], 1e-09 to 1000000, default 1000\n"
                           "                           Grid spacing west-east.\n");
    cr_assert_eq(explain("RUN%scheme", &text), 0);
    cr_assert_not_null(strstr(text, "  one of 'euler', 'rk2', 'rk3', 'leapfrog', default 'rk3'"));
    static const char *const types[][2] = {
        {"part%side", "  list of up to 3 words, each one of 'left', 'right', default 'left'\n"},
        {"output%fields", "  list of up to 6 strings of at most 15 bytes, default empty\n"},
        {"run%label", "  string of at most 7 bytes, default empty\n"},
        {"run%flags", "  list of up to 4 values, each .true. or .false., default"},
        {"run%restart", "  .true. or .false., default .false.\n"},
        {"output%every", "  list of up to 3 integers, -5 to 5, default 1\n"},
        {"grid%position", "  list of up to 3 real numbers [m], default 0\n"}};
    for (size_t n = 0; n < sizeof types / sizeof types[0]; n++) {
        cr_assert_eq(explain(types[n][0], &text), 0);
        cr_assert(strstr(text, types[n][1]), "%s: %s", types[n][0], text);
    }
    cr_assert_eq(explain("source%wave%peak", &text), 0);
    cr_assert_not_null(strstr(text, "real number [V m-1], at least 0, default 1"));
    cr_assert_eq(explain("run", &text), 0);
    cr_assert(strstr(text, "  steps ") && strstr(text, "at least 0") && !strstr(text, "  nx "));
    cr_assert_eq(explain(NULL, &text), 0);
    for (const struct param *p = test_table; p < test_table + sizeof test_table / sizeof *test_table; p++) {
        cr_assert(strstr(text, p->group) && strstr(text, p->key) && strstr(text, p->meaning), "%s", p->key);
    }
    cr_assert_eq(explain("gird", &text), SF_USAGE);
    cr_assert_str_eq(sf_error_text(), "no group 'gird'; did you mean 'grid'?");
    cr_assert_eq(explain("steps", &text), SF_USAGE);
    cr_assert_str_eq(sf_error_text(), "no group 'steps'; did you mean 'run%steps'?");
    cr_assert_eq(explain("grid%postion", &text), SF_USAGE);
    cr_assert_str_eq(sf_error_text(), "no key 'postion' in &grid; did you mean 'grid%position'?");
    cr_assert_eq(explain("grid%ni", &text), SF_USAGE);
    cr_assert_str_eq(sf_error_text(), "grid%ni is now called grid%nx");
    cr_assert_eq(explain("zzzzzz", &text), SF_USAGE);
    cr_assert_eq(explain("grid%zzzzzz", &text), SF_USAGE);
    free(text);
}

/* ---- search ---- */

static int search(const char *word, char **text)
{
    size_t size = 0;
    int found = -1;
    struct test_params p;
    cr_assert_eq(test_params_init(&p), 0);
    free(*text);
    FILE *f = open_memstream(text, &size);
    cr_assert_not_null(f);
    cr_assert_eq(namelist_search(f, &p.schema, word, &found), 0);
    fclose(f);
    namelist_free(&p.schema);
    return found;
}

Test(namelist, holds_words_where_they_begin)
{
    static const char text[] = "restrained terrain, Rain_rate of rain";
    cr_expect_eq(namelist_holds(text, "rain"), text + 20);
    cr_expect_eq(namelist_holds(text, "RAIN OF"), NULL);
    cr_expect_eq(namelist_holds(text, "rate OF r"), text + 25);
    cr_expect_eq(namelist_holds(text, "ain"), NULL);
    cr_expect_eq(namelist_holds(text, ""), NULL);
}

Test(namelist, search_finds_names_values_meanings)
{
    char *text = NULL;
    cr_expect_eq(search("steps", &text), 2, "%s", text);
    cr_expect_str_eq(text, "keys of that name:\n"
                           "  run%steps                        Time steps.\n"
                           "keys whose meaning tells of it:\n"
                           "  output%every                     Steps between outputs.\n");
    cr_expect_eq(search("leapf", &text), 1);
    cr_expect_str_eq(text, "keys that take it as a value:\n  run%scheme                       Time scheme.\n");
    cr_expect_eq(search("untitled", &text), 1, "a default");
    cr_expect(strstr(text, "run%title "), "%s", text);
    cr_expect_eq(search("gr", &text), 2, "a group, and a meaning: %s", text);
    cr_expect(!strncmp(text, "groups:\n  &grid\nkeys whose", 26) && strstr(text, "grid%dx "), "%s", text);
    cr_expect_eq(search("pacing", &text), 0);
    cr_expect_str_eq(text, "");
    free(text);
}

Test(namelist, search_shows_what_stands_around_the_word)
{
    char *text = NULL;
    size_t size = 0;
    static const char *const meaning =
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen";
    static const struct {
        const char *word, *shown;
    } row[] = {
        {"one", "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ..."},
        {"sixteen", "... thirteen fourteen fifteen sixteen seventeen eighteen"},
        {"eighteen", "... fifteen sixteen seventeen eighteen"}};
    for (size_t n = 0; n < sizeof row / sizeof row[0]; n++) {
        free(text);
        FILE *f = open_memstream(&text, &size);
        cr_assert_eq(namelist_search_row(f, "a%b", meaning, row[n].word), 0);
        fclose(f);
        char whole[256];
        snprintf(whole, sizeof whole, "  %-32s %s\n", "a%b", row[n].shown);
        cr_expect_str_eq(text, whole);
    }
    free(text);
}

Test(namelist, near_names)
{
    struct test_params p;
    char text[128];
    cr_assert_eq(test_params_init(&p), 0);
    namelist_near(&p.schema, "gird", text, sizeof text);
    cr_expect_str_eq(text, "'grid'");
    namelist_near(&p.schema, "stpes", text, sizeof text);
    cr_expect_str_eq(text, "'run%steps'");
    namelist_near(&p.schema, "zzzzzz", text, sizeof text);
    cr_expect_str_eq(text, "");
    cr_expect(namelist_has_group(&p.schema, "GRID") && !namelist_has_group(&p.schema, "gri"));
    namelist_free(&p.schema);
}

/* ---- locale ---- */

/* A locale whose decimal mark is a comma: one that is installed, or one made by localedef; 0 when
 * neither is there. */
static int comma_locale_set(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (setlocale(LC_ALL, names[i])) return 1;
    }
    char dir[] = "/tmp/sferic-locale-XXXXXX", command[256];
    if (!mkdtemp(dir)) return 0;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", dir);
    const int made = system(command) == 0 && setenv("LOCPATH", dir, 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) == 0 && made;
}

Test(namelist, numbers_ignore_the_locale)
{
    if (!comma_locale_set()) cr_skip_test("no locale with a decimal comma, and localedef makes none");
    char probe[16];
    snprintf(probe, sizeof probe, "%.1f", 1.5);
    cr_assert_str_eq(probe, "1,5", "the locale has no effect on C itself");
    struct test_params p;
    struct report r = {0};
    cr_assert_eq(text_read(&p, "&grid dx = 1.5 top = .25d1 /", &r), 0, "%s", r.text);
    cr_assert(p.block.dx == 1.5 && p.block.top == 2.5);
    back_check(&p);
    char *text = NULL;
    cr_assert_eq(namelist_text(&p.schema, &text), 0);
    cr_assert_not_null(strstr(text, "dx = 1.5 "));
    snprintf(probe, sizeof probe, "%.1f", 1.5);
    cr_assert_str_eq(probe, "1,5", "the reader left the locale changed");
    free(text);
    report_free(&r);
    namelist_free(&p.schema);
}

/* ---- gfortran ---- */

static void string_print(FILE *f, const char *s, int lower)
{
    size_t n = strlen(s);
    while (n > 0 && s[n - 1] == ' ') n--;
    fputc('[', f);
    for (size_t i = 0; i < n; i++) fputc(lower ? tolower((unsigned char)s[i]) : s[i], f);
    fputc(']', f);
}

/* The line that namelist_oracle.f90 prints. */
static void params_print(FILE *f, const struct test_params *p)
{
    static const char *const schemes[] = {"euler", "rk2", "rk3", "leapfrog"}, *const modes[] = {"none", "mean", "peak"};
    const struct test_block *b = &p->block;
    fprintf(f, "%d %d %d %d %d %d %d ", b->nx, b->nz, b->steps, p->wave.kind, b->every[0], b->every[1], b->every[2]);
    fprintf(f, "%c %c ", b->restart ? 'T' : 'F', b->t ? 'T' : 'F');
    for (int i = 0; i < 4; i++) fprintf(f, "%c ", b->flags[i] ? 'T' : 'F');
    double reals[14] = {b->dx, b->top};
    memcpy(reals + 2, b->position, sizeof b->position);
    memcpy(reals + 5, b->levels, sizeof b->levels);
    memcpy(reals + 10, &p->wave.peak, sizeof p->wave.peak);
    memcpy(reals + 11, p->wave.width, sizeof p->wave.width);
    for (int i = 0; i < 14; i++) {
        uint64_t bits;
        memcpy(&bits, &reals[i], sizeof bits);
        fprintf(f, "%016llX ", (unsigned long long)bits);
    }
    string_print(f, b->title, 0);
    string_print(f, b->label, 0);
    string_print(f, schemes[b->scheme], 1);
    for (int i = 0; i < 6; i++) string_print(f, b->fields[i], 0);
    for (int i = 0; i < 3; i++) string_print(f, modes[b->modes[i]], 1);
}

/* Blanks differ in number, and choices in case: compare the rest. */
static int lines_same(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == ' ' && (a[1] == ' ' || a[1] == '[')) a++;
        while (*b == ' ' && (b[1] == ' ' || b[1] == '[')) b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return 0;
        if (!*a) return 1;
    }
}

static int is_common_ground(const char *text)
{
    char line[LINE_MAX_READ];
    while (head_next(&text, line)) {
        if (strstr(line, "! gfortran:") || strstr(line, "! expect error")) return 0;
    }
    return 1;
}

Test(namelist, gfortran_reads_the_same, .timeout = 120)
{
    static char text[FILE_MAX];
    char dir[] = "/tmp/sferic-oracle-XXXXXX", command[LINE_MAX_READ], line[LINE_MAX_READ];
    if (system("gfortran --version >/dev/null 2>&1") != 0) cr_skip_test("no gfortran: nothing to compare with");
    const char *slash = strrchr(__FILE__, '/');
    cr_assert_not_null(mkdtemp(dir));
    snprintf(command, sizeof command, "gfortran -O0 %.*snamelist_oracle.f90 -J%s -o %s/oracle",
             slash ? (int)(slash - __FILE__ + 1) : 0, __FILE__, dir, dir);
    cr_assert_eq(system(command), 0, "%s", command);

    glob_t found;
    corpus_find(&found);
    int compared = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct test_params p;
        struct report r = {0};
        const char *path = found.gl_pathv[i];
        const size_t len = file_load(path, text);
        if (!is_common_ground(text)) continue;
        cr_assert_eq(test_params_init(&p), 0);
        cr_assert_eq(namelist_parse(text, len, path, &p.schema, &r), 0, "%s", r.text);
        snprintf(command, sizeof command, "echo '%s' | %s/oracle", path, dir);
        FILE *oracle = popen(command, "r");
        cr_assert_not_null(oracle);
        cr_assert_not_null(fgets(line, sizeof line, oracle), "%s: gfortran said nothing", path);
        cr_assert_eq(pclose(oracle), 0, "%s", path);
        line[strcspn(line, "\n")] = '\0';
        char *own = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&own, &size);
        params_print(f, &p);
        fclose(f);
        cr_assert(lines_same(own, line), "%s:\n  sferic   %s\n  gfortran %s", path, own, line);
        compared++;
        free(own);
        report_free(&r);
        namelist_free(&p.schema);
    }
    cr_assert_geq(compared, 50, "only %d files were compared", compared);
    globfree(&found);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert_eq(system(command), 0);
}
