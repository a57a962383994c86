#!/bin/bash
# All forms of the weather kernels give the same bits on the GPU: BUILD=build/VARIANT tests/gpu/forms.sh
# SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:?the build directory}"
bad=0
for size in '8 8 8' '70 37 33' '131 20 128' '40 9 200'; do
    # shellcheck disable=SC2086 # three words
    "$BUILD/tests/prog_gpu_weather" $size || { echo "FAILED: $size"; bad=1; }
done
exit $bad
