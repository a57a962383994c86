#!/bin/bash
# statistics.nc: the same numbers however a run is cut, stopped in the middle of an average and gone on with; steps as they are
# without it; and what a namelist can have wrong about it. `SFERIC=binary tests/statistics.sh` SPDX-License-Identifier: MIT
set -uo pipefail
export LC_ALL=C.UTF-8 OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
: "${SFERIC:?the program}"
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

cat >case.nml <<'EOF'
&case name = 'plumes' /
&grid nx = 18, ny = 20, nz = 8, dx = 100, dy = 100, dz = 50 /
&time duration = 30, dt = 0.4, output_interval = 15 /
&dynamics small_steps = 6, advection = 'upwind5' /
&turbulence closure = 'smagorinsky' /
&surface drag = 'roughness', heat = 'flux', heat_flux = 0.3, vapour_flux = 1e-4 /
&water scheme = 'kessler' /
&base profile = 'constant_n', relative_humidity = 1, wind = 'constant', wind_u = 4 /
&initial noise = 0.5 /
&statistics interval = 1.6, average = 8, spectra_z = 100, 300 /
EOF

fail() {
    echo "FAILED: $1"
    failed=1
}

# All values to the last bit, and how many there are of each.
values() { ncdump -p 9,17 "$1/statistics.nc" | sed -n '/^dimensions:/,/^variables:/p;/^data:/,$p' | cksum; }
whole=
same() { # WHAT DIRECTORY
    [ "$(values "$2")" = "$whole" ] || fail "$1: the file differs from that of one run"
}
digest() { sed -n 's/^digest //p' "$1"; }

"$SFERIC" run case.nml --out whole -q --set pipeline%threads=1 >whole.txt 2>err || { cat err; exit 1; }
whole=$(values whole)
"$SFERIC" run case.nml --out without -q --set statistics%interval=0 --set pipeline%threads=1 >without.txt 2>/dev/null || fail "without"
[ "$(digest whole.txt)" = "$(digest without.txt)" ] || fail "statistics change the state"
[ -e without/statistics.nc ] && fail "a run without statistics has statistics.nc"
"$SFERIC" run case.nml --out slabs -q --set pipeline%slabs=3 --set pipeline%steps_per_pass=4 >/dev/null 2>&1 || fail "slabs"
same "three slabs" slabs
"$SFERIC" run case.nml --out passes -q --set pipeline%threads=3 --set pipeline%window_rows=4 >/dev/null 2>&1 || fail "passes"
same "three threads" passes
# 8.8 s: in the second average, between two samples.
"$SFERIC" run case.nml --out split -q --stop-after-steps 22 >/dev/null 2>&1
[ $? = 75 ] || fail "a run that stops does not end with 75"
if "$SFERIC" --version | grep -q 'MPI.*none' || ! command -v mpirun >/dev/null; then
    echo "this build has no MPI: 2 and 3 ranks are skipped"
    "$SFERIC" run case.nml --out split --restart auto -q >/dev/null 2>&1 || fail "going on"
else
    mpirun -n 3 "$SFERIC" run case.nml --out ranks -q >/dev/null 2>&1 || fail "ranks"
    same "three ranks" ranks
    mpirun -n 2 "$SFERIC" run case.nml --out split --restart auto -q >/dev/null 2>&1 || fail "going on"
fi
same "stopped and gone on" split
# From a checkpoint alone, elsewhere.
"$SFERIC" run case.nml --out kept -q --set time%restart_interval=10 --stop-after-steps 41 >/dev/null 2>&1
"$SFERIC" run case.nml --out other --restart "$(ls -d kept/restart_*.nc | tail -1)" -q >/dev/null 2>err || { cat err; fail "elsewhere"; }
same "gone on elsewhere" other
# An average of `output_interval`: a checkpoint of another one is refused, of the same one goes on.
unsaid() { "$SFERIC" run case.nml --set statistics%average=0 --set time%output_interval="$1" --set statistics%interval=0.8 -q "${@:2}"; }
unsaid 8 --out unsaid --stop-after-steps 22 >/dev/null 2>&1
[ $? = 75 ] || fail "a run with averages of output_interval does not stop"
for other in 4 12; do
    if unsaid $other --out unsaid --restart auto >/dev/null 2>err; then fail "averages of 8 s go on as averages of $other s"; fi
    grep -q 'statistics%average, time%output_interval' err || { cat err; fail "no word of averages of $other s"; }
done
unsaid 8 --out unsaid --restart auto >/dev/null 2>err || { cat err; fail "going on with averages of output_interval"; }
unsaid 8 --out unbroken >/dev/null 2>&1 || fail "averages of output_interval"
[ "$(values unsaid)" = "$(values unbroken)" ] || fail "averages of output_interval differ behind a restart"
ncdump -h whole/statistics.nc >head
grep -q 'time = 3' head || fail "three averages of 8 s come to their end in 30 s"
grep -q 'time:bounds = "time_bnds"' head || fail "times have no bounds"
grep -q 'uw_res:cell_methods = "area: mean time: mean"' head || fail "no cell_methods"
ncdump -v samples whole/statistics.nc | grep -q 'samples = 5, 5, 5' || fail "each average is of five samples"

# expect CODE TEXT SET...: `check` exits so, and says so.
expect() {
    local code=$1 text=$2 rc sets=()
    shift 2
    for s in "$@"; do sets+=(--set "$s"); done
    "$SFERIC" check case.nml "${sets[@]}" >said 2>err </dev/null
    rc=$?
    if [ $rc != "$code" ] || ! grep -q -- "$text" said err; then
        echo "FAILED: check $*: exit code $rc, not $code, or not '$text':"
        sed 's/^/    /' said err
        failed=1
    fi
}
expect 0 '3 averages over 8 s, of a sample every 1.6 s'
expect 0 'the last 6 s of the run are in no average'
expect 3 'make average a multiple of interval' statistics%average=5
expect 0 'make average shorter' statistics%average=32
expect 3 'which is from 0 to 400 m' statistics%spectra_z=500
expect 3 'leave spectra_z out' "boundary%west='wall'" "boundary%east='wall'" "boundary%south='wall'" "boundary%north='wall'"
expect 0 'set &statistics interval' statistics%interval=0
expect 0 'there is one every step' statistics%interval=0.2
expect 0 'of a sample every 0.394737 s' statistics%interval=0.2
expect 0 'statistics: one average over 16 s' statistics%average=16
expect 0 'spectra at 2 heights, which one thread makes'
expect 0 'are of the same level, at 75 m' statistics%spectra_z=60,90
expect 0 '118 has the prime factor 59' grid%nx=118
grep -q 'the prime factor' <("$SFERIC" check case.nml 2>&1) && fail "18 and 20 are said to have large primes"

# A dry model over moist air: theta is virtual.
printf '1000 300 10\n0 300 10 0 0\n500 301 5 0 0\n1000 303 5 0 0\n' >moist.txt
for wet in none kessler; do
    "$SFERIC" run case.nml --out $wet -q --set water%scheme="'$wet'" --set base%profile="'sounding'" --set base%sounding="'moist.txt'" --set base%relative_humidity=0 --set base%wind="'calm'" \
        --set surface%vapour_flux=0 --set time%duration=8 --set time%output_interval=8 >/dev/null 2>err || { cat err; fail "a moist sounding, water $wet"; }
    ncdump -h $wet/statistics.nc >head_$wet
done
grep -q 'theta:long_name = "mean virtual potential temperature"' head_none || fail "theta of a moist sounding is not said to be virtual"
grep -q 'theta:standard_name' head_none && fail "virtual potential temperature has the standard name of another"
grep -q 'theta:standard_name = "air_potential_temperature"' head_kessler || fail "theta beside water has no standard name"

# What sferic-plot draws of it.
cat >look.py <<'EOF'
import sys

import matplotlib
import numpy as np
import xarray

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from sferic_plot import turbulence
from sferic_plot.read import Run


def lines(draw):
    _, ax = plt.subplots()
    ax.inches = 3, 3
    draw(ax)
    return {n.get_label(): np.asarray(n.get_xydata(), float) for n in ax.lines}


run = Run(sys.argv[1])
ds = run.lines("statistics")
panels = dict(turbulence.panels_make(run))
for title in (r"Mean of $\theta$", "Mean of $u$", "Mean of $v$", "Flux of $u$", "Flux of $q_v$", "Resolved energy of turbulence", "Spectra along x at 75 m", "Spectra along y at 275 m"):
    assert title in panels, (title, list(panels))
flux = lines(panels[r"Flux of $\theta$"])
assert abs(flux["subgrid"][0, 0] - 0.3) < 1e-6 and flux["total"].shape == (9, 2)
assert np.allclose(flux["total"][:, 0], flux["resolved"][:, 0] + flux["subgrid"][:, 0])
assert np.array_equal(flux["total"][:, 1], ds["z_f"].values)
spectrum = lines(panels["Spectra along x at 75 m"])
k = ds["wavenumber_x"].values
s = ds["spectrum_x_w"].values[-1, 0]
assert np.allclose(spectrum["w"][:, 1].sum() * k[1], s[1:].sum(), rtol=1e-12)
assert np.isclose(s.sum(), ds["w_var"].values[-1, 2], rtol=1e-9)
assert np.isclose(spectrum["$-5/3$"][7, 1] / spectrum["$-5/3$"][0, 1], 8 ** (-5 / 3))
assert len(lines(panels[r"Mean of $\theta$"])) == 3

# A flux of 0.1 K m/s that falls to -0.02 at 800 m: w* = (g/300 0.1 800)^(1/3).
made = xarray.Dataset({"thetaw_res": (("time", "z_f"), [[0.0, 0.04, -0.02, 0.0]]), "thetaw_sgs": (("time", "z_f"), [[0.1, 0.0, 0.0, 0.0]]),
                       "theta": (("time", "z"), [[300.0, 300.0, 303.0]])}, {"z_f": [0.0, 400.0, 800.0, 1200.0]})
depth, speed = turbulence.plume_scales(made)
assert depth == 800 and abs(speed - (9.81 / 300 * 0.1 * 800) ** (1 / 3)) < 1e-12
assert turbulence.plume_scales(made * 0 + 0.0) is None
assert turbulence.plume_scales(made.assign(cloud_cover=("time", [0.0]))) == (depth, speed)
assert turbulence.plume_scales(made.assign(cloud_cover=("time", [0.1]))) is None
assert np.array_equal(lines(panels["Mean of $u$"])[next(iter(lines(panels["Mean of $u$"])))][:, 0], ds["u"].values[0])
EOF
python=
for p in "${PYTHON:-}" python3 /usr/bin/python3 /usr/local/bin/python3; do
    if [ -n "$p" ] && "$p" -c 'import netCDF4, xarray, matplotlib' 2>/dev/null; then python=$p; break; fi
done
if [ -n "$python" ]; then PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/tools "$python" look.py whole || fail "the pictures"
else fail "no python3 with xarray, netCDF4 and matplotlib: run tools/setup.sh"; fi
exit $failed
