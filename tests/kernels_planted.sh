#!/bin/bash
# Are the tests of kernels able to fail? Plants one fault after the other in kernels, on an emulated GPU, and demands that the digest of a
# small run is not that of the CPU: BUILD=build/VARIANT tests/kernels_planted.sh [WORDS OF A FAULT]
#
# tests/kernels_planted.txt has the faults, `case | file | description | sed script` a line. The file is one of
#
#     a kernel by hand, below src/: what includes it is compiled anew and linked with tests/prog_matrix; the case is one of
#     tests/support_cases.sh;
#     what the kernels of a model's file are compiled from while sferic runs: model.c, which is made of it, and headers of pipeline/.
#     The compiler that SFERIC_NVCC names plants the fault. The case is one of model_sets below.
#
# PLANTED_OF=N: one of N faults, which ones follows from the commit; of all others is seen that they still apply.
#
# Loops of the CPU stay as they are. A run that ends otherwise than in its last step has found the fault, too.
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154,SC2086,SC2046,SC2089,SC2090 # other files set names; sets are words, their quotes are the namelist's
# Full: it takes a build for the emulated GPU.
# Long: it compiles kernels for each fault.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
# shellcheck source=tests/support_jobs.sh
. tests/support_jobs.sh
emulate_begin sferic tests/prog_matrix
unset SFERIC_CC
export OMP_NUM_THREADS=1 CCACHE_DISABLE=1 # no fault is met twice
mapfile -t fault < <(grep -v '^#' tests/kernels_planted.txt | grep -F -- "${1:-}")
[ ${#fault[@]} -gt 0 ] || { echo "no fault has these words"; exit 1; }
bad=0 of=${PLANTED_OF:-1}
turn=$((0x$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0) % of))
case_of() { echo "${1%% | *}"; }
file_of() { local line=${1#* | }; echo "${line%% | *}"; }
what_of() { local line=${1#* | * | }; echo "${line%% | *}"; }
edit_of() { local line=${1#* | * | }; echo "${line#* | }"; }
is_made() { [[ $(file_of "$1") == model.c || $(file_of "$1") == pipeline/*.h ]]; }
names_where() { # FUNCTION...: the cases of faults of which it is true
    local line
    for line in "${fault[@]}"; do if "$@" "$line"; then case_of "$line"; fi; done | sort -u
}
is_by_hand() { ! is_made "$1"; }

for n in "${!fault[@]}"; do
    [ $((n % of)) != "$turn" ] || continue
    file=src/$(file_of "${fault[n]}")
    [ ! -e "$file" ] || ! sed "$(edit_of "${fault[n]}")" "$file" | cmp -s - "$file" || { echo "${fault[n]}: the script changes nothing"; bad=1; }
    unset "fault[n]"
done

# ---- kernels of models' files ------------------------------------------------------------------------------------------

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

model_run() { # CASE BACKEND FOLDER: prints the digest
    local file=${1%%_*} sets=()
    case $1 in # model_sets
    vectors) sets=(grid%nx=47) ;;       # a rest of three
    vectors_more) sets=(grid%nx=130) ;; # a vector more than a block has
    vectors_rows) sets=(grid%nx=8 grid%ny=523 grid%nz=3) ;;
    kernels_rows) sets=(grid%nx=8 grid%ny=523 grid%nz=9) ;;
    kernels_rows_few) sets=(grid%nx=8 grid%ny=400 grid%nz=9) ;; # rows of a thread that are no multiple of those asked together
    columns_full) sets=(grid%nz=24) ;; # all levels of its warps
    columns_high) sets=(grid%nx=34 grid%ny=5 grid%nz=75) ;;
    esac
    XDG_CACHE_HOME=$3 tools/patience "$emulated/sferic" run "tests/support_$file.nml" "${sets[@]/#/--set=}" --backend "$2" --out "$3/out" --force -v 2>"$3/said" |
        sed -n 's/^digest //p'
}

# ---- kernels by hand ---------------------------------------------------------------------------------------------------

weather_steps=3 waves_steps=10
by_hand=$(names_where is_by_hand)
if [ -n "$by_hand" ]; then
    mkdir -p "$work/cases"
    MATRIX_CASES=${by_hand//$'\n'/ }
    # shellcheck source=tests/support_cases.sh
    . tests/support_cases.sh
    cases_make "$emulated/tests/prog_matrix" "$work/cases" 2>"$work/cases/said" || { cat "$work/cases/said"; exit 1; }
    cases_of_kernels
fi
declare -A leg
for c in "${cases[@]:-}"; do
    [ -n "$c" ] || continue
    read -r name model path sets <<<"$c"
    steps=$weather_steps
    if [ "$model" = maxwell ]; then steps=$waves_steps; fi
    if [[ $name == pair_* ]]; then sets+=" pipeline%steps_per_pass=8"; fi # of which two go together
    leg[$name]="$name:1:planted $path 0 $steps - - $sets pipeline%threads=1"
done
hand_run() { # PROGRAM CASE BACKEND SAID: prints the digest
    tools/patience "$1" leg "${leg[$2]} pipeline%backend='$3'" 2>"$4" | awk 'NR == 1 && $3 != "failed" { print $3 }'
}
# The compiler of kernels, in haste; all that tests/prog_matrix is linked of.
kernel_compile=$(sed 's/^[^|]* | //; s/ | .*//; q' "$emulated/flags.txt")
if [ -n "$by_hand" ]; then
    ar rcsT "$work/objects.a" $(printf '%s\n' "$PWD/$emulated"/src/*/*.o "$PWD/$emulated"/tests/{support,toy}_*.o) || exit 1
fi
hand_build() { # DIR FILE: DIR/prog, with what is in DIR/src in place of src/FILE
    local o source fresh=()
    while read -r o; do
        o=${o%.d} source=${o#"$emulated/"}
        if [ "$source" = "src/$2" ]; then source=$1/$source; fi
        ${kernel_compile/-Isrc/-I$1/src -Isrc} -w -O0 -MF /dev/null -c "$source" -o "$1/${source##*/}.o" || return
        fresh+=("$1/${source##*/}.o")
    done < <(grep -lE "(^| )src/$2( |:|\$)" "$emulated"/src/*/*.cu.d)
    [ ${#fresh[@]} -gt 0 ] || { echo "error: no kernel includes it"; return 1; }
    ${kernel_compile%% *} $quick_link -fopenmp -pthread "$emulated/tests/prog_matrix.o" "${fresh[@]}" "$work/objects.a" "$emulated"/tests/emulate/*.o \
        $(sed 's/.* | //; q' "$emulated/link.txt") -o "$1/prog"
}

# ---- without a fault ---------------------------------------------------------------------------------------------------

declare -A right
mkdir -p "$work/cpu" "$work/gpu"
same_or_wrong() { # CASE ON-THE-GPU
    [ -n "${right[$1]}" ] && [ "$2" = "${right[$1]}" ] && return
    echo "$1 without a fault: '$2' on the GPU, '${right[$1]}' on the CPU"
    cat "$work/gpu/said"
    bad=1
}
for c in $by_hand; do
    [ -n "${leg[$c]:-}" ] || { echo "there is no case $c"; exit 1; }
    right[$c]=$(hand_run "$emulated/tests/prog_matrix" "$c" cpu "$work/cpu/said")
    same_or_wrong "$c" "$(hand_run "$emulated/tests/prog_matrix" "$c" cuda "$work/gpu/said")"
done
for c in $(names_where is_made); do
    right[$c]=$(model_run "$c" cpu "$work/cpu")
    same_or_wrong "$c" "$(PLANT='' model_run "$c" cuda "$work/gpu")"
done
[ $bad = 0 ] || exit 1

# ---- with one ----------------------------------------------------------------------------------------------------------

fault_try() {
    local dir=$work/$1 case file what edit found said=survives
    case=$(case_of "${fault[$1]}") file=$(file_of "${fault[$1]}") what=$(what_of "${fault[$1]}") edit=$(edit_of "${fault[$1]}")
    mkdir -p "$dir/src/${file%/*}"
    if is_made "${fault[$1]}"; then
        found=$(PLANT=$edit PLANT_IN=$file PLANT_IDLE=$dir/idle model_run "$case" cuda "$dir")
        if grep -q 'cannot compile the model' "$dir/said"; then said="does not compile: $(grep -m 1 error: "$dir/said")"; fi
    elif ! sed "$edit" "src/$file" >"$dir/src/$file"; then said='is no sed script'
    elif cmp -s "src/$file" "$dir/src/$file"; then touch "$dir/idle"
    elif ! hand_build "$dir" "$file" >"$dir/said" 2>&1; then said="does not compile: $(grep -m 1 error "$dir/said")"
    else found=$(hand_run "$dir/prog" "$case" cuda "$dir/said"); fi
    if [ -e "$dir/idle" ]; then said='the script changes nothing'; fi
    if [ "$said" = survives ] && [ "$found" != "${right[$case]}" ]; then touch "$work/killed.$1"
    else echo "$case, $file: $what: $said"; fi
    rm -rf "$dir"
}
each "$cores" fault_try "${!fault[@]}"
killed=$(find "$work" -maxdepth 1 -name 'killed.*' | wc -l)
echo "$killed of ${#fault[@]} faults found"
[ "$killed" = ${#fault[@]} ]
