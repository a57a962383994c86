#!/bin/bash
# Checks who includes whom, and the other rules that a compiler cannot see: `tests/layers.sh [SOURCE TREE]`.
#
#   pipeline    includes pipeline only: the engine knows neither models nor files
#   a model     (every other folder) includes pipeline and itself: never another model, never io
#   io          includes pipeline and io: it knows field tables, not models
#   command     includes everything, and nothing but src/main.c includes it
#   formulas    (headers that hold an SF_FORMULA) include pipeline/sferic.h or tridiagonal.h and formula headers of their own model; no
#               libm, whose bits differ between machines: pipeline/sfmath.h has the project's own
#   mpi.h       in the files of mpi_files and in no Criterion test; netcdf.h in src/io; the CUDA runtime in
#               src/pipeline/backend_cuda.c, folded.c, sent.c, peers.c, driver.h, launch.h and .cu files
#   X-macros    lists live in .def files, each of which undefines at its end what it expands
#   kernels     begin with launch_wait(), or with launch_begin() and end with launch_end(): see pipeline/launch.h
#   packs       a file whose functions are handed a `struct NAME_pack *`, the lists of a stage of elements, takes no field from a slab
#   threads     every parallel region names its number of threads, and src/pipeline/threads.c alone asks how many there may be
#   SPDX        every source names its licence
#
# Prints `file:line: what is wrong` for each violation; the exit code is 1 when there is one.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

# The files where ranks talk.
mpi_files="src/pipeline/comm.c src/pipeline/halo.c src/pipeline/reduce.c"

mapfile -t files < <(find src -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' \) | sort)
if [ ${#files[@]} = 0 ]; then
    echo "no sources below $PWD/src" >&2
    exit 1
fi
formulas=$(grep -lE '^(static )?SF_FORMULA' "${files[@]}" | grep '\.h$' || true)
found=$(mktemp)
trap 'rm -f "$found"' EXIT

awk -v mpi_files="$mpi_files" -v formulas="$formulas" '
function wrong(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }

BEGIN {
    n = split(mpi_files, a, /[ \n]+/); for (i = 1; i <= n; i++) may_mpi[a[i]] = 1
    n = split(formulas, a, /[ \n]+/); for (i = 1; i <= n; i++) formula[a[i]] = 1
}

# The first statement of a kernel; a macro that defines one goes on in lines that end in a backslash.
/__global__/ && !/^[ \t]*(\/\/|\*|\/\*)/ { kernel = FNR; body = 0 }
kernel && /[)] *[{] launch_wait\(\); [}]$/ { kernel = 0 } # all of it
kernel && /^[ \t]*[{]|[)] *[{]/ { body = 1 }
kernel && body && FNR > kernel && !/^[ \t]*[{][ \t\\]*$/ {
    if (!/^[ \t]*launch_(wait\(\)|wait_first\(\)|begin\([a-z]+\));/) wrong("a kernel that does not begin with launch_wait(), launch_wait_first() or launch_begin()")
    begun = /launch_begin/
    if (/launch_wait/) waits[FILENAME " " (/first/ ? 1 : 0)] = FNR
    if (/launch_wait/ && (FILENAME " " (/first/ ? 0 : 1)) in waits) wrong("kernels of one stage that wait before they let the next one in, and others that do not")
    kernel = body = 0
}
begun && /^    launch_await\(\);/ { begun = 0 } # all of its blocks wait
begun && /[^a-z_]return[^a-z_]/ { wrong("a kernel that begins with launch_begin() returns before launch_end()") }
begun && /^}/ {
    if (before !~ /^[ \t]*launch_end\(\);/) wrong("a kernel that begins with launch_begin() does not end with launch_end()")
    begun = 0
}
{ before = $0 }

FNR == 1 {
    undefined_rows()
    split(FILENAME, part, "/")
    layer = part[2]
    is_def = FILENAME ~ /\.def$/
    is_formula = FILENAME in formula
    is_cuda = FILENAME ~ /\.cuh?$/ || FILENAME ~ /^src\/pipeline\/(backend_cuda\.c|folded\.c|sent\.c|peers\.c|driver\.h|launch\.h)$/
    last_file = FILENAME
    macro = ""
}

# What a .def expands and does not undefine afterwards.
function undefined_rows(   r) {
    for (r in row) printf "%s:%d: %s is expanded and not undefined at the end\n", last_file, row[r], r
    split("", row)
}
is_def && match($0, /^[A-Z][A-Z0-9_]*\(/) { row[substr($0, 1, RLENGTH - 1)] = FNR }
is_def && /^[ \t]*#[ \t]*undef[ \t]/ { sub(/^[ \t]*#[ \t]*undef[ \t]+/, ""); sub(/[ \t].*$/, ""); delete row[$0]; next }

# A macro that calls one of its own parameters twice or more is a list; continuation lines are joined first.
macro != "" || /^[ \t]*#[ \t]*define[ \t]+[A-Za-z_][A-Za-z0-9_]*\(/ {
    macro = macro $0
    if (macro ~ /\\$/) { sub(/\\$/, " ", macro); next }
    if (!is_def) {
        body = macro
        sub(/^[ \t]*#[ \t]*define[ \t]+[A-Za-z_][A-Za-z0-9_]*\(/, "", body)
        names = body
        sub(/\).*/, "", names)
        sub(/^[^)]*\)/, "", body)
        n = split(names, name, /[ \t,]+/)
        for (i = 1; i <= n; i++) {
            if (name[i] !~ /^[A-Za-z_][A-Za-z0-9_]*$/) continue
            rest = " " body
            calls = gsub("[^A-Za-z0-9_#]" name[i] "[ \t]*\\(", "", rest)
            if (calls > 1) wrong("an X-macro list: move it into a .def file")
        }
    }
    macro = ""
    next
}

# What a description does not list is out of reach of the bodies of its stages.
FNR == 1 { split("", taken); takes = packed = 0 }
/[(,] *const struct [a-z0-9_]+_pack \*/ { packed = 1 }
/[>.][fw]\[F_/ { taken[++takes] = FNR }
packed { for (; takes > 0; takes--) printf "%s:%d: a field of a slab, where a pack has what the stage lists\n", FILENAME, taken[takes] }

/^[ \t]*#[ \t]*pragma[ \t]+omp[ \t]+parallel/ && !/num_threads\(/ { wrong("a parallel region without num_threads(): see pipeline/threads.h") }
/omp_get_max_threads|omp_get_num_procs|omp_set_num_threads/ && FILENAME != "src/pipeline/threads.c" { wrong("only src/pipeline/threads.c asks OpenMP for a number of threads") }

/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    quoted = $0 ~ /include[ \t]*"/
    target = $0
    sub(/^[^<"]*[<"]/, "", target)
    sub(/[>"].*$/, "", target)

    if (target == "mpi.h" && !(FILENAME in may_mpi)) wrong("mpi.h: only " mpi_files)
    if (target ~ /^(netcdf|hdf5|H5)[A-Za-z0-9_]*\.h$/ && layer != "io") wrong(target ": only in src/io")
    if (target ~ /^cuda(_runtime|_runtime_api)?\.h$/ && !is_cuda)
        wrong(target ": only in src/pipeline/backend_cuda.c, folded.c, sent.c, peers.c, driver.h, launch.h and .cu files")
    if (target ~ /\.cuh?$/ && !is_cuda) wrong(target ": only in .cu files")

    if (is_formula && layer == "pipeline") {
        if (target == "math.h" || target == "tgmath.h") wrong("a formula header with libm: use pipeline/sfmath.h")
    } else if (is_formula) {
        shared = target == "pipeline/sferic.h" || target == "pipeline/tridiagonal.h"
        if (!quoted) wrong("a formula header includes <" target ">: it may know pipeline/sferic.h alone")
        else if (!shared && !(("src/" target) in formula && index(target, layer "/") == 1))
            wrong("a formula header includes \"" target "\": pipeline/sferic.h and formulas of its own model only")
    }

    if (!quoted || target == "version.h" || target == "mpi.h") next
    if (target !~ /\// || target ~ /\.\./) { wrong("\"" target "\": write the path from src/"); next }
    to = target
    sub(/\/.*/, "", to)
    if (layer ~ /\.c$/ || to == layer || (to == "pipeline" && !is_formula)) next
    if (is_formula || layer == "command") next
    if (layer == "pipeline") wrong("pipeline includes " to ": the engine knows neither models nor io")
    else if (layer == "io") wrong("io includes " to ": it knows field tables, not models")
    else wrong(layer " includes " to ": a model knows pipeline and itself only")
}

END { undefined_rows() }
' "${files[@]}" >>"$found"

shopt -s nullglob
tests=(tests/*.[ch] tests/*.sh)
for f in tests/test_*.c tests/support_*.[ch] tests/toy_*.[ch]; do
    grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]mpi\.h' "$f" |
        sed 's/:[^:]*$/: mpi.h: Criterion forks each test; start mpirun instead/' >>"$found" || true
done
for f in "${files[@]}" "${tests[@]}" Makefile tools/*; do
    [ -f "$f" ] || continue
    [[ $(head -n 60 "$f") == *"SPDX-License-Identifier: MIT"* ]] || echo "$f:1: no SPDX-License-Identifier: MIT" >>"$found"
done

if [ -s "$found" ]; then
    sort -t: -k1,1 -k2,2n "$found"
    exit 1
fi
echo "${#files[@]} sources keep to their layers"
