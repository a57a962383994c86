/* The sizes of a run's files. SPDX-License-Identifier: MIT */
#include "command/disk.h"

#include "command/rows.h"
#include "io/history.h"
#include "io/series.h"
#include "io/spectra.h"
#include "pipeline/error.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum { PATH = 4096, KEPT = 2 }; /* KEPT: checkpoints at the end of a run */

static const double mib = 1024.0 * 1024.0;

/* Of a checkpoint: its text, the run's identity, is a share of the namelist. */
static double checkpoint_bytes(const struct session *s)
{
    double bytes = 0;
    int fields = 0;
    for (int f = 0; f < s->in.nfields; f++) {
        int ni, nk, nj;
        field_extent(&s->in.field[f], &s->grid, &ni, &nk, &nj);
        if (!field_is_kept(&s->in.field[f]) || !((double)ni * nk * nj > 0)) continue;
        bytes += (double)ni * nk * nj * (double)sizeof(real);
        fields++;
    }
    return bytes + ncfile_overhead(s->identity ? strlen(s->identity) : 0, 0, fields, 4);
}

/* How many checkpoints a whole run makes: where they are due, and at its end. */
static double checkpoints_made(const struct session *s)
{
    const double every = s->config.time_restart_interval, length = s->clock.duration;
    return every > 0 && clock_steps_total(&s->clock) ? SF_MAX(length / every, 1) : 0;
}

int disk_size(const struct session *s, struct disk *d)
{
    const size_t text = strlen(s->text);
    struct history_size history;
    struct series_size series;
    struct spectra_size spectra;
    SF_TRY(history_size(&s->in, s->grid.ny, text, &history));
    const double frames = (double)s->clock.gaps + 1, each = SF_MAX(s->config.output_frames_per_file, 1);
    series_size(&s->in, s->nprobes, session_entries(s), (double)clock_steps_total(&s->clock), s->clock.gaps, text,
                &series);
    spectra_size(&s->in, text, &spectra);
    const double made = checkpoints_made(s), one = made > 0 ? checkpoint_bytes(s) : 0;
    const double anew = s->clock.gaps > 1 ? SF_MAX(series.largest, spectra.largest) : 0;
    *d = (struct disk){.history =
                           frames * history.stored + (double)(long)((frames + each - 1) / each) * history.overhead,
                       .checkpoints = SF_MIN((double)(long)(made + 0.999), KEPT) * one,
                       .series = series.disk,
                       .results = spectra.disk,
                       .beside = SF_MAX(anew, made > KEPT ? one : 0)};
    return SF_OK;
}

/* Room where `path` is, or would be made. -1: not known, as of file systems that count no blocks. */
static double room_at(const char *path, char at[PATH])
{
    struct stat st;
    struct statvfs v;
    snprintf(at, PATH, "%s", path);
    while (stat(at, &st)) {
        char *slash = strrchr(at, '/');
        if (!slash) snprintf(at, PATH, ".");
        else slash[slash == at] = '\0';
        if (!strcmp(at, "/") || !strcmp(at, ".")) break;
    }
    return statvfs(at, &v) || !v.f_blocks ? -1 : (double)v.f_bavail * (double)v.f_frsize;
}

int disk_check(const struct session *s, const char *out)
{
    char at[PATH];
    struct disk d;
    SF_TRY(disk_size(s, &d));
    const double rest = d.checkpoints + d.series + d.results + d.beside, all = d.history + rest,
                 room = room_at(out, at);
    const int at_most = s->config.output_compression > 0;
    char more[64] = "", left[PATH + 64];
    if (d.beside > 0) snprintf(more, sizeof more, "; %.1f MiB more while a file is written anew", d.beside / mib);
    if (room >= 0) snprintf(left, sizeof left, "%.1f MiB free in %s", room / mib, at);
    else snprintf(left, sizeof left, "how much is free in %s is not known", at);
    rows_print(
        stdout, "disk", "%s%.1f MiB of history, %.1f MiB of checkpoints, %.1f MiB of series, %.1f MiB of results%s; %s",
        at_most ? "at most " : "", d.history / mib, d.checkpoints / mib, d.series / mib, d.results / mib, more, left);
    /* Only history is compressed; what comes with time may come no more where something ends the run. */
    const double sure = s->in.may_end ? d.results + d.beside : at_most ? rest : all;
    SF_CHECK(
        room < 0 || sure <= room, SF_IO,
        "the output needs %.1f MiB and %s has room for %.1f MiB: write less often, fewer &output fields, or elsewhere "
        "(--out)",
        sure / mib, at, room / mib);
    if (room >= 0 && all > room)
        sf_warn("the output needs %.1f MiB%s and %s has room for %.1f MiB: %s may make it fit", all / mib,
                s->in.may_end ? " if nothing ends the run before time%duration" : " before compression", at, room / mib,
                s->in.may_end ? "an earlier end, or entries and frames less often," : "compression");
    return SF_OK;
}
