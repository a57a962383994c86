#!/bin/bash
# Plants one violation after the other in a small source tree and demands that tests/layers.sh names its file.
# SPDX-License-Identifier: MIT
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
checks=0 failures=0

spdx='/* SPDX-License-Identifier: MIT */'
# put FILE LINE...: a file with a licence line and these lines
put() {
    mkdir -p "$tree/$(dirname "$1")"
    printf '%s\n' "$spdx" "${@:2}" >"$tree/$1"
}

plant_clean() {
    rm -rf "${tree:?}"/*
    put src/main.c '#include "version.h"' '#include "io/output.h"' '#include "wave/wave.h"' '#include "heat/heat.h"'
    put src/pipeline/sferic.h '#include <stddef.h>' '#include "pipeline/sfmath.h"' '#define SF_MAX(a, b) ((a) > (b) ? (a) : (b))'
    put src/pipeline/sfmath.h '#include <stdint.h>' 'SF_FORMULA double sfd_one(void);'
    # shellcheck disable=SC1003 # a backslash that ends a planted line
    put src/pipeline/comm.c '#include <mpi.h>' '#define TRY(call) \' '    do { \' '        if (call) return 1; \' '    } while (0)'
    put src/pipeline/backend_cuda.c '#include <cuda_runtime.h>'
    put src/pipeline/list.def 'ROW(a, 1)' 'ROW(b, 2)' '#undef ROW'
    put src/io/output.h '#include "pipeline/sferic.h"' '#include <netcdf.h>'
    put src/heat/heat.h '#include "pipeline/sferic.h"' '#include <math.h>'
    put src/heat/flux.h '#include "pipeline/sferic.h"' 'SF_FORMULA real heat_flux(real a);'
    put src/heat/step.h '#include "heat/flux.h"' 'SF_FORMULA real heat_step(real a);'
    put src/heat/step.cu '#include <cuda_runtime.h>' '#include "heat/step.h"'
    put src/command/run.c '#include "command/run.h"' '#include "heat/heat.h"' '#include "io/output.h"' '#include "wave/wave.h"'
    put src/wave/wave.h '#include "pipeline/sferic.h"'
    put tests/test_flux.c '#include "heat/flux.h"' '#include <netcdf.h>'
}

# caught FILE LINE...: after these lines are planted the check fails and names the file
caught() {
    plant_clean
    put "$@"
    checks=$((checks + 1))
    if out=$("$here/layers.sh" "$tree" 2>&1); then
        echo "not caught: $*"
    elif ! grep -q "^$1:" <<<"$out"; then
        echo "caught, but not in $1: $*"
    elif [ "$(wc -l <<<"$out")" != 1 ]; then
        echo "more than the planted line is reported: $*"
    else
        return
    fi
    printf '    %s\n' "$out"
    failures=$((failures + 1))
}

plant_clean
if ! out=$("$here/layers.sh" "$tree" 2>&1); then
    printf 'the clean tree is refused:\n%s\n' "$out"
    failures=$((failures + 1))
fi

caught src/pipeline/run.c '#include "heat/heat.h"'
caught src/pipeline/run.c '#pragma omp parallel for schedule(static)'
caught src/io/output.c 'int n = omp_get_max_threads();'
caught src/pipeline/run.c '#include "io/output.h"'
caught src/pipeline/run.c '#  include  "io/output.h"'
caught src/heat/heat.c '#include "wave/wave.h"'
caught src/wave/wave.c '#include "io/output.h"'
caught src/io/output.c '#include "heat/heat.h"'
caught src/io/output.c '#include "command/run.h"'
caught src/heat/heat.c '#include "command/run.h"'
caught src/pipeline/run.c '#include "command/run.h"'
caught src/heat/heat.c '#include "heat.h"'
caught src/heat/heat.c '#include "heat/../wave/wave.h"'
caught src/heat/flux.h '#include <math.h>' 'SF_FORMULA real heat_flux(real a);'
caught src/heat/flux.h '#include "pipeline/model.h"' 'SF_FORMULA real heat_flux(real a);'
caught src/heat/flux.h '#include "heat/heat.h"' 'SF_FORMULA real heat_flux(real a);'
caught src/wave/curl.h '#include "heat/flux.h"' 'SF_FORMULA real wave_curl(real a);'
caught src/pipeline/sfmath.h '#include <math.h>' 'SF_FORMULA double sfd_one(void);'
caught src/heat/heat.c '#include <mpi.h>'
caught src/io/output.c '#include "mpi.h"'
caught src/pipeline/run.c '#include <netcdf.h>'
caught src/heat/heat.c '#include <netcdf_par.h>'
caught src/pipeline/run.c '#include <cuda_runtime.h>'
caught src/heat/heat.c '#include <cuda.h>'
caught src/heat/heat.h '#define FIELDS(X) X(u, "m/s") X(v, "m/s")'
# shellcheck disable=SC1003
caught src/heat/heat.c '#define FIELDS(ROW) \' '    ROW(u) \' '    ROW(v)'
caught src/heat/heat.def 'FIELD(u)' 'FIELD(v)'
caught src/heat/heat.def 'FIELD(u)' 'PARAM(a)' '#undef PARAM'
caught src/heat/heat.cu '__global__ void heat(real *a)' '{' '    *a = 0;' '}'
caught src/heat/heat.cu '__global__ void heat(real *a)' '{' '    launch_begin(follows);' '    *a = 0;' '}'
caught src/heat/heat.cu '__global__ void heat(real *a)' '{' '    launch_begin(follows);' '    if (!a) return;' '    launch_end();' '}'
caught src/heat/heat.cu '__global__ void heat(real *a)' '{' '    launch_begin(follows);' '    if (follows)' '        launch_await();' '    *a = 0;' '}'
caught src/heat/heat.cu '__global__ void heat(real *a)' '{' '    launch_wait_first();' '    *a = 0;' '}' '__global__ void cool(real *a)' '{' '    launch_wait();' '    *a = 0;' '}'
caught src/heat/heat.c 'void warm_elements(const struct warm_pack *p, struct box b)' '{' '    p->f[0][0] = s->f[F_HEAT][0];' '}'
caught src/heat/heat.cu 'const real *of(const struct slab *s) { return v.w[F_HEAT]; }' 'static void launch(struct box b, const struct warm_pack *p)' '{' '}'
caught tests/test_flux.c '#include <mpi.h>'

plant_clean
echo 'int no_licence;' >"$tree/src/heat/heat.c"
if "$here/layers.sh" "$tree" >/dev/null 2>&1; then
    echo "not caught: a source without SPDX line"
    failures=$((failures + 1))
fi
rm -rf "$tree/src"
mkdir "$tree/src"
if "$here/layers.sh" "$tree" >/dev/null 2>&1; then
    echo "not caught: a tree without sources"
    failures=$((failures + 1))
fi
echo "$failures of $((checks + 3)) checks went wrong"
[ "$failures" = 0 ]
