#!/bin/bash
# Are the tests able to fail? Plants one fault at a time into a copy of the engine or of the EM model, builds the file it is in,
# links it with a killer and lets that run: BUILD=build/VARIANT tests/mutants.sh [formulas] [WORDS OF A MUTANT]
#
# Faults in formulas of both models follow, from the tables tests/mutants/*.txt: see support_mutants.sh. `formulas` plants these alone.
#
# Killers are random programs (tests/prog_ranks.c), cuts of an EM case (tests/prog_matrix.c), figures of `sferic verify`, and
# unit tests. A mutant is killed by a wrong bit, a crash or a hang, on one rank or, where the build has MPI, on more. Its source
# lives in a temporary directory and nowhere else. The last line says `N of N mutants killed`; the exit code is 1 when one
# survives, or when one no longer applies to the source: then the table below is to be mended.
# Alone: it keeps all cores busy.
# SPDX-License-Identifier: MIT
# Full: it builds a program for every mutant.
set -uo pipefail
cd "$(dirname "$0")/.."
: "${BUILD:?the build directory}"
BUILD=$(cd "$BUILD" && pwd) || exit 1
formulas_alone=0
if [ "${1:-}" = formulas ]; then
    formulas_alone=1
    shift
fi
only=${1:-}
# shellcheck source=tests/support_jobs.sh
. tests/support_jobs.sh
# shellcheck source=tests/support_mutants.sh
. tests/support_mutants.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Ranks and threads outnumber the cores: whoever waits sleeps.
export OMP_WAIT_POLICY=passive KMP_BLOCKTIME=0 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_hwloc_base_binding_policy=none MALLOC_PERTURB_=165
export CCACHE_DISABLE=1 # no mutant is met twice

# all_killed TRIED KILLED: the last line
all_killed() {
    echo "$2 of $1 mutants killed"
    [ "$2" = "$1" ] && [ "$2" -gt 0 ]
}

if [ $formulas_alone = 1 ]; then
    formulas_plant "$only" || exit 1
    all_killed "$formulas_tried" "$formulas_killed"
    exit
fi

file=() ranks=() what=() edit=() killer=()
# mutant FILE RANKS DESCRIPTION SED: RANKS is how many it takes at least to see it
mutant() {
    file+=("src/pipeline/$1.c") ranks+=("$2") what+=("$3") edit+=("$4") killer+=(programs)
}
# wave_mutant FOLDER/FILE RANKS KILLER DESCRIPTION SED: KILLER is cuts, verify:NAME or test:NAME
wave_mutant() {
    file+=("src/$1.c") ranks+=("$2") killer+=("$3") what+=("$4") edit+=("$5")
}

# ---- what is computed and exchanged
mutant plan_lags 1 "an op reads one row before it is made" 's/max_int(ahead_of(later, way), /max_int(ahead_of(later, way) - 1, /'
mutant plan_lags 1 "a row is overwritten one row too early" 's/max_int(behind_of(earlier, way), /max_int(behind_of(earlier, way) - 1, /'
mutant plan_lags 1 "rows beyond a side made too late for a sweep" 's/max_int(ahead_of(later, way), behind_of(later, way) - begins)/ahead_of(later, way)/'
mutant plan_lags 1 "rows beyond a side changed under a reader" 's/max_int(behind_of(earlier, way), ahead_of(earlier, way) - ends)/behind_of(earlier, way)/'
mutant plan_lags 1 "faces mirror as cells do" 's/return l->on_face || l->extended ? 0 : 1;/return 1;/'
mutant plan_lags 1 "rows beyond a low side are taken to be made a row deeper" 's/l->extended ? 0 : 1;/l->extended ? 1 : 2;/'
mutant plan_lags 1 "rows beyond a high side are taken to be made a row deeper" 's/(l->on_face ? 2 : 1)/(l->on_face ? 3 : 2)/'
mutant plan_lags 1 "a reader of rows beyond a side trails one row less" 's/behind_of(later, way) - begins)/behind_of(later, way) - begins - 1)/'
mutant plan_lags 1 "rows beyond a side change a row too early" 's/ahead_of(earlier, way) - ends)/ahead_of(earlier, way) - ends - 1)/'
mutant plan_lags 1 "the far face lags as a cell" 's/extends \&\& (a->stage/0 \&\& extends \&\& (a->stage/'
mutant plan 1 "one row less to the south is exchanged" 's/\.south = max_int(d\.south\[id\], 0)/.south = max_int(d.south[id] - 1, 0)/'
mutant plan 1 "one row less to the north is exchanged" 's/\.north = max_int(d\.north\[id\], 0)/.north = max_int(d.north[id] - 1, 0)/'
mutant plan 1 "a reach to the south is forgotten" 's/s + SF_MAX(x->reach\.jm, both)/s + SF_MAX(0, both)/'
mutant plan 1 "a reach to the north is one short" 's/n + SF_MAX(x->reach\.jp, both)/n + SF_MAX(x->reach.jp - 1, both)/'
mutant plan 2 "few rows reach one way only" 's/p->few_rows = cut->sided/p->few_rows = 0 \&\& cut->sided/'
mutant plan_fills 1 "ghosts are not filled for the next pass" 's/if (p->last_id\[first\] != first) id = .*$/;/'
mutant plan_fills 1 "ghosts are filled for the first reader only" 's/w\.depth = reach_max(w\.depth, without_sides(.*$/w.depth = read_depth(p, o, x), ends = 1;/'
mutant plan_fills 1 "what few points change is taken to be filled anew" 's/if (!op_skips(\&o->op) \&\& !o->stage->changes) ends = 1/if (!op_skips(\&o->op)) ends = 1/'
mutant ghost 1 "nothing follows from few points" 's/is_source = g->from >= first \&\& g->from <= end/is_source = 0/'
wave_mutant pipeline/ghost 1 test:ghost "a ghost that few points wrote stays" 's/(is_source || is_there)/is_source/'
mutant plan_fills 1 "the far face is read no farther than a cell" 's/if (o->stage->extend && p->extend_e) r\.ip++;//'
mutant plan_fills 1 "the far face's rows are read no farther" 's/if (o->stage->extend && p->extend_n) r\.jp++;//'
mutant plan 1 "an op that skips a step is taken to write" 's/mode == ACCESS_WRITE \&\& op_skips(op) ? ACCESS_UPDATE : mode/mode/'
mutant plan 1 "static fields reach no farther than own rows" 's/o->south + o->access\[a\]\.reach\.jm/o->access[a].reach.jm/'
mutant plan 1 "a field ends a pass in its first bank" 's/p->last_id\[f\] = bank\[f\] ? p->bank_id\[f\] : f;/p->last_id[f] = f;/'
mutant plan 1 "what is written again goes to the other bank" 's/return x->mode == ACCESS_READ_OTHER || is_moving(x, f);/return x->mode == ACCESS_READ_OTHER || x->mode == ACCESS_REWRITE || is_moving(x, f);/'
mutant plan 1 "what a field was is what it is" 's/return x->mode == ACCESS_READ_OTHER || is_moving/return is_moving/'
mutant plan 1 "a field that is written again has gone to the other bank" 's/{ return x->mode == ACCESS_WRITE \&\& f->banks == 2; }/{ return (x->mode == ACCESS_WRITE || x->mode == ACCESS_REWRITE) \&\& f->banks == 2; }/'
mutant plan_fills 1 "ghosts are filled for the readers of one pass" 's/m <= 2 \* p->nops; m++/m <= p->nops; m++/'
mutant plan 1 "every member of a family is the first" 's,return x->field + x->family \* member,return x->field + 0 * member,'

# ---- the sweep
mutant engine_sweep 1 "an op begins a row late" 's/w->low - o->south, w->clip_low/w->low - o->south + 1, w->clip_low/'
mutant engine_sweep 1 "an op ends a row early" 's/w->high + o->north, w->clip_high/w->high + o->north - 1, w->clip_high/'
mutant engine_sweep 1 "windows overlap by none and skip a row" 's/\*q0 = SF_MAX(\*q0, front - o->lag\[w->dir\])/*q0 = SF_MAX(*q0, front - o->lag[w->dir] + 1)/'
mutant engine_sweep 1 "a sweep ends before its ops do" 's/w->ends ? g->lag\[dir\] : 0/w->ends ? g->lag[dir] \/ 2 : 0/'
mutant engine_sweep 1 "the far row is not computed" 's/\.j1 = r1 + (r1 == w->lay->nj .*$/.j1 = r1};/'
mutant engine_sweep 1 "the far column is not computed" 's/\.i1 = i1 + (last \&\& extend \&\& e->extend_e)/.i1 = i1/'
mutant engine_sweep 1 "ghosts of the far column are not filled" 's/filled\.i1 = i1 + (last \&\& e->extend_e);/filled.i1 = i1;/'
mutant engine_windows 1 "a thread's first column is no one's" 's/s\.i0 = SF_MIN(ni, grains/s.i0 = (p > 0) + SF_MIN(ni, grains/'
mutant engine_sweep 1 "threads do not wait for each other" '/^            op_run(e, w, o, mine, w->dir ? w->mirror - q1 + 1 : q0, w->dir ? w->mirror - q0 + 1 : q1, k0, k1);$/{N;s/\n\(.*\)barrier_wait(&e->barrier)/\n\1/}'
mutant engine_sweep 1 "steps of a pass count as one" 's/const long step = w->step + o->step;/const long step = w->step;/'
mutant engine_sweep 1 "all steps of a pass have the time of the first" 's/w->time\[o->step\]/w->time[0]/'
mutant engine_sweep 1 "fields that are read can be written" 's/x->mode == ACCESS_READ && !x->is_beside ? NULL : &view/\&view/; s/if (!is_read) \*written/*written/'
mutant engine 1 "banks are not settled" 's/if (last == f) continue;/continue;/'
mutant engine 2 "no wait for ghost rows of the near side" 's/SF_TRY(engine_halo_end(e, now, slab, dir));/;/'
mutant engine_sweep 2 "a late wait for ghost rows of the far side" 's/waiting && next > w->high)/waiting \&\& next > w->high + 4)/'
mutant engine_sweep 2 "rows leave before they are final" 's/done = next - g->lag\[dir\];/done = next;/'
mutant engine 2 "rows that came make none beyond the side" 's/y, x->to, x->to + x->rows)/y, x->to, x->to)/'
mutant engine 2 "own rows make none beyond the side" 's/if (p->few_rows) rows_fill/if (0) rows_fill/'

mutant engine_sweep 1 "one thread copies its ghost rows, the others none" 's/halo_wrap(w->wrap, w->slab, mine->id/if (mine->id == 0) halo_wrap(w->wrap, w->slab, 0/'

# ---- slabs
mutant engine_size 1 "there is memory for one slab at a time" 's/AT_ONCE = 2 \* ROUTE_PIECES + 1/AT_ONCE = ROUTE_PIECES/'
mutant engine_size 1 "scratch fields have no rows behind a slab" 's/e->scratch_rows = route_rows(span, e->slabs, 2 \* e->gj, e->edge, ROUTE_PIECES)/e->scratch_rows = route_rows(span, e->slabs, 0, 0, ROUTE_PIECES)/'
mutant route 1 "a row is taken to be there already" 's/rows_turned(dir, mirror, held)\.b : all\.a/rows_turned(dir, mirror, held).b + 1 : all.a/'
mutant route 1 "the last row of a pass does not stay" 's/x->high - x->rows), x->high}/x->high - x->rows), x->high - 1}/'
wave_mutant maxwell/source 1 test:source "a mode does not tell what it changes" 's,int which = 0; n->is_mode ..,int which = 2; n->is_mode \&\&,'
wave_mutant maxwell/source 1 test:source "images of a source are not told" 's/if (rows) x\.j0 = b\.j0, x\.j1 = b\.j1;/;/'
wave_mutant maxwell/incident_face 1 test:incident "far faces of the plane wave are not told" 's/, all\.high\[a\] = SF_MAX(all\.high\[a\], r->high\[a\]);/;/'
wave_mutant io/restart 1 test:restart "a checkpoint is read while another thread calls netCDF" 's/^    LIBRARY_HELD;$//'
wave_mutant io/library 1 test:library "an inner block lets the library go" 's/if (\*by \&\& !--held)/if (*by \&\& held--)/'
wave_mutant io/library 1 test:library "who holds the library keeps nobody waiting" 's/if (!held++) pthread_mutex_lock(&library);/held++;/'
wave_mutant pipeline/ghost 1 test:ghost "few points fill no columns beyond a side" 's/return entries_follow(&m->x, depth\.im, depth\.ip, b\.i0, b\.i1)/return 0/'
wave_mutant pipeline/ghost 1 test:ghost "few points fill no rows beyond a side" 's/entries_follow(&m->y, depth\.jm, depth\.jp, b\.j0, b\.j1)/0/'
wave_mutant pipeline/route 1 test:route "the last slab is no longer than the others" 's/SF_MAX(x->high - x->more - x->low, 0), even/SF_MAX(x->high - x->low, 0), even/'
wave_mutant pipeline/route 1 test:route "long slabs cut tiles" 's/(each + TILE - 1) \/ TILE \* TILE/each/'
wave_mutant pipeline/route 1 test:route "the last slab is a stump" 's/ >= even \/ 2 ? even : 0/ > 0 ? even : 0/'
wave_mutant pipeline/route 1 test:route "a row comes before the one has left whose place it takes" 's/comes\.b - x->rows)/comes.b - x->rows - 1)/'
wave_mutant pipeline/route 1 test:route "slabs have a row more than they have room for" 's/return (int)SF_MIN(reach + rows + more/return (int)SF_MIN(reach + rows - 1 + more/'
wave_mutant pipeline/storage 1 test:storage "folded memory lacks a row" 's/(size_t)SF_MAX(held, 0)/(size_t)SF_MAX(held - 1, 0)/'
wave_mutant pipeline/storage 1 test:storage "a folded storage has addresses for its first rows alone" 's/(colour + bytes + period - 1) \/ period \* period/2 * period/'
mutant engine_stream 1 "a row less comes in" 's/\.plan = r->plan}, c, r->step, j);/.plan = r->plan}, c, r->step, (struct span_rows){j.a + 1, j.b});/'
mutant engine_stream 1 "a row goes out too early" 's/w->front1 - lag)/w->front1 - lag + 1)/'
mutant engine_stream 1 "rows beyond the side go out while they change" 's/if (!last && end <= r->out\.a + 2 \* e->gj)/if (0)/'
mutant engine_rows 1 "what stays never goes out" 's/    rows_transfer(e, \&t, j\.a, j\.b);/    if (0) rows_transfer(e, \&t, j.a, j.b);/'
mutant engine_stream 1 "ghost rows of the far side stay where they were kept" 's/rows_within(e, r->plan, \&e->slot\[0\]\.s, \&e->stream\.keep\[1\]\.s, far\.a, far\.b, 0);/;/'
mutant engine_stream 1 "rows are wanted for ever" 's/rows_mark(e, rows_of(r, done), piece_of(number, 0));/;/; s/rows_mark(e, rows_of(r, rows_common(piece, done\.a, done\.b)), piece_of(number, m));/;/'
mutant engine_stream 1 "profiles stay behind" 's/^    profiles_share(e);//'
mutant plan 1 "second banks of a streamed pass do not settle" 's/if (!rc \&\& cut->streamed) rc = settling_add/if (0) rc = settling_add/'
mutant plan_lags 1 "what settles does not wait for readers of the first bank" 's/o->lag\[dir\] = lag\[n - g->op0\];/o->lag[dir] = o->settles ? lag[n - 1 - g->op0] : lag[n - g->op0];/'
mutant engine_size 1 "second banks have no rows behind a slab" 's/is_passing(e, p, id) ? e->scratch_rows : e->slot_rows/is_passing(e, p, id) ? e->scratch_rows - (id != p->field_of[id]) * e->edge : e->slot_rows/'
mutant engine_stream 1 "all passes go north" 's/x->dir = !x->dir;/;/'
mutant engine_rows 1 "a row less settles" 's/bytes = form_rows(form, l->nj, \&j0, \&j1) ?/bytes = form_rows(form, l->nj, \&j0, \&j1) \&\& --j1 > j0 ?/'
mutant engine_rows 1 "boxes that stay do not come home" 's/^        rows_copy(e, t, f, t->out ? e->state->ja : s->j0/        if (!t->out) rows_copy(e, t, f, t->out ? e->state->ja : s->j0/'
mutant engine_seams 1 "ghost rows of the far side are not kept" 's/r->far_kept = 1;/r->far_kept = 0;/'
mutant engine_seams 1 "a ghost row of the near side does not come" 's/\*first = part\.a;/*first = part.a + 1;/'
mutant engine_seams 1 "ghost rows come from the wrong end" 's/ghosts\.a < e->state->ja  *?/ghosts.a >= e->state->ja ?/'
mutant engine_seams 2 "rows of the far side are not waited for" 's/SF_TRY(engine_halo_end(e, \&x->halo\[x->turn\], r->from, !r->route\.dir));/;/'
mutant engine_seams 2 "rows that others want stay" 's/    if (far\.a < far\.b) {/    if (0) {/'
mutant engine_overlapped 1 "overlapped slabs take one row less" 's/own_edge(e, c) - p->south, low)/own_edge(e, c) - p->south + 1, low)/'
mutant engine_overlapped 1 "the slab computed is the one that comes in" 's/struct slab \*const slot = \&e->slot\[c %/struct slab *const slot = \&e->slot[(c + 1) %/'

# ---- ghosts and messages
mutant ghost 1 "odd mirrors keep the sign" 's/if (rule == GHOST_ODD) \*sign = -\*sign;//'
mutant ghost 1 "cells mirror as faces" 's/at = below ? -at - !staggered/at = below ? -at/'
mutant ghost 1 "an open side repeats the last but one" 's/n - !staggered;/n - 1;/'
mutant ghost 1 "a fill leaves out the first column" 's/return from >= i0 && from < i1/return from > i0 \&\& from < i1/'
mutant ghost 1 "levels beyond the floor miss in rows beyond a side" 's/whole ? -depth\.km : b\.k0/whole ? 0 : b.k0/'
mutant ghost 1 "rows of a map are as far apart as rows" 's/sj = shape == SHAPE_FULL ? l->sj : l->sm/sj = l->sj/'
mutant halo 2 "the far face is not sent" 's/to > nj)) return/to >= nj)) return/'
mutant halo 1 "a short domain wraps once" 's/((to % nj) + nj) % nj/to < 0 ? SF_MAX(to + nj, 0) : SF_MIN(to - nj, nj - 1)/'
mutant halo 1 "rows of two wraps are taken for one" 's/ && p->from + p->rows == from//'
mutant halo 2 "messages are unpacked where they came from" 's/pack ? x->from : x->to/x->from/'
mutant halo 2 "messages leave before their first row is final" 's/x->packed || x->first < low || x->last >= high/x->packed/'
mutant engine_open 2 "messages of a segment and of the next lie in the same memory" 's/&e->pool\[segment % 2\]/\&e->pool[0]/'
mutant halo 1 "the far column is not copied at the seam" 's/^ *memcpy((char \*)storage_row(s, \&h->lay, form, x->id, x->to) + n0/for (size_t i = n0; i < n1; i++) if (form->bytes || i \/ sizeof(real) % (size_t)h->lay.sj % (size_t)h->lay.sk != (size_t)(h->lay.ni + h->lay.gi)) ((char *)storage_row(s, \&h->lay, form, x->id, x->to))[i] = ((const char *)storage_row(s, \&h->lay, form, x->id, x->from))[i]; if (0) &/'
mutant halo 1 "the last row of a wrap is not copied" 's/const size_t n = (size_t)x->rows \*/const size_t n = (size_t)(x->rows - 1) */'
mutant engine_open 1 "the far column makes no ghosts at first" 's/\.i1 = l->ni + (e->extend_e || field_owns_far(x, FACE_E)),/.i1 = l->ni,/'
mutant engine_open 1 "the far column of what nobody computes makes no ghosts" 's/e->extend_e || field_owns_far(x, FACE_E)/e->extend_e/'
mutant storage 1 "maps are as wide as rows are long" 's/return at + (row \* l->sm - l->gi)/return at + (row * l->sj - l->gi)/'
mutant engine_size 1 "no room for the far column" 's/e->extend_e = p->extend_e;/e->extend_e = 0;/'
mutant engine_size 1 "a slab's ops touch no more than their lag" 's/SF_MAX(g->edge\[dir\], g->lag\[dir\] + 2 \* e->gj)/g->lag[dir]/'

# ---- windows of levels
mutant plan_lags 1 "an op lags a level less" 's/p->op\[n\]\.lag_k = lag\[n - g->op0\]/p->op[n].lag_k = SF_MAX(lag[n - g->op0] - 1, 0)/'
mutant plan_lags 1 "levels lag as rows do on cells" 's/way == UPWARD ? STAG_Z : STAG_Y/STAG_Y/'
mutant engine_sweep 1 "windows of levels go down" 's/for (int base = 0; base < nk + lag; base += w->levels)/for (int base = (nk + lag - 1) \/ w->levels * w->levels; base >= 0; base -= w->levels)/'
mutant engine_sweep 1 "a window of levels is one short" 's/front, next, base, base + w->levels)/front, next, base, base + w->levels - 1)/'
mutant engine_sweep 1 "the last levels are not reached" 's/base < nk + lag; base/base < nk; base/'
mutant ghost 1 "the level beyond the top is not filled of a cut window" 's/g->from < b\.k1 || b\.k1 >= nk/b.k0 <= 0 \&\& b.k1 >= nk/'
mutant ghost 1 "levels beyond a row beyond a side are not filled of a cut window" 's/e < m->z\.n && !whole/e < 0 \&\& !whole/'
mutant ghost 1 "the face beyond the last level is not filled" 's/SF_MAX(depth\.kp, 1)/0/'

# ---- parts of the domain, numbers of media, tables of a pass
mutant storage 1 "a box lies a row further" 's/(first - j0) \* (ptrdiff_t)/(first - j0 + 1) * (ptrdiff_t)/'
mutant storage 1 "a box stays behind when its slot moves" 's/if (!st->base\[id\]) continue;/if (!st->base[id] || st->s.f[id]) continue;/'
mutant storage 1 "a box ends a row early" 's/SF_MIN(\*j1, f->box\.j1)/SF_MIN(*j1, f->box.j1 - 1)/'
mutant halo 2 "the halo of a box is clipped a row early" 's/int first = to, last = to + 1;/int first = to + 1, last = to + 2;/'
mutant engine_size 2 "small numbers go to another rank" 's/x->role == ROLE_FED || x->bytes) continue/x->role == ROLE_FED) continue/'
wave_mutant pipeline/engine_sweep 1 cuts "all steps of a pass have the first one's tables" 's/(int)(w->step + o->step - e->prepared)/0/'
wave_mutant pipeline/engine 1 cuts "the last short pass has no tables" 's/if (m->prepare)/if (m->prepare \&\& n >= e->pass[0].plan.steps)/'
wave_mutant pipeline/engine 1 cuts "the last short pass is not collected" 's/if (m->collect)/if (m->collect \&\& n >= e->pass[0].plan.steps)/'
wave_mutant maxwell/source 1 test:source "a magnetic source is half a step late" 's/(magnetic ? 0\.5 : 0)/0/'
wave_mutant maxwell/source 1 test:source "a current is half a step early" 's/DRIVE_CURRENT ? 0\.5 : 1/DRIVE_CURRENT ? 0 : 1/'
wave_mutant maxwell/incident 1 test:incident "the plane wave's H is half a step late" 's/0\.5 \* w \* dt) \/ (v \* dt)/0.25 * w * dt) \/ (v * dt)/'
wave_mutant maxwell/monitor 1 test:monitor "H is transformed half a step late" 's/(time + 0\.5 \* dt)/(time + dt)/'
wave_mutant maxwell/monitor 1 cuts "a monitor's rows count from the slab's first" 's/((ptrdiff_t)(j - s->j0) \* e->n \* stride/((ptrdiff_t)(j - b->j0) * e->n * stride/'
wave_mutant maxwell/probe 1 cuts "a probe records the first step of a pass" 's/(ptrdiff_t)c->pass_step \* p->parts/(ptrdiff_t)0 * p->parts/'

# ---- tiles of the sweep of E and H, and sides that it makes itself
wave_mutant maxwell/tiles 1 test:tiles "a brick does not look at Ez" 's/for (int c = 0; c < 3; c++)/for (int c = 0; c < 2; c++)/'
wave_mutant maxwell/tiles 1 test:tiles "bricks agree a row further" 's/next->rows + 1)/next->rows + 2)/'
wave_mutant maxwell/tiles 1 test:tiles "bricks count rows from the first of the domain" 's/(ptrdiff_t)(box\.j0 - b->j0) \* b->across/(ptrdiff_t)SF_MAX(box.j0, 0) * b->across/'
wave_mutant maxwell/tiles 1 test:tiles "a tile does not know of layers along z" 's/ || layers_meet(t, AZ, b\.k0, b\.k1)//'
wave_mutant maxwell/tiles 1 test:tiles "a tile does not look at the row behind it" 's/, of_h\.j0 -= own\.j0 > 0 || t->repeats\[AY\] > 1;/;/'
wave_mutant maxwell/tiles 1 test:tiles "a tile beside a side that repeats has the sources that it holds alone" 's/if (repeats || (meet(/if ((meet(/'
wave_mutant maxwell/tiles 1 test:tiles "a strip is as wide as its step" 's/own\.i0, c->columns, x\.i1)/own.i0, c->step, x.i1)/'
wave_mutant maxwell/tiles 1 test:tiles "the next rows follow before a band is full" 's/along \/ bricks_of(SF_MAX(1, c->together), across)/along/'
wave_mutant maxwell/tiles 1 test:tiles "a band ends a tile early" 's/along \* (m + 1) \/ n \* c->levels, c->b\.k1/(along * (m + 1) \/ n - (m > 0)) * c->levels, c->b.k1/'
wave_mutant maxwell/tiles 1 test:tiles "lists do not tell whether packs are whole" 's/ || m->whole != t->whole//'
wave_mutant maxwell/tiles 1 test:pairs "a tile goes on where the mask has nothing" 's/while (end < own->j1 \&\& has\[.*$/end = own->j1;/'
wave_mutant maxwell/tiles 1 test:pairs "a tile has levels of two blocks" 's/m ? m->b\.k0 : own\.k0/own.k0/'
wave_mutant maxwell/pairs 1 test:pairs "the rim has no fringe of rows" 's/p->low\[AY\] + k/p->low[AY]/'
wave_mutant maxwell/pairs 1 test:pairs "holes have no fringe" 's/box_grown(p->hole\[m\], i, k, k)/p->hole[m]/'
wave_mutant maxwell/pairs 1 test:pairs "the core does not keep off sources" 's/n < nplaces \&\& is; n++) is = .*;/n < 0; n++) {}/'
wave_mutant maxwell/pairs 1 test:pairs "monitors read what was not made" 's/step % p->every ? p->nprobes : p->nseen/p->nprobes/'
wave_mutant maxwell/pairs 1 test:pairs "what the rim has of a monitor is made again" 's/p->seen\[m\], \&in/p->seen[m], \&b/'
wave_mutant maxwell/pairs 1 test:pairs "of what monitors read rows beside the rim are left out" 's/box_common(rim_leaves(p, 1), b)/box_common(box_grown(rim_leaves(p, 1), 0, 0, -3), b)/'
wave_mutant maxwell/maxwell 1 test:pairs "ghosts are filled behind memories of poles" 's/^#define ELEMENTS(id, its_name, function, its_changes/#define SIDES_ZERO 0\n&/'
wave_mutant maxwell/maxwell 1 test:pairs "ghosts are filled for monitors" 's/^#define ELEMENTS(id, its_name, function, its_changes/#define SIDES_PLANE 0\n&/'
wave_mutant pipeline/plan_fills 1 test:plan_fills "a stage does without ghosts of axes that repeat" 's/SIDES_BOUND \&\& f->ghost\[FACE_S\] != GHOST_PERIODIC) r\.jm/SIDES_BOUND) r.jm/'
wave_mutant pipeline/plan_fills 1 test:plan_fills "what others read beyond sides is not filled" 's/, sides_of(p, o)));/, SIDES_BOUND));/'
wave_mutant pipeline/plan_fills 1 test:plan_fills "where ghosts are filled for nobody, faces are not" 's/return sides & SIDES_ZERO && is_none/return is_none/'
wave_mutant pipeline/plan_fills 1 test:plan_fills "ghosts that others read are not filled behind what finds its own" 's/return sides & SIDES_ZERO && is_none(.*$/return sides \& SIDES_ZERO;/'
wave_mutant pipeline/plan_fills 1 test:plan_fills "loops are taken to see to sides" 's/p->on_device ? o->stage->sides : 0/o->stage->sides/'
wave_mutant pipeline/plan_fills 1 test:plan_fills "who writes the far face is taken to write all that lies beyond" 's/r\.ip == 1) r\.ip/r.ip > 0) r.ip/'
wave_mutant pipeline/plan_fills 1 test:plan_fills "who writes the far face is taken to write rows of others" 's/r\.jp == 1 && f->ghost\[FACE_S\] != GHOST_PERIODIC/r.jp == 1/'
wave_mutant pipeline/plan_fills 1 test:plan_fills "who updates what lies on a side does not read it" 's/!= ACCESS_WRITE/== ACCESS_READ/'
wave_mutant pipeline/plan_fills 1 test:plan_fills "who reads the next value does without the one on the side" 's/ \&\& is_none(x->reach));/);/'
wave_mutant pipeline/plan_fills 1 test:plan_fills "ghosts wait for an op that reads them" 's/^        if (is_read \&\& !is_complete.*$//'
wave_mutant pipeline/plan_fills 1 test:plan_fills "who fills for another is taken for the writer" 's/is_complete(p, f->writer, /is_complete(p, n - 1, /'
wave_mutant pipeline/plan_fills 1 test:plan_fills "an op that skips steps fills for others" 's/return !op_skips(\&o->op) \&\& /return /'
wave_mutant pipeline/plan_fills 1 test:plan_fills "rows of faces beyond the last cell are filled by who has none" '/^        if (!is_whole(k) || !k->nfill || k->nfill == PLAN_MAX_WRITES ||$/{N;s/.*/        if (!is_whole(k) || !k->nfill || k->nfill == PLAN_MAX_WRITES )/}'
wave_mutant pipeline/plan 1 test:plan "a field without columns owns a far face" 's/return has_columns \&\& /return /'
wave_mutant pipeline/plan 1 test:plan "a field that nobody computes extends ops" 's/f->role != ROLE_STATIC \&\& //'
wave_mutant pipeline/plan 1 test:plan "a field that is fed extends ops" 's/f->role != ROLE_FED \&\& //'
wave_mutant pipeline/plan_fills 1 test:plan_fills "an op fills for one that lags behind it" 's/^    if (plan_lag_missing(p, field, g, o, .*$//'
wave_mutant pipeline/plan_fills 1 test:plan_fills "readers do not wait for who fills" 's/^            if (plan_lag_missing(p, field, g, k, .*$//'
wave_mutant pipeline/plan_fills 1 test:plan_fills "an op fills for one that has more rows" 's/return k->south >= .*$/return 1;/'
wave_mutant pipeline/plan_lags 1 test:plan_fills "an op that waits touches rows that are gone" 's/return lag + behind <= g->edge\[way\];/return 1;/'
wave_mutant pipeline/plan_lags 1 test:plan_fills "an op waits, and those behind it do not" 's/is_too_near(p, field, way, o, lag, x, &p->op\[m\], &p->op\[m\]\.access\[b\])/0/'

# ---- the work ----------------------------------------------------------------------------------------------------------

prog=$BUILD/tests/prog_ranks
have_mpi=$([ "$("$prog" --mpi)" = none ] && echo 0 || echo 1)
mkdir -p "$work/src" && cp -r src/pipeline src/maxwell src/io "$work/src/" || exit 1
compile=$(sed 's/ | .*//' "$BUILD/flags.txt" | head -n 1)
libs=$(sed 's/.* | //' "$BUILD/link.txt" | head -n 1)
# Cuts of an EM case: LABEL RANKS CUT, all of one label with the same bits.
cuts() { # LABEL SETS
    local base="tests/support_em.nml 0 10 - - $2 pipeline%exchange='auto'" p=pipeline%
    echo "$1 $base ${p}threads=1 ${p}steps_per_pass=1 ${p}window_levels=1000"
    echo "$1 $base ${p}threads=2 ${p}steps_per_pass=4 ${p}slabs=3 ${p}window_rows=3 ${p}window_levels=2"
    echo "$1 $base ${p}threads=1 ${p}steps_per_pass=8 ${p}window_rows=1 ${p}window_levels=3"
    echo "$1 $base ${p}threads=1 ${p}steps_per_pass=2 ${p}slabs=7 ${p}overlapped=.true."
}
{
    cuts layers ""
    cuts sides "boundary%north='pmc' boundary%west='periodic' boundary%east='periodic' boundary%bottom='pec'"
    cuts seam "boundary%south='periodic' boundary%north='periodic'"
} >"$work/legs"

link_list() { # KILLER FILE: all objects but that of the file, and libraries
    local o names tests=() more=()
    names=$(echo "$BUILD"/src/*/*.o)
    case $1 in
    programs) names=$(echo "$BUILD"/src/pipeline/*.o) tests=(prog_ranks support_program support_reference support_heat toy_heat) ;;
    cuts) tests=(prog_matrix support_driver) ;;
    verify:*) names+=" $BUILD/src/main.o" ;;
    test:*)
        tests=("test_${1#*:}")
        for o in "$BUILD"/tests/{support,toy}_*.o; do o=${o##*/} && tests+=("${o%.o}"); done
        more=(-lcriterion)
        ;;
    esac
    for o in $names $(printf "$BUILD/tests/%s.o " "${tests[@]}"); do
        [ ! -e "$o" ] || [ "$o" = "$BUILD/${2%.c}.o" ] || echo "$o"
    done
    printf '%s\n' "${more[@]}"
}

# One rank's digests, then those of two and three, all the same for a label.
cuts_agree() { # PROGRAM RANKS
    local n
    for n in 1 2 3; do
        if [ "$n" = 1 ]; then patience "$1" run "$work/legs" || return 1
        elif [ "$have_mpi" = 1 ]; then patience mpirun -n $n "$1" run "$work/legs" || return 1; fi
    done | awk '/ failed / || NF < 3 { exit 1 } $1 in digest && digest[$1] != $3 { exit 1 } { digest[$1] = $3; n++ } END { exit n < 12 }'
}

# A mutant that hangs, or that never ends, is killed as well.
patience() { PATIENCE_IDLE=30 PATIENCE_BUSY=300 tools/patience "$@"; }

# Exit code 0: the killer found nothing.
survives() { # PROGRAM RANKS KILLER
    case $3 in
    cuts) cuts_agree "$1" ;;
    verify:*) patience "$1" verify "${3#*:}" ;;
    test:*) patience "$1" --jobs 1 --fail-fast ;;
    *)
        # First the ranks that it takes at least.
        if [ "$2" = 1 ]; then patience "$1" 1200 0 3 || return 1; fi
        if [ "$have_mpi" = 1 ]; then patience mpirun -n 2 "$1" 150 0 2 && patience mpirun -n 3 "$1" 150 200 2 || return 1; fi
        if [ "$2" != 1 ]; then patience "$1" 1200 0 3; fi
        ;;
    esac
}

# Leaves killed, survives, or what is wrong with the mutant in $work/$1.txt.
try() {
    local dir=$work/$1 f=${file[$1]} by=${killer[$1]}
    mkdir -p "$dir/src" && cp -r "$work/src/." "$dir/src/"
    sed "${edit[$1]}" "$f" >"$dir/$f"
    if cmp -s "$f" "$dir/$f"; then
        echo "does not apply" >"$work/$1.txt"
    elif ! (cd "$dir" && $compile -I"$BUILD" -O1 -w -c "$f" -o mutant.o && ${compile%% -std=*} -fopenmp -pthread $(link_list "$by" "$f") mutant.o \
        $libs $quick_link -o killer) >"$dir/log" 2>&1; then
        echo "does not build: $(grep -m 1 error "$dir/log")" >"$work/$1.txt"
    elif survives "$dir/killer" "${ranks[$1]}" "$by" >"$dir/log" 2>&1; then
        echo "survives" >"$work/$1.txt"
    else
        echo "killed" >"$work/$1.txt"
    fi
    rm -rf "$dir"
}

wanted() { [[ ${what[$1]} == *"$only"* ]]; }
# The sources as they are, built the same way, must live.
real=${#file[@]} tried=()
for by in $(for n in "${!file[@]}"; do if wanted "$n"; then echo "${killer[n]}"; fi; done | sort -u); do
    tried+=("${#file[@]}")
    file+=("src/pipeline/plan.c") ranks+=(2) what+=("nothing") edit+=('1s/^/ /') killer+=("$by")
done
each "$cores" try "${tried[@]}"
for n in "${tried[@]}"; do
    if [ "$(cat "$work/$n.txt")" != survives ]; then
        echo "${killer[n]}, without a fault: $(cat "$work/$n.txt")"
        exit 1
    fi
done
file=("${file[@]:0:real}")
tried=()
for n in "${!file[@]}"; do
    if ! wanted "$n"; then continue; fi
    if [ "$have_mpi" = 0 ] && [ "${ranks[n]}" -gt 1 ]; then
        echo "skipped, no MPI: ${what[n]}"
        continue
    fi
    tried+=("$n")
done
each "$cores" try "${tried[@]}"
killed=0
for n in "${tried[@]}"; do
    if [ "$(cat "$work/$n.txt")" = killed ]; then killed=$((killed + 1)); else echo "${file[n]}: ${what[n]}: $(cat "$work/$n.txt")"; fi
done
formulas_plant "$only" || exit 1
all_killed $((${#tried[@]} + formulas_tried)) $((killed + formulas_killed))
