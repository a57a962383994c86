#!/bin/bash
# Memory is at most 1.3 times the least that the plan needs, where rows have at least 64 columns and ranks enough rows, whatever the sides;
# and a run takes what `check` foretold of memory and disk, within 5 %, whatever its output is made of: SFERIC=build/sferic tests/memory.sh
# Long: a hundred plans, and runs.
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${SFERIC:?the program}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_mpi_yield_when_idle=1
most=1.30 bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
ranks="1"
if command -v mpirun >/dev/null && ! "$SFERIC" --version | grep -q '^MPI *none'; then ranks="1 2 4"; fi

# least RANKS NAME OPTIONS: what check says of memory. What it finds wrong with disk and time of this machine is of no account.
least() {
    local n=$1 name=$2 said times start=()
    shift 2
    [ "$n" = 1 ] || start=(mpirun -n "$n")
    said=$("${start[@]}" "$SFERIC" check "$@" --set pipeline%threads=1 --set pipeline%backend=cpu --out "$work/out" 2>&1 || true)
    times=$(sed -n 's/^ *memory: .* bytes a point, \([0-9.]*\) times the least that its plan needs.*/\1/p' <<<"$said")
    awk "BEGIN { exit !(\"$times\" >= 1 && \"$times\" <= $most) }" ||
        { echo "$name, $n ranks: '$times' times the least that its plan needs, more than $most: $said"; bad=1; }
}
for cells in "64 64 64" "128 128 16" "141 129 65" "256 256 16" "512 1 128"; do
    read -r nx ny nz <<<"$cells"
    for sides in "periodic periodic" "wall wall" "open open" "open periodic" "periodic open" "symmetric symmetric"; do
        read -r across along <<<"$sides"
        cat >"$work/case.nml" <<END
&case name = 'memory' /
&grid nx = $nx, ny = $ny, nz = $nz, dx = 500, dy = 500, dz = 100 /
&time duration = 3 /
&boundary west = '$across', east = '$across', south = '$along', north = '$along' /
END
        for n in $ranks; do # a rank of few rows has more ghost rows and messages than 1.3 leaves room for
            [ $((ny / n)) -ge 64 ] || [ $n = 1 ] || continue
            least $n "$cells cells, sides $sides" "$work/case.nml"
        done
    done
done
for n in $ranks; do least $n dipole "$here/../namelists/dipole.nml"; done
wet="--set water%scheme=kessler --set base%profile=weisman_klemp"
open="--set boundary%west=open --set boundary%east=open --set boundary%south=open --set boundary%north=open"
for n in $ranks; do
    [ $n = 4 ] || least $n 'moist air' "$work/case.nml" $wet --set grid%nx=128 --set grid%ny=128 --set grid%nz=64
    least $n 'moist air, open sides' "$work/case.nml" $wet $open --set grid%nx=128 --set grid%ny=256 --set grid%nz=16
done

# foretold NAME OPTIONS: the most that a run on $on ranks, which is stopped after $stop steps where that is given, had against what check says of it, with a writer that keeps pace or one that is behind; and
# bytes of its files against what check says of the disk, in the 0.1 MiB of each number that it prints.
foretold() {
    local name=$1 said one more had wanted bytes start=() until=() beside=0
    shift
    [ "${on:-1}" = 1 ] || start=(mpirun -n "$on")
    rm -rf "$work/out"
    set -- "$@" --set pipeline%backend=cpu # a device's runtime has memory of its own
    "${start[@]}" "$SFERIC" check "$@" --out "$work/out" >"$work/said" 2>"$work/err" && said=$(grep -A 1 '^ *resident: .* of the first rank' "$work/said" | tr '\n' ' ') ||
        { cat "$work/err"; bad=1; return; }
    read -r one more <<<"$(sed 's/.*resident: *\([0-9.]*\) MiB.* \([0-9.]*\) MiB more.*/\1 \2/' <<<"$said")"
    if [ -n "${stop:-}" ]; then
        until=(--stop-after-steps "$stop")
        beside=$(sed -n 's/^ *if stopped: *\([0-9.]*\) MiB beside that.*/\1/p' "$work/said")
        [ -n "$beside" ] || { echo "$name: check does not say what a run that is stopped takes"; bad=1; return; }
        one=$(awk "BEGIN { print $one + $beside }")
    fi
    wanted=$(sed -n 's/^ *disk: *\([0-9.]*\) MiB of history, \([0-9.]*\) MiB of checkpoints, \([0-9.]*\) MiB of series, \([0-9.]*\) MiB of results.*/\1 + \2 + \3 + \4/p' "$work/said")
    had=$("${start[@]}" "$SFERIC" run "$@" "${until[@]}" --out "$work/out" --force 2>"$work/err" | sed -n 's/^  memory *\([0-9.]*\) MiB.*/\1/p') || true
    awk "BEGIN { exit !(\"$had\" > 0 && $had >= 0.95 * $one && $had <= 1.05 * ($one + $more)) }" ||
        { echo "$name: '$had' MiB, foretold were '$one', or '$more' more"; cat "$work/err"; bad=1; }
    if [ -n "${stop:-}" ]; then echo "$name: $had MiB, foretold $one, or $more more"; return; fi # not all files are there
    bytes=$(cat "$work"/out/*.nc | wc -c)
    [ -z "$wanted" ] || awk "BEGIN { d = $bytes / 1048576 - ($wanted); exit !(d * d <= (0.05 * ($wanted) + 0.2) ^ 2) }" ||
        { echo "$name: $bytes bytes on disk, foretold were $wanted MiB"; bad=1; }
    echo "$name: $had MiB, foretold $one, or $more more; $bytes bytes of disk, foretold ${wanted:-at most some} MiB"
}
if "$SFERIC" --version | grep -q fsanitize; then exit $bad; fi # they have memory of their own
cat >"$work/case.nml" <<END
&case name = 'memory' /
&grid nx = 128, ny = 128, nz = 64, dx = 500, dy = 500, dz = 250 /
&time duration = 30, dt = 3, output_interval = 30 /
END
foretold '128 x 128 x 64' "$work/case.nml"
foretold '64 x 64 x 64' "$work/case.nml" --set grid%nx=64 --set grid%ny=64
foretold 'compressed' "$work/case.nml" --set output%compression=1
foretold 'two frames a file' "$work/case.nml" --set output%frames_per_file=2
foretold 'checkpoints' "$work/case.nml" --set time%restart_interval=30
foretold 'a section' "$work/case.nml" --set grid%nx=1024 --set grid%ny=1 --set grid%nz=256 --set grid%dz=50
for on in ${ranks% 4}; do
    foretold "moist air, $on ranks" "$work/case.nml" $wet
    foretold "moist air, open sides, checkpoints, $on ranks" "$work/case.nml" $wet $open --set time%restart_interval=30
done
on=1
foretold 'moore_1999' "$here/../namelists/moore_1999.nml" --set time%duration=12 --set time%output_interval=12
foretold 'dipole' "$here/../namelists/dipole.nml" --set time%duration=2.5e-10
stop=100
foretold 'dish, stopped' "$here/../namelists/dish.nml"
stop=
# Results that take more than the fields.
cat >"$work/weather.nml" <<END
&case name = 'memory' /
&grid nx = 16, ny = 16, nz = 64, dx = 500, dy = 500, dz = 100 /
&time duration = 3000, dt = 1, output_interval = 1000, series_interval = 1 /
&output probe_x = 1000 2000, probe_y = 1000 2000, probe_z = 1000 2000 /
END
foretold 'profiles and probes of the weather' "$work/weather.nml"
cat >"$work/em.nml" <<END
&case name = 'memory', model = 'maxwell' /
&grid nx = 24, ny = 24, nz = 24, dx = 5e-3, dy = 5e-3, dz = 5e-3 /
&time duration = 5e-10, output_interval = 2.5e-10 /
&cpml cells = 4 /
&source kind = 'electric', axis = 'z', x = 0.06, y = 0.06, z = 0.06, waveform = 'ricker', frequency = 1.5e9 /
&output fields = 'Ex' /
&spectrum from = 1e9, to = 2e9, count = 40 /
END
fields="--set monitor%name=all --set monitor%kind=fields"
foretold 'spectra of all cells' "$work/em.nml" $fields
foretold 'spectra beside checkpoints' "$work/em.nml" $fields --set time%restart_interval=2e-10
foretold 'power flow' "$work/em.nml" --set monitor%name=plane --set monitor%kind=flux --set monitor%west=0.08 --set monitor%east=0.08
foretold 'far field' "$work/em.nml" --set monitor%name=sky --set monitor%kind=far --set monitor%west=0.03 --set monitor%east=0.09 --set monitor%south=0.03 \
    --set monitor%north=0.09 --set monitor%bottom=0.03 --set monitor%top=0.09
foretold 'a plane wave over layers' "$work/em.nml" --set time%duration=1e-9 --set source%kind=none --set plane_wave%direction=oblique --set plane_wave%theta=130 \
    --set plane_wave%layers=true --set plane_wave%waveform=ricker --set plane_wave%frequency=1.5e9 --set medium%name=ground --set medium%epsilon=4 \
    --set medium%sigma=0.1 --set geometry%shape=half_space --set geometry%medium=ground --set geometry%z=0.06 --set geometry%side=below \
    --set grid%nx=200 --set grid%nz=200 --set grid%ny=1 --set boundary%south=periodic --set boundary%north=periodic --set grid%dx=2e-3 --set grid%dz=2e-3
at="0.02,0.03,0.04"
foretold 'probes of every step' "$work/em.nml" --set time%duration=2e-7 --set time%output_interval=5e-8 --set grid%nx=12 --set grid%ny=12 --set grid%nz=12 \
    --set source%x=0.03 --set source%y=0.03 --set source%z=0.03 --set output%probe_x=$at --set output%probe_y=$at --set output%probe_z=$at
exit $bad
