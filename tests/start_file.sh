#!/bin/bash
# A run that starts from a file: a history of another run, to the bit; the recipe of docs/guide.md on every cut; what is told; what is
# refused, with its message and exit code; checkpoints that know the file. `SFERIC=binary tests/start_file.sh`
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
: "${SFERIC:?the path of the binary under test}"
SFERIC=$(realpath "$SFERIC")
guide=$(realpath "${BASH_SOURCE[0]%/*}/../docs/guide.md")
# shellcheck source=tests/support_find_python.sh
. "${BASH_SOURCE[0]%/*}/support_find_python.sh" xarray netCDF4
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_start_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
fail() { echo "$*"; wrong=$((wrong + 1)); }
# digest OUT CASE ARGUMENT...: of the run's end
digest() {
    local out=$1
    shift
    "$SFERIC" run "$@" --out "$out" -q --force >said.txt 2>&1 || cat said.txt >&2
    sed -n 's/^digest //p' said.txt
}
same() { # WHAT A B
    [ -n "$2" ] && [ "$2" = "$3" ] || fail "$1: $2, not $3"
}

# ---- a history is the state -------------------------------------------------------------------------------------------
cat >first.nml <<'NML'
&case name = 'first' /
&grid nx = 20 ny = 9 nz = 12 dx = 500 dy = 500 dz = 400 translation_u = 3.3 translation_v = -1.1 /
&time duration = 60 dt = 3 output_interval = 30 /
&dynamics tracers = 2 /
&water scheme = 'kessler' /
&base profile = 'weisman_klemp' wind = 'shear' wind_u = 5 wind_u_top = 20 shear_top = 3000 /
&initial shape = 'cosine' amplitude = 3 x = 5000 y = 2500 z = 1500 radius_x = 2000 radius_y = 2000 radius_z = 1200 /
&initial shape = 'cosine' variable = 'tracer' tracer = 2 amplitude = 1 x = 6000 y = 2500 z = 1500 radius_x = 2000 radius_y = 2000 radius_z = 1200 /
&initial shape = 'cosine' variable = 'cloud' amplitude = 2e-3 x = 6000 y = 2500 z = 1500 radius_x = 2000 radius_y = 2000 radius_z = 1200 /
&output staggered = .true. /
NML
grep -v '^&initial' first.nml | sed 's/first/next/' >next.nml
echo "&initial file = 'out/history_00000060.000.nc' /" >>next.nml
sides=(--set "boundary%west='wall'" --set "boundary%east='wall'" --set "boundary%south='open'" --set "boundary%north='open'")
for n in periodic sides; do # of a scheme without rain, whose map on the ground begins anew
    more=(--set "water%scheme='saturation'")
    [ $n = periodic ] || more+=("${sides[@]}")
    first=$(digest out first.nml "${more[@]}")
    same "a staggered history ($n)" "$(digest again next.nml "${more[@]}" --set time%duration=0)" "$first"
done
# A run that goes on: water is held from the start of each run, and so is the mass where a side is open.
dry=(--set "water%scheme='none'" --set "base%profile='constant_n'")
first=$(digest out first.nml "${dry[@]}" --set 'initial%variable(3)=theta' --set time%duration=120)
same 'a run from a history goes on as the first' "$(digest again next.nml "${dry[@]}")" "$first"
same 'and has the namelist that goes again' "$(digest twice again/namelist.nml)" "$first"
digest centred first.nml --set output%staggered=.false. >/dev/null
digest again next.nml --set initial%file=centred/history_00000060.000.nc --set output%staggered=.false. --set time%duration=0 >/dev/null
cat >centred.py <<'PY'
import netCDF4
a, b = netCDF4.Dataset("centred/history_00000060.000.nc"), netCDF4.Dataset("again/history_00000000.000.nc")
for name in "theta_p pi_p qv qc qr q1 q2".split():
    assert (a[name][-1] == b[name][0]).all() and a[name][-1].any() == (name not in ("q1",)), name
u, found = a["u"][-1].astype(float), b["u"][0].astype(float)
roll = lambda q, n: __import__("numpy").roll(q, n, 2)
assert abs(found - (roll(u, 1) + 2 * u + roll(u, -1)) / 4).max() < 1e-5, "u"
PY
"$python" centred.py || fail 'a history at centres gives other scalars, or winds that are no means'

# Over terrain a history says at what heights its levels lie; one that does not is no start.
hills=(--set "terrain%shape='bell'" --set terrain%height=400 --set terrain%half_width=1500 --set terrain%x=5000 --set terrain%y=2250
    --set grid%translation_u=0 --set grid%translation_v=0 --set output%staggered=.false.)
digest over first.nml "${dry[@]}" "${hills[@]}" --set 'initial%variable(3)=theta' >/dev/null
digest again next.nml "${dry[@]}" "${hills[@]}" --set initial%file=over/history_00000060.000.nc --set time%duration=0 >/dev/null
cat >over.py <<'PY'
import netCDF4
a, b = netCDF4.Dataset("over/history_00000060.000.nc"), netCDF4.Dataset("again/history_00000000.000.nc")
assert a["z"].heights == "height" and "standard_name" not in a["z"].ncattrs() and a["height"].units == "m"
assert abs(a["height"][-1, 0] - a["z"][0]).max() > 200
for name, most in (("theta_p", 2e-5), ("pi_p", 1e-7), ("q2", 1e-6)):
    away = abs(a[name][-1].astype(float) - b[name][0]).max()
    assert away <= most and a[name][-1].any(), f"{name}: {away}"
PY
"$python" over.py || fail 'a start from a history over terrain differs from it'
digest over first.nml "${dry[@]}" "${hills[@]}" --set 'initial%variable(3)=theta' --set "output%fields='theta_p','u'" >/dev/null
"$SFERIC" check next.nml "${dry[@]}" "${hills[@]}" --set initial%file=over/history_00000060.000.nc >said.txt 2>&1
[ $? = 4 ] && grep -q 'levels of u follow the ground, and the file lacks height' said.txt || fail "a history without heights: $(cat said.txt)"

# ---- the recipe -------------------------------------------------------------------------------------------------------
sed -n '/^    import numpy as np, xarray/,/to_netcdf("start.nc")/s/^    //p' "$guide" >recipe.py
[ "$(wc -l <recipe.py)" = 10 ] || fail 'the recipe of the guide has not ten lines'
"$python" recipe.py || fail 'the recipe of the guide fails'
{ echo "&case name = 'recipe' /"; sed -n '/^and this starts from it/,/^A history file/s/^    &/\&/p' "$guide"; } >recipe.nml
mkdir far
(cd far && "$SFERIC" check ../recipe.nml >../check.txt 2>&1) || fail "check: $(cat check.txt)"
for words in 'initial: file ../start.nc' 'along straight lines: u, theta, q1' 'as the namelist has it: v, w, pressure'; do
    grep -qF "$words" check.txt || fail "check does not tell '$words': $(cat check.txt)"
done
one=$(digest recipe recipe.nml)
cat >recipe_look.py <<'PY'
import numpy, xarray
d, s = xarray.open_dataset("recipe/history_00000000.000.nc", decode_times=False), xarray.open_dataset("start.nc")
line = lambda q: numpy.moveaxis(numpy.apply_along_axis(lambda c: numpy.interp(d.z.values, s.z.values, c), 0, q), 0, 0)
theta = d.theta_p[0].values.astype(float) + d.theta_0.values[:, None, None]
assert abs(theta - line(s.theta.values)).max() < 1e-4
assert abs(d.q1[0].values - line(s.q1.values)).max() < 1e-6
assert abs(d.u[0].values - numpy.interp(d.z.values, s.z.values, s.u.values)[:, None, None]).max() < 1e-5
PY
"$python" recipe_look.py || fail 'the recipe begins with something else'
for n in 2 4; do
    if command -v mpirun >/dev/null && "$SFERIC" --version | grep -q MPI; then
        mpirun -n $n "$SFERIC" run recipe.nml --out ranks -q --force >said.txt 2>&1 || cat said.txt
        same "$n ranks" "$(sed -n 's/^digest //p' said.txt)" "$one"
    fi
done
same 'windows of four rows' "$(digest recipe recipe.nml --set pipeline%window_rows=4 --set pipeline%steps_per_pass=3)" "$one"

# ---- checkpoints ------------------------------------------------------------------------------------------------------
"$SFERIC" run recipe.nml --out stopped -q --stop-after-steps 9 >said.txt 2>&1
[ $? = 75 ] || fail "not stopped: $(cat said.txt)"
cmp -s start.nc stopped/input/start.nc || fail 'no copy of the file beside the output'
cp -r stopped other
mkdir moved && cp start.nc moved/same.nc
same 'a restart, the file elsewhere' "$("$SFERIC" run recipe.nml --out stopped -q --restart auto --set initial%file=moved/same.nc 2>&1 | sed -n 's/^digest //p')" "$one"
"$python" -c 'import netCDF4; d = netCDF4.Dataset("moved/same.nc", "a"); d["u"][3] = 5'
"$SFERIC" run recipe.nml --out other -q --restart auto --set initial%file=moved/same.nc >said.txt 2>&1
[ $? = 8 ] || fail "a checkpoint of another file was taken: $(cat said.txt)"

# ---- what is refused --------------------------------------------------------------------------------------------------
cat >bad.nml <<'NML'
&case name = 'bad' /
&grid nx = 6 ny = 5 nz = 4 dx = 1000 dy = 1000 dz = 500 /
&time duration = 10 dt = 5 /
&base profile = 'constant_n' /
NML
cat >bad.py <<'PY'
"""bad_NAME.nc: files with a fault each."""
import numpy as np, xarray as xr

x, y, z = 1000 * (np.arange(6) + 0.5), 1000 * (np.arange(5) + 0.5), np.array([100, 600, 1400, 1900.0])
ones, metres = np.ones((4, 5, 6)), {"units": "m"}
axes = {"z": ("z", z, metres), "y": ("y", y, metres), "x": ("x", x, metres)}
zyx = ("z", "y", "x")

heights = np.broadcast_to(z[:, None, None], ones.shape)

def make(fields, **other):
    d = xr.Dataset(coords={k: v for k, v in {**axes, **other}.items() if v is not None})
    for name, (dims, values, unit) in fields.items():
        d[name] = dims, values, {"units": unit} if unit is not None else {}
    return d

def at(value, k=2, j=3, i=4):
    q = ones.copy()
    q[k, j, i] = value
    return q

faults = {
    "unit": lambda: make({"theta": (zyx, 300 * ones, "F")}),
    "difference": lambda: make({"theta_p": (zyx, ones, "degC")}),
    "knots": lambda: make({"u": (zyx, ones, "knots")}),
    "tracer_unit": lambda: make({"q1": (zyx, ones, "ug m-3")}),
    "nan": lambda: make({"u": (zyx, at(np.nan), "m s-1")}),
    "infinite": lambda: make({"u": (zyx, at(np.inf), "m s-1")}),
    "fill": lambda: make({"u": (zyx, at(-99), "m s-1")}),
    "zero": lambda: make({"theta": (zyx, 300 * at(0), "K")}),
    "cold": lambda: make({"theta": (zyx, 10 * ones, None)}),
    "negative": lambda: make({"qv": (zyx, 1e-3 * at(-2), "kg kg-1")}),
    "damp": lambda: make({"qv": (zyx, 0.005 * at(5), "kg kg-1"), "theta": (zyx, 300 * ones, "K")}),
    "steam": lambda: make({"qv": (zyx, 0.01 * at(8), "kg kg-1"), "theta": (zyx, 360 * ones, "K")}),
    "grams": lambda: make({"qv": (zyx, 14 * ones, None)}),
    "pressure": lambda: make({"pressure": (zyx, 1e5 * at(-1), "Pa")}),
    "fast": lambda: make({"u": (zyx, 600 * ones, "m s-1")}),
    "columns": lambda: make({"u": (zyx, np.ones((4, 5, 7)), "m s-1")}, x=("x", 1000 * (np.arange(7) + 0.5), metres)),
    "rows": lambda: make({"q1": (zyx, np.ones((4, 6, 6)), "1")}, y=("y", 1000 * (np.arange(6) + 0.5), metres)),
    "shifted": lambda: make({"u": (zyx, ones, "m s-1")}, x=("x", x + 400, metres)),
    "degrees": lambda: make({"u": (zyx, ones, "m s-1")}, x=("x", x, {"units": "degrees_east"})),
    "pascals": lambda: make({"u": (zyx, ones, "m s-1")}, z=("z", z, {"units": "hPa"})),
    "depth": lambda: make({"u": (zyx, ones, "m s-1")}, z=("z", z, {"units": "m", "positive": "down"})),
    "twice": lambda: make({"u": (zyx, ones, "m s-1")}, z=("z", np.array([100, 600, 600, 1900.0]), metres)),
    "levels": lambda: make({"u": (zyx, np.ones((3, 5, 6)), "m s-1")}, z=None),
    "order": lambda: make({"u": (("x", "y", "z"), np.ones((6, 5, 4)), "m s-1")}),
    "flat": lambda: make({"theta": (("y", "x"), 300 * ones[0], "K")}),
    "foreign": lambda: make({"u": (("z", "cell"), np.ones((4, 30)), "m s-1")}),
    "five": lambda: make({"u": (("member", "time", "z", "y", "x"), np.ones((1, 1, 4, 5, 6)), "m s-1")}),
    "nothing": lambda: make({"cloud_cover": (zyx, ones, "1"), "ice": (zyx, ones, "1")}),
    "times": lambda: make({"u": (("time",) + zyx, np.ones((2, 4, 5, 6)), "m s-1")}, time=("time", [0.0, 60.0], {"units": "s"})),
    "no_time": lambda: make({"u": (("time",) + zyx, np.ones((0, 4, 5, 6)), "m s-1")}),
    "base": lambda: make({"theta_p": (zyx, ones, "K"), "theta_0": (("z",), np.full(4, 280.0), "K")}),
    "faces": lambda: make({"u": (("z", "y", "x_f"), ones, "m s-1")}, x_f=("x_f", x + 250, metres)),
    "faces_beyond": lambda: make({"u": (("z", "y", "x_f"), np.ones((4, 5, 7)), "m s-1")}, x_f=("x_f", 1000 * np.arange(7) + 250.0, metres)),
    "turning": lambda: make({"u": (zyx, ones, "m s-1"), "height": (zyx, heights * at(0.1), "m")}),
    "feet": lambda: make({"u": (zyx, ones, "m s-1"), "height": (zyx, heights, "feet")}),
    "low": lambda: make({"u": (zyx, ones, "m s-1"), "height": (zyx, heights / 4, "m")}),
    "over": lambda: make({"u": (zyx, ones, "m s-1")}, z=("z", z, {"units": "m", "heights": "height"})),
    "driver": lambda: make({"u": (zyx, ones, "m s-1"), "v": (zyx, ones, "m s-1"), "theta": (zyx, 300 * ones, "K"),
                            "pressure": (zyx, (1e5 - 10 * heights), "Pa")}),
    "extra": lambda: make({"u": (zyx, ones, "m s-1"), "ice": (zyx, ones, "1"), "q3": (zyx, ones, "1"), "qv": (zyx, ones, "1"),
                           "theta": (zyx, 300 * ones, "K"), "theta_p": (zyx, ones, "K")}),
}
for fault, d in faults.items():
    coding = {"u": {"_FillValue": -99.0}} if fault == "fill" else {}
    d().to_netcdf(f"bad_{fault}.nc", encoding=coding, unlimited_dims=["time"] if fault == "no_time" else None)
PY
"$python" bad.py || fail 'no files with faults'
# told CODE WORDS FAULT ARGUMENT...: of check
told() {
    local code=$1 words=$2 fault=$3 rc
    shift 3
    "$SFERIC" check bad.nml --set initial%file=bad_"$fault".nc "$@" >said.txt 2>&1
    rc=$?
    [ $rc = "$code" ] && grep -qF -- "$words" said.txt || fail "$fault: exit code $rc, not $code with '$words': $(cat said.txt)"
}
told 4 "theta is in 'F'; units that are known for it: 'K'" unit
told 4 "theta_p is in 'degC'" difference
told 4 "u is in 'knots'" knots
told 4 "q1 is in 'ug m-3'" tracer_unit --set dynamics%tracers=1
told 4 'u has no value at z 2, y 3, x 4 (from 0): nan' nan
told 4 'u has no value at z 2, y 3, x 4 (from 0): inf' infinite
told 4 'u has no value at z 2, y 3, x 4 (from 0): -99' fill
told 4 'no air has the theta that stands at z 2, y 3, x 4 (from 0): 0' zero
told 3 'this model'"'"'s air is a gas of 20 to 2000 K' cold
told 4 'no air has the qv that stands at z 2, y 3, x 4 (from 0): -0.002' negative --set "water%scheme='kessler'"
told 0 'beyond saturation at 2 of 120 cells, most at x = 4500 m, y = 3500 m, z = 1250 m: relative humidity 1' damp --set "water%scheme='kessler'"
told 0 'the air at x = 4500 m, y = 3500 m, z = 1250 m has 67 g/kg' steam --set "water%scheme='kessler'"
told 4 'no air has the qv that stands at z 0, y 4, x 0 (from 0): 14 kg/kg; are its units g kg-1?' grams --set "water%scheme='kessler'"
told 4 'no air has the pressure that stands at z 2, y 3, x 4 (from 0): -100000' pressure
told 3 'the first step of 5 s would blow up: the wind at the start crosses 0.6 cells a second' fast
told 4 'u has 7 values along x, and this run 6 cells, or 6 faces (&grid nx)' columns
told 4 'q1 has 6 values along y, and this run 5 cells (&grid ny); what is the same all along y needs no such dimension' rows --set dynamics%tracers=1
told 4 'value 0 (from 0) of u lies at x = 900 m, and column 0 of this run at 500 m' shifted
told 4 "its coordinate x is in 'degrees_east', and lengths in m or km are wanted" degrees
told 4 "its coordinate z is in 'hPa'" pascals
told 4 'its coordinate z is positive downward, and heights are wanted' depth
told 4 'heights of u go neither up nor down throughout: 600 m follows 600 m' twice
told 4 'u has 3 levels and does not say where' levels
told 4 'height goes neither up nor down throughout at y 3, x 4 (from 0): 140 m follows 600 m' turning
told 4 "height is in 'feet'; units that are known for it: 'm'" feet
told 0 'base state): u at some' low
told 0 'base state): u at some' low --set "terrain%shape='ridge'" --set terrain%height=50 --set terrain%half_width=2000
told 4 'levels of u follow the ground, and the file lacks height, which says where they lie' over
told 4 'it is u(x, y, z); u(z, y, x) is wanted, x varying fastest: turn it: ncpdq -a z,y,x' order
told 4 'theta has no dimension along z' flat
told 4 'nothing tells whether cell is along z, y or x' foreign
told 4 'it has 5 dimensions; (time, z, y, x) is the most' five
told 4 'holds nothing that a start takes, such as theta, u, v, w or qv; it holds: cloud_cover, ice' nothing
told 4 'has no time 30: it has 2, from 0 to 60' times --set initial%file_time=30
told 4 'has no time in it: time has the length 0' no_time
told 4 'theta_p is a departure from a base state whose theta_0 is 280 at 250 m' base
told 4 'value 0 (from 0) of u lies at x = 750 m, and column 0 of this run at 500 m' faces
told 4 'u has 7 values along x, as the run has faces, but not where those are: 250 m, not 0 m' faces_beyond --set "boundary%west='wall'" --set "boundary%east='wall'"
told 0 'initial: not taken: theta (theta_p is taken), qv (the air is dry), q3 (there are fewer tracers), ice' extra
told 3 'the file has the atmosphere, as theta_p: leave atmosphere out' extra --set "initial%atmosphere='isothermal'"
told 0 'the file has theta_p and no pressure, which begins as that of the base state' extra
# What a file that leads the sides makes idle.
lead=(--set driver%file=bad_driver.nc --set driver%rows=2 --set dynamics%tracers=1)
for side in west east south north; do lead+=(--set "boundary%$side='open'"); done
told 0 'driver: file ./bad_driver.nc' driver "${lead[@]}"
! grep -q 'changes nothing' said.txt || fail "a key that nobody set is told: $(cat said.txt)"
told 0 'open_relax_time changes nothing here: the file of &driver leads the air at open sides' driver "${lead[@]}" --set dynamics%open_relax_time=300
told 0 'open_inflow_time changes nothing here: the file of &driver leads the air at open sides' driver "${lead[@]}" --set dynamics%open_inflow_time=300
told 0 'tracer_inflow changes nothing here: the file of &driver leads the air at open sides' driver "${lead[@]}" --set boundary%tracer_inflow=1
# One file of a start and of its sides is kept once, and the namelist beside it runs again.
led=$(digest both bad.nml --set initial%file=bad_driver.nc "${lead[@]}")
[ "$(ls both/input)" = bad_driver.nc ] || fail "kept: $(ls both/input)"
same 'a start and sides of one file that was kept' "$(digest once_more both/namelist.nml)" "$led"
"$SFERIC" check bad.nml --set initial%file_time=30 >said.txt 2>&1
grep -q 'there is no file whose time this could be' said.txt && ! grep -q 'changes nothing' said.txt || fail "a time without a file: $(cat said.txt)"
"$SFERIC" check bad.nml --set initial%file=nowhere.nc >said.txt 2>&1
[ $? = 4 ] && grep -q "file 'nowhere.nc' not found; looked for" said.txt && grep -q '^--set:1:14: error' said.txt || fail "a missing file: $(cat said.txt)"
echo 'no netCDF' >bad.nc
"$SFERIC" check bad.nml --set initial%file=bad.nc >said.txt 2>&1
[ $? = 4 ] && grep -q "cannot read '.*bad.nc'" said.txt || fail "no netCDF: $(cat said.txt)"
echo "$wrong wrong"
[ "$wrong" = 0 ]
