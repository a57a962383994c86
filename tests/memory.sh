#!/bin/bash
# Memory is at most 1.3 times the least that the plan needs, where rows have at least 64 columns and ranks enough rows, whatever the sides;
# and a run takes what `check` foretold, within 5 %: SFERIC=build/sferic tests/memory.sh
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
    times=$(sed -n 's/^memory: .* bytes a point, \([0-9.]*\) times the least that its plan needs.*/\1/p' <<<"$said")
    awk "BEGIN { exit !(\"$times\" >= 1 && \"$times\" <= $most) }" ||
        { echo "$name, $n ranks: '$times' times the least that its plan needs, more than $most: $said"; bad=1; }
}
for cells in "64 64 64" "128 128 64" "141 129 65" "256 256 64" "512 1 128"; do
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

# foretold NAME OPTIONS: the most that a run had against what check says of it, with one frame under way or with two.
foretold() {
    local name=$1 said one more had
    shift
    set -- "$@" --set pipeline%backend=cpu # a device's runtime has memory of its own
    said=$("$SFERIC" check "$@" --out "$work/out" --force 2>"$work/err" | grep '^memory of the first rank') || { cat "$work/err"; bad=1; return; }
    read -r one more <<<"$(sed 's/.*counts it: \([0-9.]*\) MiB.*; \([0-9.]*\) MiB more.*/\1 \2/' <<<"$said")"
    had=$("$SFERIC" run "$@" --out "$work/out" --force 2>"$work/err" | sed -n 's/^  memory *\([0-9.]*\) MiB.*/\1/p') || true
    awk "BEGIN { exit !(\"$had\" > 0 && $had >= 0.95 * $one && $had <= 1.05 * ($one + $more)) }" ||
        { echo "$name: '$had' MiB, foretold were '$one', or '$more' more"; cat "$work/err"; bad=1; }
    echo "$name: $had MiB, foretold $one, or $more more"
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
foretold 'moore_1999' "$here/../namelists/moore_1999.nml" --set time%duration=40 --set time%output_interval=40
foretold 'dipole' "$here/../namelists/dipole.nml" --set time%duration=1e-9
exit $bad
