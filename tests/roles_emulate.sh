#!/bin/bash
# tests/roles.sh on a GPU emulated on the CPU: BUILD=build/VARIANT tests/roles_emulate.sh
# SPDX-License-Identifier: MIT
# Full: it takes a build for the emulated GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${BUILD:?the build directory}"
# shellcheck source=tests/support_emulate.sh
. tests/support_emulate.sh
emulate_build tests/prog_roles
BUILD=$emulated ROLES_CASES=8 tests/roles.sh
