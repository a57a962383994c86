# shellcheck shell=bash
# For tests of programs in Python: a python3 that has their modules, loaded once. Sourced with the modules to load as arguments; $root
# is the source tree. SPDX-License-Identifier: MIT
# shellcheck source=tests/support_find_python.sh
. "$root/tests/support_find_python.sh" "$@"
export PYTHON=$python PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
coproc stays { PYTHONPATH=$root/tools exec "$python" -B "$root/tests/support_python.py" "$@"; }

# python_do SCRIPT ARGUMENT...: as `python3 SCRIPT ARGUMENT...` would, less the time to load modules, into out.txt and err.txt
python_do() {
    local rc
    printf '%s\0' $(($# + 3)) "$PWD" out.txt err.txt "$@" >&"${stays[1]}" && read -r rc <&"${stays[0]}" && return "$rc"
    echo 'FAILED: the python that stays is gone'
    exit 1
}
