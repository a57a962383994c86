/* The writer's queue, files that appear whole, and the directory of a run. SPDX-License-Identifier: MIT */
#include "io/commit.h"
#include "io/rundir.h"
#include "io/writer.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- writer ------------------------------------------------------------------------------------------------------ */

enum { JOBS = 500 };
static int order[JOBS], ran, released;
static sem_t gate;

static int note_job(void *arg)
{
    if (ran == 0) sem_wait(&gate);
    order[ran++] = *(int *)arg;
    return SF_OK;
}

static void note_release(void *arg)
{
    (void)arg;
    released++;
}

static int failing_job(void *arg)
{
    IO_CHECK(arg == NULL, SF_IO, "the disk is full, says job %d", *(int *)arg);
    return SF_OK;
}

Test(writer, runs_jobs_in_order)
{
    static int number[JOBS];
    struct writer *w = NULL;
    sem_init(&gate, 0, 0);
    cr_assert_eq(writer_open(&w), SF_OK);
    for (int n = 0; n < JOBS; n++) {
        number[n] = n;
        cr_assert_eq(writer_submit(w, note_job, &number[n], note_release), SF_OK);
        if (n == 20) sem_post(&gate); /* twenty wait in the queue; later ones are more than it holds */
    }
    cr_assert_eq(writer_drain(w), SF_OK);
    cr_assert(ran == JOBS && released == JOBS);
    for (int n = 0; n < JOBS; n++) cr_assert_eq(order[n], n);
    cr_assert_eq(writer_close(&w), SF_OK);
    cr_assert_null(w);
}

Test(writer, tells_the_first_failure_and_runs_no_more)
{
    struct writer *w = NULL;
    int one = 1, two = 2;
    sem_init(&gate, 0, 1);
    cr_assert_eq(writer_open(&w), SF_OK);
    cr_assert_eq(writer_submit(w, failing_job, NULL, NULL), SF_OK);
    cr_assert_eq(writer_drain(w), SF_OK);
    cr_assert_eq(writer_submit(w, failing_job, &one, note_release), SF_OK);
    writer_submit(w, failing_job, &two, note_release);
    writer_submit(w, note_job, &two, note_release);
    cr_assert_eq(writer_drain(w), SF_IO);
    cr_assert_str_eq(sf_error_text(), "the disk is full, says job 1");
    sf_error_clear();
    cr_assert_eq(writer_submit(w, note_job, &two, note_release), SF_IO);
    cr_assert_str_eq(sf_error_text(), "the disk is full, says job 1");
    cr_assert_eq(writer_check(w), SF_IO);
    cr_assert_eq(ran, 0);
    cr_assert_eq(released, 4, "every argument is released, whether its job ran or not");
    cr_assert_eq(writer_close(&w), SF_IO);
}

/* ---- commit and directory ---------------------------------------------------------------------------------------- */

static char base[64];
static struct rundir *dir;

static void base_make(void)
{
    strcpy(base, "/tmp/sferic-rundir-XXXXXX");
    cr_assert(mkdtemp(base));
}

static void base_remove(void)
{
    char command[128];
    rundir_end(&dir);
    snprintf(command, sizeof command, "rm -r '%s'", base);
    cr_assert_eq(system(command), 0);
}

static const char *in_base(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", base, name);
    return path;
}

static void touch(const char *name)
{
    const int fd = open(in_base(name), O_CREAT | O_WRONLY, 0666);
    cr_assert_geq(fd, 0);
    close(fd);
}

static int exists(const char *name) { return !access(in_base(name), F_OK); }

static char *content(const char *name)
{
    static char text[4096];
    FILE *f = fopen(in_base(name), "r");
    cr_assert(f, "no %s", name);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

TestSuite(rundir, .init = base_make, .fini = base_remove);

Test(rundir, text_replaces_the_file_as_a_whole)
{
    cr_assert_eq(commit_text(in_base("a"), "one\n", 4), SF_OK);
    cr_assert_str_eq(content("a"), "one\n");
    const int held = open(in_base("a"), O_RDONLY); /* a reader keeps what it opened */
    cr_assert_eq(commit_text(in_base("a"), "two", 3), SF_OK);
    char old[8] = "";
    cr_assert_eq(read(held, old, 7), 4);
    close(held);
    cr_assert_str_eq(old, "one\n");
    cr_assert_str_eq(content("a"), "two");
    cr_assert_eq(commit_text(in_base("missing/a"), "one", 3), SF_IO);
    cr_assert(strstr(sf_error_text(), "missing/a") && strstr(sf_error_text(), "3 bytes"), "%s", sf_error_text());
}

Test(rundir, makes_parents_and_sweeps_temporaries)
{
    cr_assert_eq(rundir_begin(&dir, in_base("a b/\xc3\xa9/out"), 0, 0), SF_OK, "%s", sf_error_text());
    cr_assert(exists("a b/\xc3\xa9/out"));
    cr_assert_eq(rundir_namelist(dir, "&case\n/\n"), SF_OK);
    rundir_end(&dir);
    touch("a b/history_00000001.000.nc.tmp.123");
    touch("a b/restart_0000000001.nc.tmp.9");
    touch("a b/notes.tmp.txt");
    cr_assert_eq(rundir_begin(&dir, in_base("a b"), 0, 0), SF_OK, "%s", sf_error_text());
    cr_assert(!exists("a b/history_00000001.000.nc.tmp.123") && !exists("a b/restart_0000000001.nc.tmp.9"));
    cr_assert(exists("a b/notes.tmp.txt"), "what is not ours stays");
}

Test(rundir, keeps_results)
{
    touch("history_00000000.000.nc");
    touch("restart_0000000007.nc");
    touch("series.nc");
    touch("mine.nc");
    touch("status.json");
    cr_assert_eq(rundir_begin(&dir, base, 0, 0), SF_USAGE);
    cr_assert(strstr(sf_error_text(), base) && strstr(sf_error_text(), "--force"), "%s", sf_error_text());
    cr_assert(exists("history_00000000.000.nc") && !dir);
    sf_error_clear();
    cr_assert_eq(rundir_begin(&dir, base, 0, 1), SF_OK, "a restart goes on from them");
    cr_assert(exists("history_00000000.000.nc") && exists("restart_0000000007.nc"));
    rundir_end(&dir);
    cr_assert_eq(rundir_begin(&dir, base, 1, 0), SF_OK, "%s", sf_error_text());
    cr_assert_eq(rundir_clear(dir), SF_OK, "%s", sf_error_text());
    cr_assert(!exists("history_00000000.000.nc") && !exists("restart_0000000007.nc") && !exists("series.nc"));
    cr_assert(exists("mine.nc"), "what is not ours stays");
}

Test(rundir, second_run_is_refused)
{
    struct rundir *second = NULL;
    cr_assert_eq(rundir_begin(&dir, base, 0, 0), SF_OK);
    touch("history_00000000.000.nc");
    touch("history_00000001.000.nc.tmp.123");
    const pid_t child = fork();
    if (child == 0) _exit(rundir_begin(&second, base, 1, 0));
    int status = 0;
    waitpid(child, &status, 0);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == SF_USAGE);
    cr_assert_eq(rundir_begin(&second, base, 1, 1), SF_USAGE);
    cr_assert(strstr(sf_error_text(), "another run"), "%s", sf_error_text());
    cr_assert(exists("history_00000000.000.nc") && exists("history_00000001.000.nc.tmp.123"),
              "the first run's files are untouched");
    rundir_end(&dir);
    cr_assert_eq(rundir_begin(&second, base, 0, 1), SF_OK, "free again");
    rundir_end(&second);
}

Test(rundir, examine_says_what_begin_would)
{
    touch("file");
    cr_assert_eq(rundir_examine(base, 0), SF_OK);
    cr_assert_eq(rundir_examine(in_base("new/and/deeper"), 0), SF_OK);
    cr_assert(!exists("new") && !exists(".lock"), "it looks only");
    cr_assert_eq(rundir_examine(in_base("file"), 0), SF_IO);
    sf_error_clear();
    cr_assert_eq(rundir_examine(in_base("file/below"), 0), SF_IO);
    cr_assert(strstr(sf_error_text(), "file/below"), "%s", sf_error_text());
    sf_error_clear();
    cr_assert_eq(rundir_examine("", 0), SF_USAGE);
    sf_error_clear();
    touch("series.nc");
    cr_assert_eq(rundir_examine(base, 0), SF_USAGE);
    cr_assert(strstr(sf_error_text(), "--force"), "%s", sf_error_text());
    sf_error_clear();
    cr_assert_eq(rundir_examine(base, 1), SF_OK);
    cr_assert_eq(rundir_begin(&dir, base, 1, 0), SF_OK);
    cr_assert_eq(rundir_examine(base, 1), SF_USAGE);
    cr_assert(strstr(sf_error_text(), "another run"), "%s", sf_error_text());
    sf_error_clear();
    rundir_end(&dir);
    cr_assert_eq(rundir_examine(base, 1), SF_OK, "free again");
    cr_assert(exists("series.nc"));
}

Test(rundir, examine_finds_what_cannot_be_written)
{
    const uid_t me = geteuid();
    cr_assert_eq(chmod(base, 0555), 0);
    if (!me) cr_assert_eq(seteuid(65534), 0); /* everything is open to root */
    const int there = rundir_examine(base, 0);
    sf_error_clear();
    const int below = rundir_examine(in_base("new"), 0);
    if (!me) cr_assert_eq(seteuid(0), 0);
    cr_assert_eq(chmod(base, 0755), 0);
    cr_assert(there == SF_IO && below == SF_IO, "%d %d", there, below);
    cr_assert(strstr(sf_error_text(), "Permission denied"), "%s", sf_error_text());
}

Test(rundir, keeps_input)
{
    cr_assert_eq(rundir_begin(&dir, in_base("out"), 0, 0), SF_OK);
    FILE *f = fopen(in_base("a.txt"), "wb");
    cr_assert(f && fwrite("1\0\n2", 1, 4, f) == 4 && !fclose(f));
    for (int again = 0; again < 2; again++) { /* the second time it is its own source */
        char from[256];
        snprintf(from, sizeof from, "%s", in_base(again ? "out/input/a.txt" : "a.txt"));
        cr_assert_eq(rundir_keep(dir, from, "input/a.txt"), SF_OK, "%s", sf_error_text());
        struct stat st;
        cr_assert(!stat(in_base("out/input/a.txt"), &st) && st.st_size == 4);
        cr_assert(!memcmp(content("out/input/a.txt"), "1\0\n2", 4));
    }
    cr_assert_eq(rundir_keep(dir, in_base("none"), "input/none"), SF_INPUT);
}

/* More than is in memory at a time, and no whole number of that. */
Test(rundir, a_large_file_is_kept_whole)
{
    enum { SIZE = (5 << 19) + 3 };
    unsigned char *const a = malloc(SIZE), *const b = malloc(SIZE + 1);
    char large[256];
    snprintf(large, sizeof large, "%s", in_base("large"));
    for (int m = 0; m < SIZE; m++) a[m] = (unsigned char)(m % 251);
    cr_assert_eq(commit_text(large, (const char *)a, SIZE), SF_OK, "%s", sf_error_text());
    cr_assert_eq(commit_copy(in_base("copy"), large), SF_OK, "%s", sf_error_text());
    FILE *const f = fopen(in_base("copy"), "rb");
    cr_assert(f && fread(b, 1, SIZE + 1, f) == SIZE && !memcmp(a, b, SIZE));
    fclose(f);
    cr_assert_eq(commit_copy(in_base("missing/copy"), large), SF_IO);
    cr_assert_eq(commit_copy(in_base("copy"), base), SF_INPUT, "a directory was copied");
    cr_assert(exists("copy"));
    free(a), free(b);
}

Test(rundir, refuses_what_is_no_directory)
{
    touch("file");
    cr_assert_eq(rundir_begin(&dir, in_base("file"), 0, 0), SF_IO);
    sf_error_clear();
    cr_assert_eq(rundir_begin(&dir, in_base("file/below"), 0, 0), SF_IO);
    cr_assert(strstr(sf_error_text(), "file/below"), "%s", sf_error_text());
    cr_assert_eq(rundir_begin(&dir, "", 0, 0), SF_USAGE);
}

Test(rundir, leaves_nothing_where_nothing_was_done)
{
    cr_assert_eq(rundir_begin(&dir, in_base("a/b//c/"), 0, 0), SF_OK, "%s", sf_error_text());
    cr_assert(exists("a/b/c/.lock"));
    rundir_end(&dir);
    cr_assert(!exists("a"));
    cr_assert_eq(rundir_begin(&dir, base, 0, 0), SF_OK);
    rundir_end(&dir);
    cr_assert(exists("") && !exists(".lock"), "what was there before stays");
    cr_assert(!mkdir(in_base("old"), 0777));
    cr_assert_eq(rundir_begin(&dir, in_base("new/../old"), 0, 0), SF_OK);
    rundir_end(&dir);
    cr_assert(exists("old") && !exists("new"));
    cr_assert_eq(rundir_begin(&dir, in_base("a/b"), 0, 0), SF_OK);
    touch("a/mine");
    rundir_end(&dir);
    cr_assert(exists("a/mine") && !exists("a/b"));
    cr_assert_eq(rundir_begin(&dir, in_base("a/b"), 0, 0), SF_OK);
    cr_assert_eq(rundir_status(dir, "done", 0, 1, 1, NULL), SF_OK);
    rundir_end(&dir);
    cr_assert(exists("a/b/status.json") && exists("a/b/.lock"));
    touch("file");
    cr_assert_eq(rundir_begin(&dir, in_base("half/../file/below"), 0, 0), SF_IO);
    cr_assert(!exists("half"));
}

Test(rundir, tells_of_a_run_that_could_not_begin)
{
    cr_assert_eq(rundir_tell(in_base("none"), "failed", 8, "bad"), SF_OK);
    cr_assert(!exists("none"));
    touch("restart_0000000001.nc");
    touch("restart_0000000001.nc.tmp.9");
    cr_assert_eq(rundir_tell(base, "failed", 8, "bad"), SF_OK);
    cr_assert(strstr(content("status.json"), "\"failed\"") && strstr(content("status.json"), "\"bad\""));
    cr_assert(exists("restart_0000000001.nc") && exists("restart_0000000001.nc.tmp.9") && !exists(".lock"));
    cr_assert(strstr(content("status.json"), "\"time\": null") && strstr(content("status.json"), "\"step\": 0"));
    cr_assert_eq(rundir_begin(&dir, base, 0, 1), SF_OK, "it is free again");
    cr_assert_eq(rundir_status(dir, "stopped", 75, 24.5, 12, NULL), SF_OK);
    rundir_end(&dir);
    cr_assert_eq(rundir_tell(base, "failed", 8, "\"step\": 99"), SF_OK);
    cr_assert(strstr(content("status.json"), "\"time\": 24.5") && strstr(content("status.json"), "\"step\": 12,"),
              "how far it came stays");
    cr_assert_eq(rundir_begin(&dir, base, 0, 1), SF_OK);
    cr_assert_eq(rundir_status(dir, "running", 0, 0, 0, NULL), SF_OK);
    cr_assert_eq(rundir_tell(base, "failed", 8, "bad"), SF_USAGE);
    cr_assert(strstr(content("status.json"), "\"running\""), "a run that is at work is left alone");
}

Test(rundir, status_is_json)
{
    cr_assert_eq(rundir_begin(&dir, base, 0, 0), SF_OK);
    cr_assert_eq(rundir_namelist(dir, "&case\n/\n"), SF_OK);
    cr_assert_str_eq(content("namelist.nml"), "&case\n/\n");
    cr_assert_eq(rundir_status(dir, "running", 0, 0.1, 12, NULL), SF_OK);
    cr_assert_str_eq(content("status.json"), "{\n  \"state\": \"running\",\n  \"exit_code\": 0,\n  \"time\": "
                                             "0.10000000000000001,\n  \"step\": 12,\n  \"message\": \"\"\n}\n");
    cr_assert_eq(rundir_status(dir, "failed", 5, 0.0 / 0.0 * -1, 3,
                               "a \"b\" \\ \n \t \x01 \x7f \xc3\xa9 \xf0\x9f\x8c\xa9 \xff \xc3(\xed\xa0\x80 \xe2\x82"),
                 SF_OK);
    cr_assert_str_eq(
        content("status.json"),
        "{\n  \"state\": \"failed\",\n  \"exit_code\": 5,\n  \"time\": null,\n  \"step\": 3,\n  \"message\": "
        "\"a \\\"b\\\" \\\\ \\n \\u0009 \\u0001 \\u007f \xc3\xa9 \xf0\x9f\x8c\xa9 \\ufffd \\ufffd("
        "\\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\"\n}\n");
    char command[512];
    snprintf(command, sizeof command, "! command -v python3 >/dev/null || python3 -m json.tool '%s' >/dev/null",
             in_base("status.json"));
    cr_assert_eq(system(command), 0);
}
