# shellcheck shell=bash
# For tests that ask a library in Python: `. tests/support_find_python.sh MODULE...` puts a python3 that has these into $python, and ends
# the test where there is none. SPDX-License-Identifier: MIT
python=
for p in "${PYTHON:-}" python3 /usr/bin/python3 /usr/local/bin/python3; do
    if [ -n "$p" ] && PYTHONPATH=${root:+$root/tools} "$p" -B -c "import $(IFS=,; echo "$*")" 2>/dev/null; then python=$p; break; fi
done
[ -n "$python" ] || { echo "FAILED: no python3 with $*: run tools/setup.sh"; exit 1; }
