#!/bin/bash
# Runs a small case of each model in each form of output and opens every file with the tools that users have: ncdump, cdo, xarray and
# VTK's reader of CF files (ParaView's). A warning is a failure. `SFERIC=binary tests/output_opens.sh`
#
# FILES=directory checks the files that lie there instead of running. A tool that is not installed is passed over, ncdump
# and xarray excepted. SPDX-License-Identifier: MIT
set -uo pipefail
export LC_ALL=C.UTF-8

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
    echo "FAILED: $1"
    sed 's/^/    /' "$2"
    failed=1
}

# run_made NAME [OUT]: of $work/NAME.nml, on the CPU; or it complains
run_made() {
    "$SFERIC" run "$work/$1.nml" --backend cpu --out "${2:-$work/$1}" -q >"$work/out" 2>"$work/err" && return
    complain "the run of $1.nml" "$work/err"
    return 1
}

# quiet WHAT COMMAND...: it must succeed and say nothing on stderr, nor a warning anywhere.
quiet() {
    local what=$1
    shift
    "$@" >"$work/out" 2>"$work/err" </dev/null
    local rc=$?
    if [ $rc != 0 ]; then complain "$what: exit code $rc" "$work/err"; return; fi
    if [ -s "$work/err" ]; then complain "$what: not silent" "$work/err"; return; fi
    if grep -qiE 'warning|error' "$work/out"; then complain "$what: a warning" "$work/out"; fi
}

# run_case DIRECTORY OUTPUT-KEYS
run_case() {
    cat >"$work/case.nml" <<EOF
&case name = 'opens', title = 'does every tool open the output?', model = 'dynamics' /
&grid nx = 17, ny = 9, nz = 6, dx = 1000, dy = 1000, dz = 500 /
&time duration = 4, output_interval = 2 /
&output probe_x = 2500, 9000, probe_y = 4500, 4000, probe_z = 750, 1000 $2 /
EOF
    if ! "$SFERIC" run "$work/case.nml" --backend cpu --out "$1" -q >"$work/out" 2>"$work/err"; then
        complain "the run ($2)" "$work/err"
    fi
}

# run_waves DIRECTORY OUTPUT-KEYS [BOUNDARY-KEYS]: millimetres and picoseconds, every kind of file.
run_waves() {
    cat >"$work/waves.nml" <<EOF
&case name = 'waves', title = 'does every tool open the output?', model = 'maxwell' /
&grid nx = 17, ny = 11, nz = 14, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 4e-11, output_interval = 2e-11 /
&cpml cells = 3 /
&boundary ${3:-} /
&source kind = 'electric', axis = 'z', x = 8e-3, y = 5e-3, z = 7e-3, waveform = 'ricker', frequency = 10e9 /
&monitor name = 'plane', 'cut', 'point', kind = 'flux', 2*'fields', west = 4e-3, -1, 5e-3, east = 4e-3, 1, 5e-3,
         south = -1, 5e-3, 5e-3, north = 1, 5e-3, 5e-3, bottom = -1, -1, 5e-3, top = 1, 1, 5e-3 /
&spectrum from = 5e9, to = 15e9, count = 3 /
&output probe_x = 2.5e-3, 9e-3, probe_y = 4.5e-3, 4e-3, probe_z = 7e-3, 1e-3 $2 /
EOF
    if ! "$SFERIC" run "$work/waves.nml" --backend cpu --out "$1" -q >"$work/out" 2>"$work/err"; then
        complain "the run of waves ($2)" "$work/err"
    fi
}

# What CF calls the water of a run with rain: the sum on the ground since the start is told as one.
water_names() {
    cat >"$work/water.nml" <<EOF
&case name = 'water', model = 'dynamics' /
&grid nx = 4, ny = 1, nz = 2, dx = 1000, dy = 1000, dz = 500 /
&time duration = 0 /
&water scheme = 'kessler' /
&base relative_humidity = 0.5 /
&output fields = 'rain', 'rain_rate', 'theta_e' /
EOF
    run_made water || return
    cat >"$work/read_water.py" <<'PY'
import sys, xarray
d = xarray.open_dataset(sys.argv[1] + "/history_00000000.000.nc")
assert d.rain.attrs["standard_name"] == "rainfall_amount" and d.rain.attrs["cell_methods"] == "time: sum", d.rain
assert "cell_methods" not in d.rain_rate.attrs and "cell_methods" not in d.theta_e.attrs, d
assert d.theta_e.attrs["standard_name"] == "air_equivalent_potential_temperature", d.theta_e
assert d.attrs["parcel_cape"] == 0 and d.attrs["parcel_cin"] == 0 and "parcel_lfc" not in d.attrs, d.attrs # of two levels that no parcel leaves
assert "J kg-1" in d.attrs["parcel_cape_comment"], d.attrs
PY
    quiet "names of water" "$python" "$work/read_water.py" "$work/water"
}

# Values of a moist sounding are virtual, and their names say so: theta_v = theta (1 + 0.61 qv) with theta 300 K and qv 10 g/kg.
moist_names() {
    printf '1000 300 10\n250 300 10 0 0\n750 300 10 0 0\n9000 300 10 0 0\n' >"$work/moist.txt"
    cat >"$work/moist.nml" <<EOF
&case name = 'moist', model = 'dynamics' /
&grid nx = 4, ny = 1, nz = 2, dx = 1000, dy = 1000, dz = 500 /
&time duration = 0 /
&base profile = 'sounding', sounding = '$work/moist.txt' /
&output fields = 'theta', 'theta_p', 'virtual_temperature', 'density', profiles = .true. /
EOF
    run_made moist || return
    cat >"$work/read_moist.py" <<'PY'
import sys, numpy, xarray
d = xarray.open_dataset(sys.argv[1] + "/history_00000000.000.nc")
tv = d.virtual_temperature
assert tv.attrs["standard_name"] == "virtual_temperature" and "virtual" in tv.attrs["long_name"], tv
for name in ("theta", "theta_p", "theta_0"):
    assert d[name].attrs["long_name"].startswith("virtual potential temperature") and "standard_name" not in d[name].attrs, d[name]
assert abs(float(d.theta[0, 0, 0, 0]) - 300 * (1 + 0.61 * 0.010)) < 1e-3, d.theta
assert numpy.allclose(tv[0, :, 0, 0], d.theta[0, :, 0, 0] * d.pi_0, rtol=1e-6), tv
s = xarray.open_dataset(sys.argv[1] + "/series.nc")
assert "dry" not in s.mass.attrs["long_name"] and "virtual" in s.theta_p_max.attrs["long_name"], s
assert "virtual_temperature" in xarray.open_dataset(sys.argv[1] + "/profiles.nc")
PY
    quiet "names of a moist sounding" "$python" "$work/read_moist.py" "$work/moist"
    sed 's/virtual_temperature/temperature/' "$work/moist.nml" >"$work/wrong.nml"
    "$SFERIC" check "$work/wrong.nml" >"$work/out" 2>&1
    if [ $? != 3 ] || ! grep -q "'temperature' with these parameters; there are:.* virtual_temperature" "$work/out"; then
        complain "temperature of a moist sounding is refused by name" "$work/out"
    fi
}

# Cells have bounds: a mean over a stretched column weighs levels by their depth, 50 m growing by 1.3 up to 1500 m. What `cdo vertmean`
# makes of cos(2 pi z / 40 km) is compared with the sum over these depths, single precision of the file apart.
cell_bounds() {
    cat >"$work/stretched.nml" <<EOF
&case name = 'st', model = 'dynamics' /
&grid nx = 4, ny = 1, nz = 20, dx = 1000, dy = 1000, dz = 50, stretch_ratio = 1.3, dz_max = 1500 /
&time duration = 0 /
&initial shape = 'wave', variable = 'theta', amplitude = 1, radius_x = 0, radius_y = 0, radius_z = 40000 /
EOF
    local form
    for form in false true; do
        if ! "$SFERIC" run "$work/stretched.nml" --backend cpu --out "$work/stretched_$form" --set output%staggered=.$form. \
            --set output%profiles=.$form. -q >"$work/out" 2>"$work/err"; then
            complain "the run of a stretched grid" "$work/err"
        fi
    done
    cat >"$work/depths.py" <<'PY'
import sys, numpy, xarray
dz = [50.0]
while len(dz) < 20: dz.append(min(1500.0, dz[-1] * 1.3))
zf = numpy.concatenate([[0], numpy.cumsum(dz)])
z = (zf[1:] + zf[:-1]) / 2
want = (numpy.cos(2 * numpy.pi * z / 40000) * dz).sum() / sum(dz)
if len(sys.argv) > 2: got = float(sys.argv[2])
d = xarray.open_dataset(sys.argv[1])
cells = d.z_bnds.values
assert d.z.attrs["bounds"] == "z_bnds" and numpy.allclose(cells, numpy.stack([zf[:-1], zf[1:]], 1), rtol=1e-12), cells
assert len(sys.argv) < 3 or abs(got - want) < 1e-5, (got, want)
if "z_f" in d.sizes:
    nodes = numpy.concatenate([[0], z, zf[-1:]])
    assert numpy.allclose(d.z_f_bnds, numpy.stack([nodes[:-1], nodes[1:]], 1), rtol=1e-12), d.z_f_bnds
    assert numpy.allclose(d.x_f_bnds[0], [-500, 500]) and numpy.allclose(d.y_bnds[0], [0, 1000]), d # x repeats
PY
    local file=$work/stretched_false/history_00000000.000.nc mean=
    if command -v cdo >/dev/null; then mean=$(cdo -s outputf,%.8g,1 -selindexbox,1,1,1,1 -vertmean -selname,theta_p "$file" 2>"$work/err"); fi
    quiet "cells of a stretched grid" "$python" "$work/depths.py" "$file" $mean
    quiet "cells of the native grid" "$python" "$work/depths.py" "$work/stretched_true/history_00000000.000.nc"
    quiet "cells of profiles" "$python" "$work/depths.py" "$work/stretched_true/profiles.nc"
}

# Of a run that is killed the plot reads what its journal has beyond the file.
journal_read() {
    cat >"$work/killed.nml" <<EOF
&case name = 'killed', model = 'maxwell' /
&grid nx = 17, ny = 11, nz = 14, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 1e-5, output_interval = 2e-10 /
&cpml cells = 3 /
&source kind = 'electric', axis = 'z', x = 8e-3, y = 5e-3, z = 7e-3, waveform = 'ricker', frequency = 10e9 /
&output fields = 'Ez', region = 5e-3, 5e-3, 5e-3, 5e-3, 5e-3, 5e-3, probe_x = 2.5e-3, 9e-3, probe_y = 4.5e-3, 4e-3, probe_z = 7e-3, 1e-3 /
EOF
    "$SFERIC" run "$work/killed.nml" --backend cpu --out "$work/killed" -q >"$work/out" 2>"$work/err" &
    local pid=$!
    local n
    for ((n = 0; n < 1200; n++)); do
        if ! kill -0 $pid 2>/dev/null || [ -s "$work/killed/probes.journal" ]; then break; fi
        sleep 0.05
    done
    { kill -9 $pid && wait $pid; } 2>/dev/null
    cat >"$work/fold.py" <<'PY'
import os, sys, warnings
warnings.simplefilter("error")
sys.path.insert(0, sys.argv[1])
import numpy
from sferic_plot.read import journal_fold, netcdf_read
path = sys.argv[2] + "/probes"
file = netcdf_read(path + ".nc", lambda d: d.load())
both = journal_fold(file, path + ".journal")
steps = numpy.diff(both.time)
assert both.sizes["time"] > file.sizes["time"] and numpy.allclose(steps, steps[0], rtol=1e-6), (file.sizes, both.sizes)
assert numpy.allclose(both.time - both.time_h, steps[0] / 2, rtol=1e-6) and set(both.variables) == set(file.variables)
for n in both.variables: assert both[n].dims == file[n].dims and numpy.isfinite(both[n]).all(), n
PY
    quiet "what a killed run left" "$python" "$work/fold.py" "${BASH_SOURCE[0]%/*}/../tools" "$work/killed"
    rm -rf "$work/killed"
}

# Of every file: cells hold their places, and follow each other without a gap.
cat >"$work/read_bounds.py" <<'PY'
import sys, numpy, netCDF4
for path in sys.argv[1:]:
    with netCDF4.Dataset(path) as d:
        for a in set(d.dimensions) & {"x", "y", "z", "x_f", "y_f", "z_f"}:
            at, ends = d[a][:], d[d[a].bounds][:]
            assert ((ends[:, 0] <= at) & (at <= ends[:, 1]) & (ends[:, 0] < ends[:, 1])).all(), (path, a, at, ends)
            assert numpy.allclose(ends[1:, 0], ends[:-1, 1], rtol=1e-9), (path, a, ends)
PY

# shellcheck source=tests/support_find_python.sh
. "${BASH_SOURCE[0]%/*}/support_find_python.sh" xarray netCDF4

cat >"$work/read_xarray.py" <<'PY'
import sys, warnings
warnings.simplefilter("error")
import numpy, xarray

def check(path):
    with xarray.open_dataset(path) as d:
        assert d.sizes.get("time", d.sizes.get("frequency", 0)) >= 1 and d.attrs["Conventions"].startswith("CF-1.11"), d
        names = [n.lower() for n in d.variables]
        assert len(set(names)) == len(names), names
        for name, v in d.variables.items():
            values = v.values
            assert values.size and (values.dtype.kind not in "fc" or numpy.isfinite(values).all()), name
        waves = d.attrs["model"] == "maxwell"
        if "time" in d.sizes:
            assert d.time.dtype.kind == "fM"[not waves] and (not waves or d.time.attrs["units"] == "s"), d.time
        if waves and "history" in path:
            steps = d.time - d.time_h
            assert d.time_h.attrs["units"] == "s" and numpy.ptp(steps.values) < 1e-6 * steps.values[0] > 0, d.time_h
            # Where a value lies: what openPMD's attributes, SGRID's location and the dimensions say is the same.
            places = {"": "volume", "x": "face1", "y": "face2", "z": "face3", "yz": "edge1", "xz": "edge2", "xy": "edge3"}
            for name in set(d.variables) & {k + a for k in "EH" for a in "xyz"}:
                v = d[name]
                on = "".join(a for a in "xyz" if a + "_f" in v.dims)
                assert list(v.attrs["position"]) == [0 if a in on else 0.5 for a in "zyx"], v
                assert v.attrs["time_variable"] == ("time" if name[0] == "E" else "time_h"), v
                offset = 0 if name[0] == "E" else -steps.values[0]
                assert abs(v.attrs["timeOffset"] - offset) <= 1e-6 * steps.values[0], v
                if "grid" in d:
                    mine = name[1] if name[0] == "H" else "xyz".replace(name[1], "")
                    assert on == mine and v.attrs["location"] == places[on], v
        if "mapped" in path and "history" in path:
            assert {"latitude", "longitude"} <= set(d.w.coords) and d.w.attrs["grid_mapping"] in d, d.w
        if "mapped" in path and "probes" in path:
            # The nearest centre is no more than half a cell away, 500 m.
            with xarray.open_dataset(path.replace("probes", "history_00000004.000")) as h:
                for name in "latitude", "longitude":
                    here, near = d["probe_" + name], h[name].sel(x=d.probe_x, y=d.probe_y, method="nearest")
                    assert here.size == 2 and abs(here - near).max() < 0.007, (here, near)
        if "grid" in d:
            g = d.grid.attrs
            assert g["topology_dimension"] == (3 if waves else 2), g
            for name, text in g.items():
                if name.endswith("_dimensions"):
                    for word in text.replace("(padding: none)", "").replace("(padding: high)", "").replace(":", "").split():
                        assert word in d.sizes or word.endswith("_f"), (name, word)

for path in sys.argv[1:]:
    try: check(path)
    except Exception as e: sys.exit(f"{path}: {e!r}")
PY

# VTK loads one set of dimensions at a time; each must become a grid in metres, not one wrapped onto a sphere, but where the file
# says by latitude and longitude that it lies there.
cat >"$work/read_vtk.py" <<'PY'
import sys
import netCDF4
from vtkmodules.vtkIONetCDF import vtkNetCDFCFReader
from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkFileOutputWindow
window = vtkFileOutputWindow()
window.SetFileName(sys.argv[1])
vtkOutputWindow.SetInstance(window)

def check(path):
    reader = vtkNetCDFCFReader()
    reader.SetFileName(path)
    reader.UpdateMetaData()
    sets = reader.GetAllDimensions()
    seen = set()
    for n in range(sets.GetNumberOfValues()):
        name = sets.GetValue(n)
        reader.SetDimensions(name)
        reader.Update()
        out = reader.GetOutputDataObject(0)
        arrays = out.GetPointData().GetNumberOfArrays() + out.GetCellData().GetNumberOfArrays()
        box = out.GetBounds()
        seen.add(name)
        if "y, x" in name or "y_f, x" in name:
            assert arrays > 0, (name, arrays)
            if "mapped" in path:
                assert "StructuredGrid" in out.GetClassName(), (name, out.GetClassName())
                continue
            assert "Rectilinear" in out.GetClassName() or "ImageData" in out.GetClassName(), (name, out.GetClassName())
            if "dft_point" not in path:
                assert box[1] - box[0] > (0.01 if "waves" in path else 1), (name, box)
    if "history" in path:
        assert any("y, x" in name for name in seen), seen
    if "dft_" in path and "native" not in path and "periodic" not in path:
        components_check(path, seen)

# All components of a monitor are one grid, whose ends the rectilinear type knows even across one cell.
def components_check(path, seen):
    assert seen == {"(z, y, x)"}, seen
    reader = vtkNetCDFCFReader()
    reader.SetFileName(path)
    reader.SetOutputTypeToRectilinear()
    reader.Update()
    out = reader.GetOutput()
    arrays = [out.GetPointData().GetArrayName(n) for n in range(out.GetPointData().GetNumberOfArrays())]
    assert sorted(arrays) == sorted(f + a + p for f in "EH" for a in "xyz" for p in ("_re", "_im")), arrays
    with netCDF4.Dataset(path) as d:
        ends = [d[a][e] for a in "xyz" for e in (0, -1)]
        assert all(abs(b - e) < 1e-9 for b, e in zip(out.GetBounds(), ends)), (out.GetBounds(), ends)
        last = out.GetPointData().GetArray("Ez_im")
        assert last.GetTuple1(last.GetNumberOfTuples() - 1) == d["Ez_im"][0, -1, -1, -1], path

for path in sys.argv[2:]:
    try: check(path)
    except Exception as e: sys.exit(f"{path}: {e!r}")
PY
vtk=
for p in "$python" /usr/bin/python3; do
    if "$p" -c 'from vtkmodules.vtkIONetCDF import vtkNetCDFCFReader' >/dev/null 2>&1; then vtk=$p && break; fi
done

if [ -n "${FILES:-}" ]; then
    cp -r "$FILES" "$work/given"
else
    : "${SFERIC:?the path of the binary under test}"
    moist_names
    water_names
    cell_bounds
    journal_read
    run_case "$work/centred" ""
    run_case "$work/packed" ", compression = 2, keep_bits = 12, frames_per_file = 2"
    run_case "$work/native" ", staggered = .true."
    for map in lambert polar_stereographic mercator latitude_longitude; do
        run_case "$work/mapped_$map" "/
&boundary west = 'wall', east = 'wall', south = 'wall', north = 'wall' /
&map projection = '$map', centre_latitude = 45, centre_longitude = 10"
    done
    run_waves "$work/waves" ""
    run_waves "$work/waves_all" ", fields = 'Ex', 'Ey', 'Ez', 'Hx', 'Hy', 'Hz', 'E_magnitude', 'Sx', 'medium'"
    run_waves "$work/waves_packed" ", compression = 2, keep_bits = 12, frames_per_file = 2"
    run_waves "$work/waves_native" ", staggered = .true."
    run_waves "$work/waves_periodic" ", staggered = .true." \
        "west = 'periodic', east = 'periodic', bottom = 'periodic', top = 'periodic', south = 'pec', north = 'pec'"
fi

files=()
while IFS= read -r -d '' file; do files+=("$file"); done < <(find "$work" \( -name 'history_*.nc' -o -name series.nc -o -name profiles.nc \
    -o -name probes.nc -o -name flux.nc -o -name 'dft_*.nc' \) -print0)
count=${#files[@]}
for file in "${files[@]}"; do
    name=${file#"$work/"}
    quiet "ncdump $name" ncdump "$file"
    # cdo knows no variable of four dimensions without time.
    if command -v cdo >/dev/null && [[ $name != */dft_* ]]; then quiet "cdo sinfo $name" cdo -s sinfo "$file"; fi
done
quiet "bounds" "$python" "$work/read_bounds.py" "${files[@]}"
quiet "xarray" "$python" "$work/read_xarray.py" "${files[@]}"
if [ -n "$vtk" ]; then
    quiet "VTK" "$vtk" "$work/read_vtk.py" "$work/vtk.log" "${files[@]}"
    if [ -s "$work/vtk.log" ]; then complain "VTK: not silent" "$work/vtk.log"; fi
fi

if [ $count = 0 ]; then
    echo "FAILED: there are no files"
    failed=1
fi
[ $failed = 0 ] && echo "$count files open"
exit $failed
