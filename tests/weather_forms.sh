#!/bin/bash
# All forms of the weather kernels give the same bits, on an emulated GPU with a copy engine and on one without; and
# kernels of H and E by hand those of the kernels that are made of waves.sf: BUILD=build/VARIANT tests/weather_forms.sh
# SPDX-License-Identifier: MIT
# Full: it takes a build for the emulated GPU.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
programs="tests/prog_gpu_weather tests/prog_gpu_weather_80 tests/prog_gpu_waves"
# shellcheck disable=SC2086 # words
emulate_build $programs || exit 1
bad=0
for program in $programs; do
    "$emulated/$program" 8 8 8 | grep -v registers || bad=1 # their time means nothing
done
exit $bad
