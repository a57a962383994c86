#!/bin/bash
# The model against published and exact solutions: the quick set of `sferic verify`.
# Long: runs of minutes in the model's time.
# SPDX-License-Identifier: MIT
set -euo pipefail
: "${SFERIC:?the path of the binary under test}"
"$SFERIC" verify
