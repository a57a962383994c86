#!/bin/bash
# A run that ends before its time, when the energy or the field at a probe has decayed: at the same step however it is cut, in one
# go or after a stop, with its last state written.
#   SFERIC  the program
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
: "${SFERIC:?the path of the binary under test}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_ends_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
fail() { echo "$*"; wrong=$((wrong + 1)); }

cat >case.nml <<'END'
&case name = 'ends' model = 'maxwell' /
&grid nx = 26 ny = 24 nz = 25 dx = 1e-3 dy = 1e-3 dz = 1e-3 /
&cpml cells = 6 /
&time duration = 5e-9 output_interval = 4e-10 check_interval = 20 /
&source kind = 'electric' axis = 'z' x = 0.013 y = 0.012 z = 0.0125 amplitude = 1e-3
    waveform = 'differentiated_gaussian' frequency = 1e10 /
&output probe_x = 0.009 probe_y = 0.009 probe_z = 0.01 fields = 'Ez' /
END
step_of() { sed -n 's/.*"step": *\([0-9]*\).*/\1/p' "$1/status.json"; }
digest_of() { sed -n 's/^digest //p' "$1"; }

end_by() { # name, settings...
    local name=$1 whole
    shift
    "$SFERIC" run case.nml "$@" --out one -q --force >one.txt 2>one.err || fail "$name: $(cat one.err)"
    whole=$(step_of one)
    [ -n "$whole" ] && [ "$whole" -gt 100 ] && [ "$whole" -lt 2400 ] || fail "$name: ended after step '$whole'"
    [ $((whole % 20)) = 0 ] || fail "$name: ended after step $whole, between two looks"
    [ -f "one/history_$(printf %09d "$whole").nc" ] || fail "$name: the last state is not in the history"
    grep -q "\"message\": \"ended after step $whole of [0-9]* (.*s): .*stop%$name" one/status.json ||
        fail "$name: status.json does not say why it ended: $(cat one/status.json)"
    "$SFERIC" run case.nml "$@" --set pipeline%slabs=3 --set pipeline%steps_per_pass=3 --out two --force >two.txt 2>&1
    grep -q "sferic: ended after step $whole of .*stop%$name" two.txt || fail "$name: the terminal does not say why it ended"
    [ "$(digest_of two.txt)" = "$(digest_of one.txt)" ] || fail "$name: other bits in slabs"
    # Stopped just before, when all that it looks back at lies behind it.
    "$SFERIC" run case.nml "$@" --stop-after-steps $((whole - 30)) --out three -q --force >three.txt 2>&1
    [ $? = 75 ] || fail "$name: was not stopped"
    "$SFERIC" run case.nml "$@" --restart auto --out three -q >three.txt 2>&1 || fail "$name: $(cat three.txt)"
    [ "$(step_of three)" = "$whole" ] || fail "$name: ended after step $(step_of three), not $whole, after a stop"
    [ "$(digest_of three.txt)" = "$(digest_of one.txt)" ] || fail "$name: other bits after a stop"
    if command -v mpirun >/dev/null && ! "$SFERIC" --version | grep -q '^MPI *none'; then
        mpirun -n 2 "$SFERIC" run case.nml "$@" --out four -q --force >four.txt 2>&1 </dev/null || fail "$name: $(cat four.txt)"
        [ "$(digest_of four.txt)" = "$(digest_of one.txt)" ] || fail "$name: other bits on two ranks"
    fi
}

end_by energy --set stop%energy=1e-4
end_by probe --set stop%probe=1e-3 --set stop%probe_time=5e-11
"$SFERIC" run case.nml --set time%duration=3e-10 --set stop%energy=1e-30 --out five -q >five.txt 2>&1
[ "$(step_of five)" = 158 ] || fail "a run that does not decay ended after step $(step_of five), not 158"
"$SFERIC" run case.nml --set time%duration=1e-10 --set stop%energy=1e-30 --out five -q --force >five.txt 2>&1
grep -q 'ended at time%duration (.* s), before what it waited for: the sources are not over' five/status.json || fail "nothing says what it waited for: $(cat five/status.json)"
"$SFERIC" run case.nml --set time%duration=1.1e-9 --set stop%energy=1e-30 --out five -q --force >five.txt 2>&1
grep -q 'ended at time%duration (.* s), before what it waited for: the energy is still at [0-9.e-]* of its largest, .* (stop%energy = 1e-30)' five/status.json ||
    fail "nothing says how far the energy was: $(cat five/status.json)"
"$SFERIC" run case.nml --set time%duration=1.1e-9 --set stop%probe=1e-30 --set stop%probe_time=5e-11 --out five -q --force >five.txt 2>&1
grep -q 'before what it waited for: |E| at some probe has been above 1e-30 of its largest within the last 5e-11 s (stop%probe)' five/status.json ||
    fail "nothing says how far the probes were: $(cat five/status.json)"
"$SFERIC" check case.nml --set stop%energy=1e-5 | grep -q 'ends when the energy is so low as that of &stop, at the latest at time%duration = 5e-09 s' ||
    fail "check does not tell how the run ends"
# Sources that are never over: a warning, at the start.
for key in energy probe; do
    "$SFERIC" check case.nml --set stop%$key=1e-3 >six.txt 2>&1 || fail "stop%$key: $(cat six.txt)"
    grep -q "ends at time%duration only" six.txt && fail "stop%$key: a warning about a source that ends"
    "$SFERIC" check case.nml --set source%waveform=ramped_sine --set stop%$key=1e-3 >six.txt 2>&1 || fail "stop%$key: $(cat six.txt)"
    grep -q "warning: .*ends at time%duration only" six.txt || fail "stop%$key: no warning about a source that never ends"
done
"$SFERIC" check case.nml --set source%waveform=ramped_sine >six.txt 2>&1
grep -q "ends at time%duration only" six.txt && fail "a warning about &stop without &stop"
echo "$wrong wrong"
[ "$wrong" = 0 ]
