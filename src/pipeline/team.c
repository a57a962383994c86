/* Trials of fewer and of more threads. SPDX-License-Identifier: MIT */
#include "pipeline/team.h"

#include "pipeline/sferic.h"

void team_init(struct team *t, int most) { *t = (struct team){.most = most, .size = most, .fewest = most}; }

void team_guess(struct team *t, int cores_free)
{
    const int guess = cores_free < 0 ? t->most : SF_MAX(1, SF_MIN(cores_free, t->most));
    t->size = t->is_guessed ? SF_MAX(t->size, guess) : guess;
    t->is_guessed = 1;
}

int team_add(struct team *t, int steps, double seconds, double late)
{
    t->passes++;
    t->steps += steps;
    t->seconds += seconds;
    t->late += late;
    t->all += steps;
    if (t->size < t->most) {
        t->fewer += steps;
        t->fewest = SF_MIN(t->fewest, t->size);
        t->next = SF_MAX(t->next, t->size);
    }
    return t->seconds >= TEAM_BLOCK;
}

static int is_disturbed(const struct team *t) { return t->size > 1 && t->late > TEAM_DISTURBED * t->seconds; }

int team_asks(const struct team *t) { return !t->tried_from && (t->size < t->most || is_disturbed(t)); }

static double longer(double wait) { return SF_MIN(SF_MAX(2 * wait, TEAM_FIRST_WAIT), TEAM_LAST_WAIT); }

static void trial_begin(struct team *t, int size)
{
    t->tried_from = t->size;
    t->size = size;
}

static void trial_end(struct team *t, double pace)
{
    const int more = t->size > t->tried_from, gains = pace < TEAM_GAIN * t->pace;
    if (gains) {
        /* More threads that did not last were chance, or the cores come and go. */
        if (!more)
            t->wait_more = t->has_grown && t->since < SF_MAX(t->wait_more, TEAM_FIRST_WAIT) ? longer(t->wait_more) : 0;
        t->wait_fewer = t->held = 0;
        t->has_grown = more;
        t->pace = pace;
    } else {
        const double cost = TEAM_REPAY * (t->seconds - (double)t->steps * t->pace);
        double *const wait = more ? &t->wait_more : &t->wait_fewer;
        *wait = SF_MAX(longer(*wait), cost);
        if (!more) t->held = t->pace;
        t->size = t->tried_from;
    }
    t->tried_from = 0;
    t->since = 0;
    t->free_blocks = t->disturbed_blocks = 0;
}

/* Is it time to try more threads? Without a sign of free cores a pass may take several times as long as now. */
static int may_grow(const struct team *t, int cores_free)
{
    const double unasked = cores_free < 0 ? TEAM_FIRST_WAIT : TEAM_LAST_WAIT;
    if (t->size == t->most || t->since < t->wait_more) return 0;
    return t->free_blocks >= TEAM_FREE_BLOCKS || t->since >= SF_MAX(unasked, TEAM_REPAY * t->seconds / t->passes);
}

/* Is it time to try fewer? Where cores are free for all threads, what disturbs is likely to pass: threads that have
 * just begun may share a core for some 10 ms. */
static int may_shrink(const struct team *t, int cores_free, double pace)
{
    const int enough = cores_free >= t->size ? TEAM_FREE_DISTURBED : 1;
    return t->disturbed_blocks >= enough && (t->since >= t->wait_fewer || pace > TEAM_SLOWER * t->held);
}

static int fewer_of(const struct team *t, int cores_free)
{
    const int half = t->size / 2;
    return cores_free > half && cores_free < t->size ? cores_free : half;
}

static int more_of(const struct team *t, int cores_free)
{
    return SF_MIN(t->most, cores_free > t->size ? cores_free : 2 * t->size);
}

void team_judge(struct team *t, int cores_free)
{
    const double pace = t->seconds / (double)t->steps, mean = 0.3; /* weight of the last block */
    if (t->tried_from) trial_end(t, pace);
    else {
        t->since += t->seconds;
        t->pace += (t->pace > 0 ? mean : 1) * (pace - t->pace);
        t->free_blocks = cores_free > t->size ? t->free_blocks + 1 : 0;
        t->disturbed_blocks = is_disturbed(t) ? t->disturbed_blocks + 1 : 0;
        if (may_shrink(t, cores_free, pace)) {
            t->pace = pace; /* what disturbs may have just begun */
            trial_begin(t, fewer_of(t, cores_free));
        } else if (may_grow(t, cores_free)) trial_begin(t, more_of(t, cores_free));
    }
    t->passes = 0;
    t->steps = 0;
    t->seconds = t->late = 0;
}
