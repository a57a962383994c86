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
# Beside the factors of the product vary: slabs skewed or overlapped, kinds of exchange, rows and levels of a window. What runs
# under one number of ranks and one compiler runs in one process, tests/prog_matrix.c. For each case the reference
# is one rank, one thread, one slab, step by step; all others run with NaN in memory that the plan does not promise
# to fill. A failure is printed with the command that shows it; its files stay in BUILD/matrix.
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

# ---- builds ------------------------------------------------------------------------------------------------------------

# VARIANT is compiler-precision-mpi-gpu-architecture. A build of another compiler, or architecture, has the rest alike.
[[ ${BUILD##*/} =~ ^(.+)-(32|64)-(mpi|serial)-(cpu|cuda|emulate)-(.+)$ ]] || { echo "$BUILD is no build directory"; exit 1; }
cc=${BASH_REMATCH[1]} prec=${BASH_REMATCH[2]} mpi=${BASH_REMATCH[3]} arch=${BASH_REMATCH[5]}
declare -A prog=(["$cc"]=$BUILD/tests/prog_matrix)
builds=$cc
build_add() { # NAME CC ARCH
    local b
    unset MAKEFLAGS MAKELEVEL MFLAGS
    local args=(CC="$2" PREC="$prec" MPI="$([ "$mpi" = mpi ] && echo 1 || echo 0)" CUDA=0 ARCH="$3")
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
    echo "${list%% *}" | tr , ' '
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

# The product. What is no factor of it takes its values in turn, at odds with the others.
product() { # SEED RANKS FACTORS
    local r t s p b at build n=$1 cuts list window start pass
    local slabs=(1 2 3 7) exchange=(auto pass op)
    for list in $3; do
        case $list in
        window:*) IFS=, read -ra window <<<"${list#*:}" ;;
        start:*) IFS=, read -ra start <<<"${list#*:}" ;;
        pass:*) IFS=, read -ra pass <<<"${list#*:}" ;;
        esac
    done
    for r in ${2//,/ }; do for t in 1 2; do for s in "${slabs[@]}"; do for p in "${pass[@]}"; do for at in "${start[@]}"; do
        for b in ${2//,/ }; do for build in ${builds//,/ }; do
            if [ "$at" = 0 ] && [ "$b" != 1 ]; then continue; fi
            n=$((n + 1)) cuts=$s
            if [ "$s" != 1 ] && [ $((n / 2 % 2)) = 1 ]; then cuts=${s}o; fi
            echo "$r $b $t $cuts $p $at $build ${exchange[n % 3]} ${window[n / 3 % ${#window[@]}]}"
        done; done
    done; done; done; done; done
}

# Legs by pass, ranks and build: 0: references, 1: runs up to checkpoints, 2: what goes on from there, and the others.
declare -A made=()
cut_sets() { # THREADS SLABS PASS EXCHANGE WINDOW
    local overlapped=.false.
    if [[ $2 == *o ]]; then overlapped=.true.; fi
    cut="pipeline%threads=$1 pipeline%slabs=${2%o} pipeline%overlapped=$overlapped pipeline%steps_per_pass=$3"
    cut+=" pipeline%exchange='$4' pipeline%window_rows=${5%x*} pipeline%window_levels=${5#*x}"
}
before_add() { # NAME NAMELIST SETS BEFORE START DIRECTORY: the run up to a checkpoint, with a cut and a build of its own
    local n=${#made[@]} slabs=(1 2 3 7 2o 3o 7o) pass=(1 2 4) exchange=(auto pass op) window=(0x0 1x3 5x0) list
    IFS=, read -ra list <<<"$builds"
    made[$6]=1
    mkdir -p "$6"
    cut_sets $((1 + n % 2)) "${slabs[n % 7]}" "${pass[n / 2 % 3]}" "${exchange[n / 3 % 3]}" "${window[n / 5 % 3]}"
    echo "$1:$4:before $2 0 $5 - $6 $3 $cut" >>"$work/legs.1.$4.${list[n / 3 % ${#list[@]}]}"
}

combinations=0
legs_add() { # CASE RANKS BEFORE THREADS SLABS PASS START BUILD EXCHANGE WINDOW
    local name model path sets from=- last=$weather_steps
    read -r name model path sets <<<"${cases[$1]}"
    if [ "$model" = maxwell ]; then last=$waves_steps; fi
    if [ "$7" != 0 ]; then
        from=$work/checkpoints/$name.$3.$7
        [ -n "${made[$from]:-}" ] || before_add "$name" "$path" "$sets" "$3" "$7" "$from"
    fi
    cut_sets "$4" "$5" "$6" "$9" "${10}"
    echo "$name:$2:$8 $path $7 $last $from - $sets $cut" >>"$work/legs.2.$2.$8"
    combinations=$((combinations + 1))
}

# Cases of waves are many and alike: of those the case is one of the factors of a single cover, those of a single row apart.
together=()
for n in "${!cases[@]}"; do
    read -r name model path sets <<<"${cases[n]}"
    of=$(ranks_of "$sets") factors=$weather_factors last=$weather_steps
    if [ "$model" = maxwell ]; then factors=$waves_factors last=$waves_steps; fi
    cut_sets 1 1 1 auto 0x0
    for s in $(starts_of "$factors") "$last"; do echo "$name:1:plain $path 0 $s - - $sets $cut" >>"$work/legs.0.1.$cc"; done
    if [ "$full" = 0 ] && [ "$model" = maxwell ] && [ "$of" = "$ranks" ]; then
        together+=("$n")
        continue
    fi
    while read -r row; do legs_add "$n" $row; done < <(
        if [ "$full" = 1 ]; then product "$n" "$of" "$factors"; else pairwise "$n" "ranks:$of before:$of $factors"; fi)
done
if [ ${#together[@]} -gt 0 ]; then
    while read -r row; do legs_add $row; done < <(
        IFS=,
        pairwise 0 "case:${together[*]} ranks:$ranks before:$ranks $waves_factors")
fi

# ---- runs --------------------------------------------------------------------------------------------------------------

launcher() { if [ "$mpi" = mpi ]; then echo "mpirun -n $1 "; fi; }
for f in "$work"/legs.?.*; do
    IFS=. read -r _ _ r build <<<"${f##*/}"

    run=run
    if [[ $f == *legs.0* ]]; then run=plain; fi
    timeout -k 10 $((full ? 80000 : 600)) $(launcher "$r")"${prog[$build]}" $run "$f" \
        >"${f/legs/bits}" 2>"${f/legs/said}" </dev/null
    rc=$?
    # Every leg answers; one that fails says so by itself.
    if [ $rc -gt 1 ] || [ "$(wc -l <"${f/legs/bits}")" != "$(wc -l <"$f")" ]; then
        echo "stopped with $rc: $(launcher "$r")${prog[$build]} run $f"
        tail -n 20 "${f/legs/said}"
        bad=1
    fi
done

# ---- comparison --------------------------------------------------------------------------------------------------------

want=
if [ -z "${MATRIX_CASES:-}" ]; then want="1 2 3 7 2o 3o 7o pass1 pass2 pass4 pass8 op $(printf 'ranks%s ' ${ranks//,/ })"; fi
# Each leg beside its answer, references first: ANSWER | LAUNCH | LEG
for f in "$work"/legs.?.*; do
    IFS=. read -r _ _ r build <<<"${f##*/}"
    paste -d '|' "${f/legs/bits}" <(sed "s#^#$(launcher "$r")${prog[$build]}|#" "$f")
done | awk -F '|' -v want="$want" -v combinations="$combinations" -v before="${#made[@]}" '
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

echo "${#cases[@]} cases, ranks $ranks, builds $builds"
if [ -z "${MATRIX_CASES:-}" ] && [ $combinations -lt $least ]; then
    echo "$combinations combinations are fewer than $least"
    bad=1
fi
if [ $bad = 0 ]; then rm -rf "$work"; fi
exit $bad
