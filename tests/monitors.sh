#!/bin/bash
# Fluxes, fields, far fields and probes of a dipole in free space: the same numbers in the files however the run is cut, stopped or killed;
# the power that it radiates; shares of a reference run. `SFERIC=binary tests/monitors.sh` SPDX-License-Identifier: MIT
set -uo pipefail
export LC_ALL=C.UTF-8 OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
: "${SFERIC:?the program}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

cat >case.nml <<'EOF'
&case name = 'dipole', model = 'maxwell' /
&grid nx = 24, ny = 22, nz = 26, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 6e-10, output_interval = 2e-10, restart_interval = 1e-10 /
&cpml cells = 5 /
&source kind = 'electric', axis = 'z', x = 12e-3, y = 11e-3, z = 13e-3, waveform = 'modulated_gaussian', frequency = 15e9,
        bandwidth = 10e9 /
&monitor name = 'box', 'plane', 'cut', 'lid', 'sky'  kind = 'flux_box', 'flux', 'fields', 'flux', 'far'
         west   = 7e-3, 15e-3, 8e-3, 6e-3, 7e-3    east  = 17e-3, 15e-3, 8e-3, 17e-3, 16e-3
         south  = 7e-3, 7e-3, -1e9, 6e-3, 6e-3     north = 16e-3, 16e-3, 1e9, 16e-3, 16e-3
         bottom = 8e-3, 8e-3, -1e9, 18e-3, 7e-3    top   = 18e-3, 18e-3, 1e9, 18e-3, 18e-3
         theta_count = 5*7, phi_count = 5*5 /
&spectrum from = 10e9, to = 20e9, count = 6 /
&output probe_x = 15e-3, 8e-3  probe_y = 12e-3, 20e-3  probe_z = 13e-3, 14e-3  profiles = .false. /
EOF

fail() {
    echo "FAILED: $1"
    failed=1
}

# All values to the last bit, and how many there are of each.
values() {
    for f in flux dft_cut far_sky probes; do ncdump -p 9,17 "$1/$f.nc" | sed -n '/^dimensions:/,/^variables:/p;/^data:/,$p'; done | cksum
}

whole=
# same WHAT DIRECTORY
same() {
    [ "$(values "$2")" = "$whole" ] || fail "$1: the files differ from those of one run"
}

digest() { sed -n 's/^digest //p' "$1"; }

"$SFERIC" run case.nml --out whole -q >whole.txt || exit 1
whole=$(values whole)

"$SFERIC" run case.nml --out slabs -q --set pipeline%slabs=3 --set pipeline%steps_per_pass=4 >/dev/null || fail "slabs"
same "three slabs" slabs
"$SFERIC" run case.nml --out passes -q --set pipeline%threads=3 --set pipeline%steps_per_pass=5 --set pipeline%window_rows=4 >/dev/null ||
    fail "passes"
same "passes of five steps" passes
"$SFERIC" run case.nml --out split -q --stop-after-steps 130 >/dev/null 2>&1
[ $? = 75 ] || fail "a run that stops does not end with 75"
if "$SFERIC" --version | grep -q 'MPI.*none' || ! command -v mpirun >/dev/null; then
    echo "this build has no MPI: 2 and 3 ranks are skipped"
    "$SFERIC" run case.nml --out split --restart auto -q >/dev/null || fail "going on"
else
    mpirun -n 3 "$SFERIC" run case.nml --out ranks -q >/dev/null || fail "ranks"
    same "three ranks" ranks
    mpirun -n 2 "$SFERIC" run case.nml --out split --restart auto -q >/dev/null || fail "going on"
fi
same "stopped and gone on" split
# Stopped by a signal as soon as it runs, on two ranks where there are any, and gone on with on one.
two=()
if ! "$SFERIC" --version | grep -q 'MPI.*none' && command -v mpirun >/dev/null; then two=(mpirun -n 2); fi
stops=0
for _ in 1 2 3; do
    rm -rf told
    "${two[@]}" "$SFERIC" run case.nml --out told -q --set time%restart_interval=0 >/dev/null 2>&1 &
    for _ in $(seq 500); do grep -q running told/status.json 2>/dev/null && break; sleep 0.01; done
    kill -USR1 $!
    wait $!
    [ $? = 75 ] && stops=1 && break
done
[ $stops = 1 ] || fail "no run stops at a signal with 75"
"$SFERIC" run case.nml --out told --restart auto -q --set time%restart_interval=0 >told.txt || fail "going on after a signal"
same "stopped by a signal and gone on" told
[ -n "$(digest whole.txt)" ] && [ "$(digest told.txt)" = "$(digest whole.txt)" ] || fail "the fields differ after a signal"

for delay in 0.05 0.1 0.15 0.2; do
    "$SFERIC" run case.nml --out killed --restart auto -q >/dev/null 2>&1 &
    sleep $delay
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
done
"$SFERIC" run case.nml --out killed --restart auto -q >/dev/null 2>&1 || fail "going on after a kill"
same "killed and gone on" killed

# A dipole moment of 1 A m radiates eta0 pi / 3 / wavelength^2; 15 to 30 cells a wavelength.
dipole_power() { ncdump -v frequency,power "$1/flux.nc" | awk '
    /^ *(frequency|power) =/ { what = $1; sub(/.*=/, "") }
    /^data:/ { data = 1; next }
    data && what { n = split($0, v, /[,; ]+/); for (i = 1; i <= n; i++) if (v[i] != "") value[what, ++count[what]] = v[i] }
    /;/ { what = "" }
    END {
        if (count["frequency"] != 6 || count["power"] != 18) { print "the file has other numbers than expected"; exit 1 }
        for (f = 1; f <= 6; f++) {
            want = 394.5111 * (value["frequency", f] / 299792458) ^ 2
            got = value["power", 3 * f - 2] / want
            if (got < 0.97 || got > 1.03) { printf "%g Hz: %g of the power of a dipole\n", value["frequency", f], got; exit 1 }
        }
    }'; }
dipole_power whole || fail "power of a dipole"
"$SFERIC" run case.nml --out strong -q --set source%amplitude=1e3 >/dev/null || fail "amplitude"
dipole_power strong || fail "power of a dipole goes with its amplitude"
"$SFERIC" run case.nml --dry-run --set source%kind=2*electric --set source%x=2*12e-3 --set source%y=2*11e-3 \
    --set source%z=2*13e-3 --set source%frequency=2*15e9 2>&1 >/dev/null |
    grep -q 'warning: there are several sources' || fail "several sources are not told of"

"$SFERIC" run case.nml --out again -q --set spectrum%reference=whole >/dev/null || fail "reference"
ncdump -v transmission again/flux.nc | sed -n '/^ transmission =/,/;/p' | sed 1d | tr -d ' ,;\n' | grep -qE '^1{18}$' ||
    fail "transmission of a run over itself is not 1"
"$SFERIC" run case.nml --out none -q --set spectrum%reference=nowhere >/dev/null 2>&1
[ $? = 4 ] || fail "a reference that is missing does not end with 4"
[ $failed = 0 ] && echo "fluxes, fields, far fields and probes are the same for every cut"
exit $failed
