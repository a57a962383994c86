/* The progress bar and its plain form. SPDX-License-Identifier: MIT */
#include "io/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 512, BAR = 24 };

static struct {
    struct progress about;
    struct progress_state now;
    struct timespec begun;
    long first_step;
    double shown; /* wall time of the last line, s */
    int is_shown, is_on, is_terminal, is_colour;
} bar;

static double wall_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(t.tv_sec - bar.begun.tv_sec) + 1e-9 * (double)(t.tv_nsec - bar.begun.tv_nsec);
}

char *progress_seconds(char *text, size_t size, double seconds)
{
    if (!(seconds >= 0) || seconds > 1e11) snprintf(text, size, "?");
    else if (seconds > 0 && seconds < 0.9995e-3) { /* EM waves take nanoseconds */
        static const char *const unit[] = {"us", "ns", "ps", "fs"};
        int n = 0;
        double v = seconds * 1e6;
        while (v < 0.9995 && n < 3) v *= 1e3, n++;
        snprintf(text, size, v < 9.995 ? "%.2f %s" : v < 99.95 ? "%.1f %s" : "%.0f %s", v, unit[n]);
    } else if (seconds < 0.9995) snprintf(text, size, "%.3f s", seconds);
    else if (seconds < 59.95) snprintf(text, size, "%.1f s", seconds);
    else {
        /* Round first, so that no field ever shows 60. */
        const long long s = llround(seconds), m = llround(seconds / 60), h = llround(seconds / 3600);
        if (s < 3600) snprintf(text, size, "%lld min %02lld s", s / 60, s % 60);
        else if (m < 24 * 60) snprintf(text, size, "%lld h %02lld min", m / 60, m % 60);
        else snprintf(text, size, "%lld d %02lld h", h / 24, h % 24);
    }
    return text;
}

/* A rate with three digits. */
static void rate_print(char *text, size_t size, double rate)
{
    if (rate > 0 && rate < 0.01) snprintf(text, size, "%.2e", rate);
    else snprintf(text, size, rate < 10 ? "%.2f" : rate < 100 ? "%.1f" : "%.0f", rate);
}

char *progress_line(char *text, size_t size, const struct progress *p, const struct progress_state *now, long steps,
                    double wall, int with_bar, int columns, int colour)
{
    char at[32], end[32], eta[32], per_s[32] = "?", speed[32] = "?", watch[96] = "", courant[32] = "", body[TEXT];
    const double span = p->end - p->begin, done = now->time - p->begin;
    double share = span > 0 ? done / span : 1;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    const double left = share >= 1 ? 0 : done > 0 ? wall * (span - done) / done : NAN;
    if (wall > 0) {
        rate_print(per_s, sizeof per_s, (double)steps / wall);
        rate_print(speed, sizeof speed, done / wall);
    }
    if (isfinite(now->headline))
        snprintf(watch, sizeof watch, "  %s %.4g%s%s", p->headline, now->headline, p->unit[0] ? " " : "", p->unit);
    if (isfinite(now->courant)) snprintf(courant, sizeof courant, "  Courant %.2f", now->courant);
    progress_seconds(at, sizeof at, now->time);
    progress_seconds(end, sizeof end, p->end);
    progress_seconds(eta, sizeof eta, left);
    /* What stands last goes first where the terminal is narrow. */
    snprintf(body, sizeof body, " %3.0f %%  %s of %s  ETA %s  %s steps/s  %s s/s%s%s", floor(100 * share), at, end, eta,
             per_s, speed, watch, courant);
    if (!with_bar) {
        snprintf(text, size, "step %ld %s", now->step, body);
        return text;
    }
    char drawn[BAR + 1];
    const int wide = columns >= 60 ? BAR : columns >= 30 ? 10 : 0, full = (int)(share * wide);
    for (int n = 0; n < wide; n++) drawn[n] = n < full ? '=' : n == full ? '>' : ' ';
    drawn[wide] = '\0';
    const int room =
        columns - wide - 3 > 0 ? columns - wide - 3 : 0; /* two brackets, and the last column stays empty */
    snprintf(text, size, "%s[%s]%s%.*s", colour ? "\033[32m" : "", drawn, colour ? "\033[0m" : "", room, body);
    return text;
}

static int columns_find(int fd)
{
    struct winsize w;
    return !ioctl(fd, TIOCGWINSZ, &w) && w.ws_col > 0 ? w.ws_col : 80;
}

static void draw(double wall)
{
    char text[TEXT + 64];
    FILE *to = bar.about.to;
    progress_line(text, sizeof text, &bar.about, &bar.now, bar.now.step - bar.first_step, wall, bar.is_terminal,
                  bar.is_terminal ? columns_find(fileno(to)) : 0, bar.is_colour);
    if (bar.is_terminal) fprintf(to, "\r%s\033[K", text);
    else fprintf(to, "sferic: %s\n", text);
    fflush(to);
    bar.shown = wall;
    bar.is_shown = 1;
}

void progress_begin(const struct progress *p, long step)
{
    memset(&bar, 0, sizeof bar);
    bar.about = *p;
    if (!bar.about.to) bar.about.to = stderr;
    bar.is_on = p->rank == 0 && !p->quiet;
    bar.first_step = step;
    bar.now = (struct progress_state){.time = p->begin, .step = step, .headline = NAN, .courant = NAN};
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
    bar.is_terminal = isatty(fileno(bar.about.to)) && (!terminal || strcmp(terminal, "dumb"));
    bar.is_colour = bar.is_terminal && !(plain && plain[0]);
    clock_gettime(CLOCK_MONOTONIC, &bar.begun);
}

void progress_step(const struct progress_state *now)
{
    if (!bar.is_on) return;
    bar.now = *now;
    const double wall = wall_now();
    if (wall - bar.shown >= (bar.is_terminal ? 0.1 : 5.0)) draw(wall);
}

void progress_clear(void)
{
    if (!bar.is_on || !bar.is_terminal || !bar.is_shown) return;
    fputs("\r\033[K", bar.about.to);
    fflush(bar.about.to);
    bar.is_shown = 0;
}

void progress_end(void)
{
    if (!bar.is_on) return;
    draw(wall_now());
    if (bar.is_terminal) fputc('\n', bar.about.to);
    fflush(bar.about.to);
    bar.is_on = 0;
}
