/* The engine's team of threads and what the machine has for it: team.c decides. SPDX-License-Identifier: MIT */
#include "pipeline/engine_parts.h"

static int adapts(const struct engine *e) { return e->opt.adapts == ADAPTS_TO_LOAD && e->team.most > 1; }

static int cores_free(const struct engine *e) { return threads_cores_free(e->team.most, &e->comm); }

/* The team may have been larger. Set-up, sums and output have as many threads. */
static void others_follow(struct engine *e)
{
    e->state->threads = e->team.size;
    if (e->team.size < e->team.most) threads_rest();
}

/* Between passes windows of rows follow, too: those of more threads would not stay in the cache of one. */
static void team_changed(struct engine *e)
{
    others_follow(e);
    engine_windows(e, &e->state->host.lay);
}

void engine_team_open(struct engine *e)
{
    team_init(&e->team, e->opt.threads);
    if (!adapts(e)) return;
    team_guess(&e->team, cores_free(e));
    others_follow(e);
}

void engine_team_begin(struct engine *e, long step)
{
    if (e->opt.adapts == ADAPTS_AT_RANDOM) {
        e->team.size = 1 + (int)((unsigned long)(step + 1) * 2654435761u / 65536u % (unsigned)e->team.most);
        team_changed(e);
    }
    if (adapts(e) && !e->team.all) { /* another look, after set-up */
        team_guess(&e->team, cores_free(e));
        team_changed(e);
    }
    e->swept = e->late = 0;
}

void engine_team_end(struct engine *e, int steps)
{
    const int before = e->team.size;
    if (!adapts(e) || !team_add(&e->team, steps, e->swept, e->late)) return;
    team_judge(&e->team, team_asks(&e->team) ? cores_free(e) : e->team.most);
    if (e->team.size != before) team_changed(e);
}
