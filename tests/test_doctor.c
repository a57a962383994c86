/* What is found against what the program was built for: by value. SPDX-License-Identifier: MIT */
#include "command/doctor.h"
#include "command/probe.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(doctor, words_that_are_not_there)
{
    char lacking[64];
    cr_expect_eq(doctor_words_lacking("avx2 fma", "fpu avx avx2 fma", lacking, sizeof lacking), 0);
    cr_expect_str_eq(lacking, "");
    cr_expect_eq(doctor_words_lacking("avx2 fma avx512f", "fpu avx avx512fp16\tfma\n", lacking, sizeof lacking), 2);
    cr_expect_str_eq(lacking, "avx2 avx512f", "a word is no part of another: %s", lacking);
    cr_expect_eq(doctor_words_lacking("", "fpu", lacking, sizeof lacking), 0);
    cr_expect_eq(doctor_words_lacking("one two", "", lacking, 6), 2, "all are counted");
    cr_expect_str_eq(lacking, "one", "as many are told as there is room for: %s", lacking);
    cr_expect_eq(
        doctor_words_lacking("netCDF4 xarray", "python3 3.11.2\nxarray 2023.1\nnetCDF4 1.6\n", lacking, sizeof lacking),
        0, "words of lines");
}

Test(doctor, kernels_and_cards)
{
    cr_expect(doctor_kernels_fit("80 90", "9.0"));
    cr_expect(doctor_kernels_fit("80 90", "8.0"));
    cr_expect(doctor_kernels_fit("80 90", "8.9"), "machine code of a generation goes on its later cards");
    cr_expect(doctor_kernels_fit("80 90", "12.0"), "PTX of the last goes on all later ones");
    cr_expect_not(doctor_kernels_fit("80 90", "7.5"));
    cr_expect_not(doctor_kernels_fit("86", "8.0"));
    cr_expect_not(doctor_kernels_fit("70 90", "8.0"), "only the last is there as PTX");
    cr_expect(doctor_kernels_fit("90", "9.0"));
    cr_expect_not(doctor_kernels_fit("", "9.0"));
    cr_expect_not(doctor_kernels_fit("80", "[N/A]"));
}

Test(doctor, drivers)
{
    cr_expect_eq(doctor_driver_least("11.8"), 450);
    cr_expect_eq(doctor_driver_least("12.4"), 525);
    cr_expect_eq(doctor_driver_least("13.0"), 580);
    cr_expect_eq(doctor_driver_least("none"), 0);
}

Test(doctor, launchers)
{
    cr_expect(doctor_mpirun_fits("Open MPI v4.1.4", "mpirun (Open MPI) 4.1.4"));
    cr_expect(doctor_mpirun_fits("Open MPI v4.1.4", "mpirun (Open MPI) 4.1.6"), "of the same series");
    cr_expect_not(doctor_mpirun_fits("Open MPI v4.1.4", "mpirun (Open MPI) 5.0.1"));
    cr_expect_not(doctor_mpirun_fits("Open MPI v4.1.4", "mpirun (Open MPI) 4.0.7"));
    cr_expect_not(doctor_mpirun_fits("Open MPI v4.1.4", "HYDRA build details: Version: 4.1"));
}

static int ask(const char *script, double seconds, int errors, char *said, size_t size)
{
    char sh[] = "/bin/sh", c[] = "-c", text[256];
    snprintf(text, sizeof text, "%s", script);
    char *const argv[] = {sh, c, text, NULL};
    return probe_ask(argv, seconds, errors, said, size);
}

Test(doctor, asks_programs)
{
    char said[8], long_said[64];
    cr_expect_eq(ask("echo good; echo bad >&2; exit 3", 10, 0, long_said, sizeof long_said), 3);
    cr_expect_str_eq(long_said, "good\n");
    cr_expect_eq(ask("echo good; echo bad >&2", 10, 1, long_said, sizeof long_said), 0);
    cr_expect_str_eq(long_said, "good\nbad\n");
    cr_expect_eq(ask("echo 0123456789", 10, 0, said, sizeof said), 0, "more than there is room for is read to its end");
    cr_expect_str_eq(said, "0123456");
    cr_expect_eq(ask("kill -TERM $$", 10, 0, said, sizeof said), 128 + SIGTERM);
    cr_expect_eq(ask("read x || echo none", 10, 0, said, sizeof said), 0, "there is nothing to read");
    cr_expect_str_eq(said, "none\n");
    cr_expect_eq(ask("echo on; exec sleep 100", 0.2, 0, said, sizeof said), -1, "what hangs is ended");
    cr_expect_str_eq(said, "on\n");
    cr_expect_eq(ask("exec >&-; exec sleep 100", 0.2, 0, said, sizeof said), -1, "and what closed its output");
    char none[] = "/nonexistent";
    char *const argv[] = {none, NULL};
    cr_expect_eq(probe_ask(argv, 1, 0, said, sizeof said), -1);
}

Test(doctor, finds_programs)
{
    char path[PROBE_PATH];
    setenv("PATH", "/nonexistent::/bin", 1);
    cr_assert(probe_find("sh", path));
    cr_expect_str_eq(path, "/bin/sh");
    cr_expect(probe_find("/bin/sh", path));
    cr_expect_not(probe_find("/bin", path), "a directory is no program");
    cr_expect_not(probe_find("no-such-program", path));
    cr_expect_str_eq(path, "");
    cr_expect_not(probe_find("", path));
    unsetenv("PATH");
    cr_expect_not(probe_find("sh", path));
}
