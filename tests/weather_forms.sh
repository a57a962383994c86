#!/bin/bash
# All forms of the weather kernels give the same bits, on an emulated GPU: BUILD=build/VARIANT tests/weather_forms.sh
# SPDX-License-Identifier: MIT
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
emulate_build tests/prog_gpu_weather || exit 1
"$emulated/tests/prog_gpu_weather" 8 8 8 | grep -v registers # their time means nothing
