#!/bin/bash
# The model against published and exact solutions: the quick set of `sferic verify`.
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${SFERIC:?the path of the binary under test}"
"$SFERIC" verify
