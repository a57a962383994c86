#!/bin/bash
# The same bits however a case is cut: ranks x threads x slabs x steps per pass x restarts at any step, on other ranks x
# compilers, over every case of namelists/, made small, and over small cases of what those leave out (weather: below, waves:
# tests/support_em.nml).
#
#   BUILD=build/VARIANT tests/matrix.sh          a pairwise cover of the factors for every case
#   SF_FULL=1 BUILD=... tests/matrix.sh          their product
#   MATRIX_CASES='small_open norman_2011' ...    these cases alone
#   CI=1 ...                                     gcc and clang must both be there
#
# Beside the factors of the product vary: slabs skewed or overlapped, kinds of exchange, rows and levels of a window. Many legs
# under one number of ranks and one compiler run in one process, tests/prog_matrix.c. For each case the reference
# is one rank, one thread, one slab, step by step; all others run with NaN in memory that the plan does not promise
# to fill. Checkpoints of a step are the same file, byte by byte, whatever ranks, cut and compiler the run had that wrote them:
# that is compared, and the product goes on from one of them. A failure is printed with the command that shows it; its files
# stay in BUILD/matrix.
# Alone: it keeps all cores busy.
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2046,SC2086,SC2089,SC2090 # overrides are words, their quotes are the namelist's
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
full=${SF_FULL:-0} least=300 bad=0
weather_steps=5 waves_steps=10 # of waves a pass of 8 and a rest, and a last pass of 2, of 4 from step 2 on
BUILD=${BUILD#"$PWD"/} # legs are split at blanks; names in a checkout have none
work=$BUILD/matrix
rm -rf "$work" && mkdir -p "$work/checkpoints" || exit 1
# Ranks and threads outnumber the cores: whoever waits sleeps.
export OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 KMP_BLOCKTIME=0 OMP_DYNAMIC=false OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none # two runs would share a core, and two threads

# ---- builds ------------------------------------------------------------------------------------------------------------

# VARIANT is compiler-precision-mpi-gpu-architecture. A build of another compiler, or architecture, has the rest alike.
[[ ${BUILD##*/} =~ ^(.+)-(32|64)-(mpi|serial)-(cpu|cuda|emulate)-(.+)$ ]] || { echo "$BUILD is no build directory"; exit 1; }
cc=${BASH_REMATCH[1]} prec=${BASH_REMATCH[2]} mpi=${BASH_REMATCH[3]} arch=${BASH_REMATCH[5]}
declare -A prog=(["$cc"]=$BUILD/tests/prog_matrix)
builds=$cc
build_add() { # NAME CC ARCH
    local b
    unset MAKEFLAGS MAKELEVEL MFLAGS
    local args=(CC="$2" PREC="$prec" MPI="$([ "$mpi" = mpi ] && echo 1 || echo 0)" CUDA=0 ARCH="$3" WERROR="${CI:+1}")
    b=$(make -s "${args[@]}" path | tail -n 1) && b=${b%/sferic} &&
        make -s -j "$(nproc)" "${args[@]}" "$b/tests/prog_matrix" || { echo "the build with $2 for $3 fails"; exit 1; }
    prog[$1]=$b/tests/prog_matrix
    builds+=,$1
}
for other in gcc clang; do
    [ "$other" != "$cc" ] || continue
    if command -v "$other" >/dev/null; then build_add "$other" "$other" "$arch"; continue; fi
    echo "no compiler $other: its bits are skipped"
    if [ "${CI:-0}" != 0 ]; then exit 1; fi
done
if [ "$full" = 1 ] && [ "$arch" = native ] && grep -qw avx2 /proc/cpuinfo; then build_add v3 "$cc" x86-64-v3; fi
ranks=1
if [ "$mpi" = mpi ]; then ranks=1,2,4; fi

# ---- cases -------------------------------------------------------------------------------------------------------------

# shellcheck source=tests/support_jobs.sh
. tests/support_jobs.sh
# shellcheck source=tests/support_cases.sh
. tests/support_cases.sh
cases_make "${prog[$cc]}" "$work" || exit 1

# ---- combinations ------------------------------------------------------------------------------------------------------

# A slab count with an o: overlapped. A window is rows x levels; the weather model solves columns, whose levels stay together.
# `before`: the ranks of the run up to the checkpoint, where `start` is not 0.
weather_factors="threads:1,2 slabs:1,2,3,7,2o,3o,7o pass:1,2,4 start:0,1,2,3,4 build:$builds exchange:auto,pass,op window:0x0,1x0,5x0"
waves_factors="threads:1,2 slabs:1,2,3,7,2o,3o,7o pass:1,2,4,8 start:0,1,2,6,9 build:$builds exchange:auto,pass,op"
waves_factors+=" window:0x0,1x1,3x0,5x3,0x1,2x5"
if [ "$full" = 1 ]; then waves_factors=${waves_factors/start:0,1,2,6,9/start:0,1,2,3,4,5,6,7,8,9}; fi
starts_of() { # FACTORS: the steps of checkpoints
    local list=${1#*start:0,}
    echo "${list%% *}"
}
ranks_of() { # SETS: a single row has no second rank
    if [[ " $1 " == *" grid%ny=1 "* ]]; then echo 1; else echo "$ranks"; fi
}

# Rows of values in which every two factors meet in every pair of their values: row after row, of some rows begun with a
# pair not met yet and filled up greedily, the one that meets the most. The same numbers on every machine.
pairwise() { # SEED FACTORS
    awk -v factors="$2" -v seed="$1" '
    function random(n) { seed = (seed * 1103 + 12345) % 1048573; return int(seed / 1048573 * n) }
    function pair(f, a, g, b) { return f < g ? f " " a " " g " " b : g " " b " " f " " a }
    function gain(f, v,   g, n) { # pairs that value v of factor f meets in the row so far
        for (g = 1; g <= nf; g++) if (row[g]) n += pair(f, v, g, row[g]) in open
        return n + 0
    }
    function row_make(   p, n, f, g, v, w, most, total) {
        split("", row)
        do p = list[1 + random(pairs)]; while (!(p in open))
        split(p, part, " ")
        row[part[1]] = part[2]; row[part[3]] = part[4]
        total = 1
        for (n = 3; n <= nf; n++) {
            do f = 1 + random(nf); while (row[f])
            most = -1
            for (v = 0; v < count[f]; v++) {
                w = 1 + (v + n + total) % count[f]
                g = gain(f, w)
                if (g > most) { most = g; row[f "best"] = w }
            }
            total += most
            row[f] = row[f "best"]
        }
        return total
    }
    BEGIN {
        seed += 17
        nf = split(factors, factor, " ")
        for (f = 1; f <= nf; f++) {
            sub(/^.*:/, "", factor[f])
            count[f] = split(factor[f], value, ",")
            for (v = 1; v <= count[f]; v++) name[f, v] = value[v]
        }
        for (f = 1; f < nf; f++) for (g = f + 1; g <= nf; g++)
            for (v = 1; v <= count[f]; v++) for (w = 1; w <= count[g]; w++) {
                list[++pairs] = pair(f, v, g, w)
                open[list[pairs]] = 1
            }
        for (left = pairs; left > 0;) {
            best = 0
            for (t = 0; t < 5; t++) {
                met = row_make()
                if (met > best) { best = met; for (f = 1; f <= nf; f++) keep[f] = row[f] }
            }
            for (f = 1; f <= nf; f++) {
                printf "%s%s", name[f, keep[f]], f < nf ? " " : "\n"
                for (g = f + 1; g <= nf; g++)
                    if (pair(f, keep[f], g, keep[g]) in open) { delete open[pair(f, keep[f], g, keep[g])]; left-- }
            }
        }
    }'
}

# The product. What is no factor of it takes its values at random, the same on every machine.
product() { # SEED RANKS FACTORS
    awk -v seed="$1" -v ranks="$2" -v factors="$3" '
    function random(n) { seed = (seed * 1103 + 12345) % 1048573; return 1 + int(seed / 1048573 * n) }
    BEGIN {
        seed += 17
        nf = split("ranks:" ranks " " factors, factor, " ")
        for (f = 1; f <= nf; f++) {
            name = factor[f]
            sub(/:.*/, "", name); sub(/.*:/, "", factor[f])
            count[name] = split(factor[f], list, ",")
            for (v = 1; v <= count[name]; v++) value[name, v] = list[v]
        }
        for (r = 1; r <= count["ranks"]; r++) for (t = 1; t <= count["threads"]; t++) for (s = 1; s <= count["slabs"]; s++) {
            if (value["slabs", s] ~ /o$/) continue
            for (p = 1; p <= count["pass"]; p++) for (a = 1; a <= count["start"]; a++) for (b = 1; b <= count["build"]; b++)
                print value["ranks", r], value["ranks", random(count["ranks"])], value["threads", t],
                    value["slabs", s] (value["slabs", s] > 1 && random(2) > 1 ? "o" : ""), value["pass", p], value["start", a],
                    value["build", b], value["exchange", random(count["exchange"])], value["window", random(count["window"])]
        }
    }'
}

# Rows: CASE RANKS BEFORE THREADS SLABS PASS START BUILD EXCHANGE WINDOW. Those of waves are many and alike: of those the case
# is one of the factors of a single cover, those of a single row apart.
together=()
for n in "${!cases[@]}"; do
    read -r name model path sets <<<"${cases[n]}"
    of=$(ranks_of "$sets") factors=$weather_factors last=$weather_steps
    if [ "$model" = maxwell ]; then factors=$waves_factors last=$waves_steps; fi
    echo "$n $of $(starts_of "$factors") $last $name $path $sets" >>"$work/cases"
    if [ "$full" = 1 ]; then product "$n" "$of" "$factors" | sed "s/^/$n /"
    elif [ "$model" = maxwell ] && [ "$of" = "$ranks" ]; then together+=("$n")
    else pairwise "$n" "ranks:$of before:$of $factors" | sed "s/^/$n /"; fi
done >"$work/rows"
if [ ${#together[@]} -gt 0 ]; then
    (IFS=,; pairwise 0 "case:${together[*]} ranks:$ranks before:$ranks $waves_factors") >>"$work/rows"
fi

# Legs by their turn, ranks and build; turn 0: references, 1: runs up to checkpoints, 2: what goes on from there, and all others.
awk -v work="$work" -v cc="$cc" -v builds="$builds" -v full="$full" '
    function cut(threads, slabs, pass, exchange, window,   part, overlapped) {
        overlapped = sub(/o$/, "", slabs) ? ".true." : ".false."
        split(window, part, "x")
        return "pipeline%threads=" threads " pipeline%slabs=" slabs " pipeline%overlapped=" overlapped " pipeline%steps_per_pass=" \
            pass " pipeline%exchange='\''" exchange "'\'' pipeline%window_rows=" part[1] " pipeline%window_levels=" part[2]
    }
    function leg(turn, ranks, build, text) { print text >(work "/legs." turn "." ranks "." build) }
    function pick(n, values,   list) { return list[1 + int(n) % split(values, list, ",")] }
    # The directory of a checkpoint; the run up to it has a cut and a build of its own.
    function checkpoint(c, ranks, at,   dir, n) {
        dir = work "/checkpoints/" name[c] "." ranks "." at
        if (!(dir in made)) {
            made[dir] = 1
            n = before++
            print dir >(work "/directories")
            leg(1, ranks, pick(n / 3, builds), name[c] ":" ranks ":before " path[c] " 0 " at " - " dir " " sets[c] " " \
                cut(1 + n % 2, pick(n, "1,2,3,7,2o,3o,7o"), pick(n / 2, "1,2,4"), pick(n / 3, "auto,pass,op"),
                    pick(n / 5, "0x0,1x3,5x0")))
        }
        return dir
    }
    FNR == NR {
        c = $1; of[c] = $2; last[c] = $4; name[c] = $5; path[c] = $6
        sets[c] = $0
        for (n = 1; n <= 6; n++) sub(/^[^ ]* /, "", sets[c])
        n = split($3 "," $4, step, ",")
        for (s = 1; s <= n; s++)
            if (step[s]) leg(0, 1, cc, name[c] ":1:plain " path[c] " 0 " step[s] " - - " sets[c] " " cut(1, 1, 1, "auto", "0x0"))
        next
    }
    {
        c = $1; from = "-"
        if ($7) from = checkpoint(c, $3, $7)
        if ($7 && full) {
            n = split(of[c], list, ",")
            for (b = 1; b <= n; b++) checkpoint(c, list[b], $7)
        }
        leg(2, $2, $8, name[c] ":" $2 ":" $8 " " path[c] " " $7 " " last[c] " " from " - " sets[c] " " cut($4, $5, $6, $9, $10))
    }' "$work/cases" "$work/rows" || exit 1
combinations=$(wc -l <"$work/rows")
if [ -s "$work/directories" ]; then xargs mkdir -p <"$work/directories"; fi

# ---- runs --------------------------------------------------------------------------------------------------------------

launcher() { if [ "$mpi" = mpi ]; then echo "mpirun -n $1 "; fi; }
legs_run() { # FILE
    local f=$1 r build run=run rc start=$SECONDS
    IFS=. read -r _ _ r build _ <<<"${f##*/}"
    if [[ ${f##*/} == legs.0* ]]; then run=plain; fi
    tools/patience $(launcher "$r")"${prog[$build]}" $run "$f" >"${f/legs/bits}" 2>"${f/legs/said}" </dev/null
    rc=$?
    # Every leg answers; one that fails says so by itself.
    if [ $rc -gt 1 ] || [ "$(wc -l <"${f/legs/bits}")" != "$(wc -l <"$f")" ]; then
        echo "stopped with $rc: $(launcher "$r")${prog[$build]} $run $f"
        tail -n 20 "${f/legs/said}"
        return 1
    fi
    [ "$full" = 0 ] || echo "${f##*/}: $(wc -l <"$f") legs in $((SECONDS - start)) s"
}
# In parts, as many at a time as there are cores.
for f in "$work"/legs.?.*; do split -d -a 5 -l 400 "$f" "$f." && rm "$f" || exit 1; done
for turn in '[01]' 2; do
    each "$cores" legs_run $(compgen -G "$work/legs.$turn.*") || bad=1
done

# ---- comparison --------------------------------------------------------------------------------------------------------

want=
if [ -z "${MATRIX_CASES:-}" ]; then want="1 2 3 7 2o 3o 7o pass1 pass2 pass4 pass8 op $(printf 'ranks%s ' ${ranks//,/ })"; fi
# Each leg beside its answer, references first: ANSWER | LAUNCH | LEG
for f in "$work"/legs.?.*; do
    IFS=. read -r _ _ r build _ <<<"${f##*/}"
    paste -d '|' "${f/legs/bits}" <(sed "s#^#$(launcher "$r")${prog[$build]}|#" "$f")
done | awk -F '|' -v want="$want" -v combinations="$combinations" -v before="$(cat "$work"/legs.1.* | wc -l)" '
    function wrong(what) { if (failures++ < 20) printf "%s: %s\n    %s leg \"%s\"\n", name, what, $2, $3 }
    {
        n = split($1, answer, " ")
        name = answer[1]; sub(/:.*/, "", name)
        kind = answer[1]; sub(/.*:/, "", kind)
        rank = answer[1]; sub(/^[^:]*:/, "", rank); sub(/:.*/, "", rank)
        at = name " " answer[2]
        if (answer[3] == "failed" || n < 11) { wrong($1 == "" ? "no answer" : $1); next }
    }
    kind == "plain" {
        if (name in last && last[name] == answer[3]) wrong("step " answer[2] " changes nothing: there are no bits to compare")
        last[name] = answer[3]
        if (!(at in digest)) { digest[at] = answer[3]; plain[at] = $2 " leg \"" $3 "\"" }
        next
    }
    {
        real[answer[5] (answer[5] > 1 && $3 ~ /overlapped=.true/ ? "o" : "")]++
        real["pass" answer[7]]++
        real["ranks" rank]++
        if (answer[9] > 1) real["op"]++
    }
    answer[3] != digest[at] {
        wrong("digest " answer[3] " after step " answer[2] ", and " digest[at] " of the plain run")
        if (failures <= 20) printf "    %s\n", plain[at]
        by[name]++
    }
    END {
        # What was asked for also took place.
        n = split(want, cut, " ")
        for (c = 1; c <= n; c++) if (!real[cut[c]]) { printf "no combination ran with %s\n", cut[c]; failures++ }
        for (c in by) printf "%s: %d differ\n", c, by[c]
        printf "%d combinations, and %d runs up to their checkpoints: ", combinations, before
        if (failures) printf "%d FAILED\n", failures
        else print "the same bits"
        exit failures > 0
    }' || bad=1

# Checkpoints of a case and step, in directories NAME.RANKS.STEP.
if [ -s "$work/directories" ]; then
    (cd "$work/checkpoints" && sha256sum -- */restart_*.nc) | awk '{
        split($2, dir, "/"); split(dir[1], part, ".")
        key = part[1] " " part[3]
        if (key in sum && sum[key] != $1) { printf "%s and %s hold other bytes\n", first[key], $2; bad = 1 }
        sum[key] = $1; first[key] = $2
    } END { exit bad || !NR }' || bad=1
fi

echo "${#cases[@]} cases, ranks $ranks, builds $builds"
if [ -z "${MATRIX_CASES:-}" ] && [ $combinations -lt $least ]; then
    echo "$combinations combinations are fewer than $least"
    bad=1
fi
if [ $bad = 0 ]; then rm -rf "$work"; fi
exit $bad
