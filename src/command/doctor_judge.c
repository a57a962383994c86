/* Does what was found go with what the program was built for? Text in, judgement out. SPDX-License-Identifier: MIT */
#include "command/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int word_is_there(const char *word, size_t n, const char *text)
{
    static const char between[] = " \t\n";
    while (*(text += strspn(text, between))) {
        const size_t m = strcspn(text, between);
        if (m == n && !strncmp(text, word, n)) return 1;
        text += m;
    }
    return 0;
}

int doctor_words_lacking(const char *needed, const char *there, char *lacking, size_t size)
{
    int count = 0;
    size_t used = 0;
    lacking[0] = '\0';
    while (*(needed += strspn(needed, " "))) {
        const size_t n = strcspn(needed, " ");
        if (!word_is_there(needed, n, there)) {
            count++;
            if (used + n + 2 < size)
                used += (size_t)snprintf(lacking + used, size - used, "%s%.*s", used ? " " : "", (int)n, needed);
        }
        needed += n;
    }
    return count;
}

int doctor_kernels_fit(const char *archs, const char *capability)
{
    int major, minor, fits = 0, arch, n;
    if (sscanf(capability, "%d.%d", &major, &minor) != 2) return 0;
    const int has = 10 * major + minor;
    while (sscanf(archs, "%d%n", &arch, &n) == 1) {
        const char *const next = archs + n;
        const int is_last = !next[strspn(next, " ")];
        /* Machine code goes with devices of its generation, of a later one only what is compiled there from PTX. */
        fits |= is_last ? has >= arch : has >= arch && has / 10 == arch / 10;
        archs = next;
    }
    return fits;
}

int doctor_driver_least(const char *toolkit)
{
    /* CUDA's release notes, minor version compatibility. */
    static const int least[][2] = {{11, 450}, {12, 525}, {13, 580}};
    const int major = atoi(toolkit);
    for (size_t n = 0; n < sizeof least / sizeof least[0]; n++)
        if (least[n][0] == major) return least[n][1];
    return 0;
}

int doctor_mpirun_fits(const char *library, const char *mpirun)
{
    int a[2], b[2];
    const char *const of = strstr(library, "Open MPI"), *const by = strstr(mpirun, "Open MPI");
    if (!of || !by) return 0;
    const size_t na = strcspn(of, "0123456789"), nb = strcspn(by, "0123456789");
    return sscanf(of + na, "%d.%d", &a[0], &a[1]) == 2 && sscanf(by + nb, "%d.%d", &b[0], &b[1]) == 2 && a[0] == b[0] &&
           a[1] == b[1];
}
