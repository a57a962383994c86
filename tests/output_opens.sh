#!/bin/bash
# Runs a small case in each form of output and opens every file with the tools that users have: ncdump, cdo, xarray and
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

python=
for p in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3 /usr/local/bin/python3; do
    if "$p" -c 'import xarray, netCDF4' >/dev/null 2>&1; then python=$p && break; fi
done
[ -n "$python" ] || { echo "no python3 has xarray and netCDF4: install python3-xarray python3-netcdf4"; exit 1; }

cat >"$work/read_xarray.py" <<'PY'
import sys, warnings
warnings.simplefilter("error")
import numpy, xarray
with xarray.open_dataset(sys.argv[1]) as d:
    assert d.sizes["time"] >= 1 and d.attrs["Conventions"].startswith("CF-1.11"), d
    names = [n.lower() for n in d.variables]
    assert len(set(names)) == len(names), names
    for name, v in d.variables.items():
        values = v.values
        assert values.size and (values.dtype.kind not in "fc" or numpy.isfinite(values).all()), name
PY

# VTK loads one set of dimensions at a time; each must become a grid in metres, not one wrapped onto a sphere.
cat >"$work/read_vtk.py" <<'PY'
import sys
from vtkmodules.vtkIONetCDF import vtkNetCDFCFReader
from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkFileOutputWindow
window = vtkFileOutputWindow()
window.SetFileName(sys.argv[2])
vtkOutputWindow.SetInstance(window)
reader = vtkNetCDFCFReader()
reader.SetFileName(sys.argv[1])
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
        assert "Rectilinear" in out.GetClassName() or "ImageData" in out.GetClassName(), (name, out.GetClassName())
        assert box[1] - box[0] > 1, (name, box)
if "history" in sys.argv[1]:
    assert any("y, x" in name for name in seen), seen
PY
vtk=
for p in "$python" /usr/bin/python3; do
    if "$p" -c 'from vtkmodules.vtkIONetCDF import vtkNetCDFCFReader' >/dev/null 2>&1; then vtk=$p && break; fi
done

if [ -n "${FILES:-}" ]; then
    cp -r "$FILES" "$work/given"
else
    : "${SFERIC:?the path of the binary under test}"
    run_case "$work/centred" ""
    run_case "$work/packed" ", compression = 2, keep_bits = 12, frames_per_file = 2"
    run_case "$work/native" ", staggered = .true."
fi

count=0
while IFS= read -r -d '' file; do
    name=${file#"$work/"}
    count=$((count + 1))
    quiet "ncdump $name" ncdump "$file"
    quiet "xarray $name" "$python" "$work/read_xarray.py" "$file"
    if command -v cdo >/dev/null; then quiet "cdo sinfo $name" cdo -s sinfo "$file"; fi
    if [ -n "$vtk" ]; then
        rm -f "$work/vtk.log"
        quiet "VTK $name" "$vtk" "$work/read_vtk.py" "$file" "$work/vtk.log"
        if [ -s "$work/vtk.log" ]; then complain "VTK $name: not silent" "$work/vtk.log"; fi
    fi
done < <(find "$work" \( -name 'history_*.nc' -o -name series.nc -o -name profiles.nc -o -name probes.nc \) -print0)

if [ $count = 0 ]; then
    echo "FAILED: there are no files"
    failed=1
fi
[ $failed = 0 ] && echo "$count files open"
exit $failed
