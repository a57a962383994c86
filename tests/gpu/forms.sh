#!/bin/bash
# All forms of the weather kernels give the same bits on the GPU, and kernels of H and E by hand those of the kernels that
# are made: BUILD=build/VARIANT tests/gpu/forms.sh
# SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
gpu_demand
bad=0
for size in '70 37 33' '131 128 20' '40 113 9' '33 200 9' '100 21 1000' '60 20 30'; do # columns, levels, rows
    # shellcheck disable=SC2086 # three words
    "$BUILD/tests/prog_gpu_weather" $size || { echo "FAILED: $size"; bad=1; }
done
"$BUILD/tests/prog_gpu_waves" || { echo "FAILED: H and E"; bad=1; }
exit $bad
