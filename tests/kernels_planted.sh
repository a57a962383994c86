#!/bin/bash
# Are the tests of kernels that are made able to fail? Plants one fault after the other in what the kernels of a model's file are
# compiled from while sferic runs, on an emulated GPU, and demands that the digest is not that of the CPU: BUILD=build/VARIANT
# tests/kernels_planted.sh [WORDS OF A FAULT]
#
# tests/kernels_planted.txt has the faults. The compiler that SFERIC_NVCC names here plants them, and then compiles: loops of the CPU and
# the program stay as they are. A run that ends otherwise than in its last step has found the fault, too.
# SPDX-License-Identifier: MIT
# Full: it takes a build for the emulated GPU.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
# shellcheck source=tests/support_jobs.sh
. tests/support_jobs.sh
emulate_begin sferic
unset SFERIC_CC

cat >"$work/compiler" <<'END'
#!/bin/bash
# In the directory of what is to be compiled. In haste: a fault takes longer to compile than to run.
if [ -n "$PLANT" ]; then
    cp "$PLANT_IN" planted && sed -i "$PLANT" "$PLANT_IN" || exit 1
    if cmp -s planted "$PLANT_IN"; then touch "$PLANT_IDLE"; fi
    rm -f planted
fi
exec g++ -I. "$@" -O0 # what is here before what is elsewhere
END
chmod +x "$work/compiler"
export SFERIC_NVCC=$work/compiler

# case_run NAME BACKEND FOLDER: prints the digest
case_run() {
    local file=${1%%_*} sets=()
    case $1 in
    vectors) sets=(grid%nx=47) ;;      # a rest of three
    vectors_more) sets=(grid%nx=130) ;; # a vector more than a block has
    vectors_rows) sets=(grid%nx=8 grid%ny=523 grid%nz=3) ;;
    kernels_rows) sets=(grid%nx=8 grid%ny=523 grid%nz=9) ;;
    kernels_rows_few) sets=(grid%nx=8 grid%ny=400 grid%nz=9) ;; # rows of a thread that are no multiple of those asked together
    columns_full) sets=(grid%nz=24) ;; # all levels of its warps
    columns_high) sets=(grid%nx=34 grid%ny=5 grid%nz=75) ;;
    esac
    XDG_CACHE_HOME=$3 tools/patience "$emulated/sferic" run "tests/support_$file.nml" "${sets[@]/#/--set=}" --backend "$2" --out "$3/out" --force -v 2>"$3/said" |
        grep '^digest '
}

declare -A right
bad=0
for c in $(grep -v '^#' tests/kernels_planted.txt | sed 's/ .*//' | sort -u); do
    mkdir -p "$work/cpu" "$work/gpu"
    right[$c]=$(case_run "$c" cpu "$work/cpu")
    found=$(PLANT='' case_run "$c" cuda "$work/gpu")
    [ -n "${right[$c]}" ] && [ "$found" = "${right[$c]}" ] || { echo "$c without a fault: '$found' on the GPU, '${right[$c]}' on the CPU"; cat "$work/gpu/said"; bad=1; }
done
[ $bad = 0 ] || exit 1

mapfile -t fault < <(grep -v '^#' tests/kernels_planted.txt | grep -F -- "${1:-}")
fault_try() {
    local line=${fault[$1]} dir=$work/$1 case file what edit found
    case=${line%% | *} line=${line#* | } file=${line%% | *} line=${line#* | } what=${line%% | *} edit=${line#* | }
    mkdir -p "$dir"
    found=$(PLANT=$edit PLANT_IN=$file PLANT_IDLE=$dir/idle case_run "$case" cuda "$dir")
    if [ -e "$dir/idle" ]; then echo "$case, $file: $what: the script changes nothing"
    elif grep -q 'cannot compile the model' "$dir/said"; then echo "$case, $file: $what: does not compile: $(grep -m 1 error "$dir/said")"
    elif [ "$found" = "${right[$case]}" ]; then echo "$case, $file: $what: survives"
    else touch "$work/killed.$1"; fi
    rm -rf "$dir"
}
each "$cores" fault_try "${!fault[@]}"
killed=$(find "$work" -maxdepth 1 -name 'killed.*' | wc -l)
echo "$killed of ${#fault[@]} faults found"
[ "$killed" = ${#fault[@]} ] && [ "$killed" -gt 0 ]
