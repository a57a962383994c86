#!/bin/bash
# History of a box, a plane, a line and a point is the part of the whole history that lies there, on any ranks, of both models,
# centred and native; what has no cell is refused. `SFERIC=binary tests/regions.sh` SPDX-License-Identifier: MIT
set -uo pipefail
export LC_ALL=C.UTF-8 OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
: "${SFERIC:?the program}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/support_find_python.sh
. "${BASH_SOURCE[0]%/*}/support_find_python.sh" xarray netCDF4
cd "$work" || exit 1
failed=0 compared=0

fail() {
    echo "FAILED: $1"
    failed=1
}

cat >weather.nml <<'EOF'
&case name = 'air', model = 'dynamics' /
&grid nx = 17, ny = 9, nz = 8, dx = 1000, dy = 1000, dz = 500, stretch_ratio = 1.05 /
&base profile = 'constant_n', wind = 'shear', wind_u_top = 9, wind_v_top = -5, shear_top = 3000 /
&dynamics helicity_bottom = 700, helicity_top = 2600 /
&initial shape = 'cosine', amplitude = 2, x = 8000, y = 4500, z = 1500, radius_x = 4000, radius_y = 3000, radius_z = 1000 /
&time duration = 8, output_interval = 4 /
EOF
cat >waves.nml <<'EOF'
&case name = 'waves', model = 'maxwell' /
&grid nx = 17, ny = 9, nz = 14, dx = 1e-3, dy = 1e-3, dz = 1e-3, origin_x = -8.5e-3 /
&time duration = 4e-11, output_interval = 2e-11 /
&cpml cells = 3 /
&boundary south = 'periodic', north = 'periodic' /
&source kind = 'electric', axis = 'z', x = 0, y = 5e-3, z = 7e-3, waveform = 'ricker', frequency = 30e9 /
&maxwell allow_coarse = .true. /
EOF

cat >part.py <<'EOF'
import glob, sys
import numpy as np, xarray as xr
whole, part, ends = sys.argv[1], sys.argv[2], [float(v) for v in sys.argv[3].split(",")]
names = sorted(glob.glob(part + "/history_*.nc"))
assert len(names) == 3, names
for name in names:
    a = xr.open_dataset(name.replace(part, whole, 1), decode_times=False)
    b = xr.open_dataset(name, decode_times=False)
    for n, axis in enumerate("xyz"):
        c, (low, high) = a[axis].values, ends[2 * n:2 * n + 2]
        slack = 1e-6 * (c[-1] - c[0])
        inside = np.flatnonzero((c >= low - slack) & (c <= high + slack))
        if not len(inside):
            off = abs(c - (low + high) / 2)
            inside = np.flatnonzero(off <= off.min() + slack)[-1:] # of two the upper
        cut = {axis: slice(inside[0], inside[-1] + 1)}
        if axis + "_f" in a.dims:
            cut[axis + "_f"] = slice(inside[0], inside[-1] + 2)
        a = a.isel(cut)
    assert set(a.variables) == set(b.variables), (a, b)
    for v in b.variables:
        assert a[v].dims == b[v].dims and np.array_equal(a[v].values, b[v].values), (name, v, a[v], b[v])
    assert b["time"].values[0] == 0 or any(np.abs(b[v].values).max() > 0 for v in b.variables if len(b[v].dims) == 4), name
    assert b["time"].values[0] == 0 or all(np.abs(b[v].values).max() > 0 for v in b.variables if len(b[v].dims) == 3), name
EOF

# Of centred weather a map of columns and what it is made of, too.
shown() { [ "$1" != weather ] || echo "--set output%fields='w','theta_p','vorticity_z','updraft_helicity'"; }

# part MODEL WHOLE REGION [LAUNCHER...]
part() {
    local model=$1 whole=$2 region=$3 native=false
    shift 3
    [[ $whole = *native ]] && native=true
    rm -rf part
    if ! "$@" "$SFERIC" run "$model.nml" --out part -q $(shown "$whole") --set output%staggered=$native --set "output%region=$region" >said 2>&1; then
        fail "$model, $region: $(cat said)"
        return
    fi
    "$python" part.py "$whole" part "$region" >said 2>&1 || fail "$whole, $region, $*: $(tail -n 3 said)"
    compared=$((compared + 1))
}

ranks=(env) numbers=()
if ! "$SFERIC" --version | grep -q 'MPI.*none' && command -v mpirun >/dev/null; then ranks=(mpirun -n 3) numbers=(2 4); fi
for model in weather waves; do
    "$SFERIC" run $model.nml --out $model -q $(shown $model) >/dev/null || fail "$model"
    "$SFERIC" run $model.nml --out ${model}_native -q --set output%staggered=true >/dev/null || fail "$model, native"
done
for whole in weather weather_native; do
    part weather $whole 2100,7900,2000,6600,600,2100 env
    part weather $whole -1e9,1e9,4400,4400,-1e9,1e9 "${ranks[@]}"
    part weather $whole 0,1e6,7000,9000,1200,1200 "${ranks[@]}"
    part weather $whole 5000,5000,5600,5600,0,1e5 "${ranks[@]}"
done
for n in "${numbers[@]}"; do part weather weather -1e9,1e9,-1e9,1e9,-1e9,1e9 mpirun -n "$n"; done
for whole in waves waves_native; do
    part waves $whole -3e-3,5e-3,2e-3,9e-3,3e-3,1 "${ranks[@]}"
    part waves $whole 0,0,-1,1,-1,1 "${ranks[@]}"
    part waves $whole -1,1,-1,1,7e-3,7e-3 env
    part waves $whole 3e-3,3e-3,4.1e-3,4.1e-3,7.6e-3,7.6e-3 "${ranks[@]}"
done

for region in 5000,4000,0,1,0,1 20000,30000,0,1e4,0,1e4; do
    "$SFERIC" check weather.nml --set output%region=$region >said 2>&1
    [ $? = 3 ] && grep -q region said || fail "region $region is not refused"
done
[ $failed = 0 ] && echo "$compared regions are parts of the whole"
exit $failed
