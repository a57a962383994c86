/* What is private is replaced, and nothing else: by value. SPDX-License-Identifier: MIT */
#include "command/bundle.h"
#include "command/scrub.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct scrub made(void)
{
    struct scrub s = {0};
    scrub_add(&s, SCRUB_OPEN, "/data/zaphod/run", "OUT");
    scrub_add(&s, SCRUB_PLACE, "/data/zaphod/", "~");
    scrub_add(&s, SCRUB_NAME, "zaphod", "USER");
    scrub_add(&s, SCRUB_NAME, "al", "USER");
    scrub_add(&s, SCRUB_NAME, "Z. Beeblebrox", "USER");
    scrub_add(&s, SCRUB_HOST, "magrathea", "HOST");
    return s;
}

/* Twice: the second time nothing is left to do. */
static void becomes(const char *text, const char *wanted)
{
    struct scrub s = made();
    char *once = NULL, *twice = NULL;
    size_t n, m;
    cr_assert_eq(scrub_text(&s, text, strlen(text), &once, &n), 0);
    cr_expect_str_eq(once, wanted, "'%s' becomes '%s', not '%s'", text, once, wanted);
    cr_expect_eq(n, strlen(once));
    cr_assert_eq(scrub_text(&s, once, n, &twice, &m), 0);
    cr_expect_str_eq(twice, once, "'%s' becomes '%s' the second time", once, twice);
    free(once);
    free(twice);
    scrub_free(&s);
}

Test(scrub, places)
{
    becomes("/data/zaphod/run", "OUT");
    becomes("in /data/zaphod/run/series.nc, and", "in OUT/series.nc, and");
    becomes("/data/zaphod/run/a/b/c", "OUT/a/b/c");
    becomes("/data/zaphod/running/x", "~/.../x");
    becomes("in /data/zaphod/my new/place/on it.", "in ~/.../on it.");
    becomes("x=/data/zaphod/a/b/", "x=~/.../b/");
    becomes("file='/data/zaphod/a b.nc'", "file='~/a b.nc'");
    becomes("written to /data/zaphod/run.", "written to OUT.");
}

Test(scrub, homes)
{
    becomes("cd /home/trillian/x", "cd ~/x");
    becomes("'/Users/ford.prefect' /export/home/a-b/c", "'~' ~/c");
    becomes("/root/.cache and /root, /rooted", "~/.cache and ~, /rooted");
    becomes("file:///home/trillian/x.html", "file://~/x.html");
}

Test(scrub, paths)
{
    becomes("cannot read '/scratch/p1/in put/a.nc': gone", "cannot read 'PATH/a.nc': gone");
    becomes("--out /scratch/p1/run7 -q", "--out PATH/run7 -q");
    becomes("/scratch/heart of/gold/a.nc --set", "PATH/a.nc --set");
    becomes("PATH=/opt/x/bin:/srv/y/bin", "PATH=PATH/bin:PATH/bin");
    becomes("//srv/share/x", "/PATH/x");
    becomes("wrote /scratch/p1/run7.", "wrote PATH/run7.");
    becomes("'/scratch/zaphod/zaphod.nc'", "'PATH/USER.nc'");
    becomes("/usr/bin/python3 /etc/passwd /proc/1", "/usr/bin/python3 /etc/passwd /proc/1");
    becomes("/usr/local/zaphod/bin", "/usr/local/USER/bin");
    becomes("an apostrophe's /scratch/p1/x it isn't", "an apostrophe's PATH/x it isn't");
}

Test(scrub, names)
{
    becomes("zaphod Zaphod ZAPHOD zaphod2 my_zaphod", "USER USER USER USER2 my_USER");
    becomes("zaphods xzaphod", "zaphods xzaphod");
    becomes("al thermal also al.nc", "USER thermal also USER.nc");
    becomes("by Z. Beeblebrox, at", "by USER, at");
    becomes("magrathea magrathea.slow.example.org:22 Magrathea7", "HOST HOST:22 HOST7");
}

Test(scrub, addresses)
{
    becomes("ask ford.prefect+x@guide.example.org now", "ask USER@HOST now");
    becomes("zaphod@guide.example.org, <al@x.org>", "USER@HOST, <USER@HOST>");
    becomes("tcp 10.0.17.255:1024", "tcp ADDRESS:1024");
    becomes("4.1.4 and 1.2.3.4.5 and 300.1.1.1 and v1.2.3.4", "4.1.4 and 1.2.3.4.5 and 300.1.1.1 and v1.2.3.4");
    becomes("https://example.org/a/b.html", "https://example.org/a/b.html");
}

Test(scrub, leaves_the_rest)
{
    const char *const text = "&grid nx = 20, dx = 500. /\n&case name = 'a/b' / ! m/s, kg m-3, 1/2, (a)/b, 2*/x\n"
                             "x = 1 /\n/ \n\ttheta' - theta, namelists/case.nml ../x/y.nc ./z\n";
    becomes(text, text);
    becomes("", "");
    struct scrub s = made();
    char *out = NULL;
    size_t n;
    cr_assert_eq(scrub_text(&s, "a\0zaphod", 8, &out, &n), 0);
    cr_expect_eq(n, 6, "behind a zero, too");
    cr_expect(!memcmp(out, "a\0USER", 6));
    free(out);
    scrub_free(&s);
}

Test(scrub, what_tells_nothing_is_kept)
{
    struct scrub s = {0};
    scrub_add(&s, SCRUB_NAME, "root", "USER");
    scrub_add(&s, SCRUB_NAME, "", "USER");
    scrub_add(&s, SCRUB_NAME, NULL, "USER");
    scrub_add(&s, SCRUB_HOST, "localhost", "HOST");
    scrub_add(&s, SCRUB_PLACE, "/", "CWD");
    scrub_add(&s, SCRUB_PLACE, "relative", "CWD");
    cr_expect_eq(s.n, 0);
    scrub_add(&s, SCRUB_NAME, "one", "USER");
    scrub_add(&s, SCRUB_NAME, "one", "USER");
    cr_expect_eq(s.n, 1, "once is enough");
    scrub_free(&s);
}

Test(scrub, who_is_here)
{
    struct scrub s = {0};
    char host[256] = "", text[1024], *out = NULL;
    size_t n;
    gethostname(host, sizeof host - 1);
    setenv("HOME", "/elsewhere/arthur dent", 1);
    setenv("USER", "arthur", 1);
    cr_assert_eq(scrub_add_here(&s), 0);
    snprintf(text, sizeof text, "|%s|arthur|/elsewhere/arthur dent/x|", host);
    cr_assert_eq(scrub_text(&s, text, strlen(text), &out, &n), 0);
    cr_expect_str_eq(out, strcmp(host, "localhost") ? "|HOST|USER|~/x|" : "|localhost|USER|~/x|");
    free(out);
    scrub_free(&s);
}

Test(scrub, a_bundle_is_what_tar_reads)
{
    char place[] = "/tmp/sferic-bundle-XXXXXX", path[64], command[512], name[131];
    struct bundle b;
    size_t bytes = 0;
    cr_assert_neq(mkdtemp(place), NULL);
    snprintf(path, sizeof path, "%s/b.tar.gz", place);
    memset(name, 'n', 130);
    name[130] = '\0';
    cr_assert_eq(bundle_begin(&b, "top"), 0);
    cr_assert_eq(bundle_add(&b, "a/one.txt", "one\n", 4), 0);
    cr_assert_eq(bundle_add(&b, name, "", 0), 0, "a name that is too long");
    char block[512];
    memset(block, 'x', sizeof block);
    cr_assert_eq(bundle_add(&b, "whole", block, sizeof block), 0, "as long as a block");
    cr_assert_eq(bundle_write(&b, path, &bytes), 0);
    bundle_free(&b);
    cr_expect_gt(bytes, 100);
    snprintf(
        command, sizeof command,
        "cd %s && tar xzf b.tar.gz 2>&1 && test \"$(cat top/a/one.txt)\" = one && test $(wc -c <top/whole) = 512 && test -f "
        "top/%.100s && test $(ls top | wc -l) = 3 && cd / && rm -r %s",
        place, name, place);
    cr_expect_eq(system(command), 0);
}
