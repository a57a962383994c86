#!/bin/bash
# tools/sferic-prepare: made-up analyses whose air is known at every point, in each dialect and over wraps, poles and both directions of
# latitude; the analysis that the project has; what is warned of and what is refused, with exit codes.
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
prepare=$root/tools/sferic-prepare made=$root/tests/support_prepare.py
. "$root/tests/support_told.sh" prepare numpy netCDF4 eccodes
told() { told_by "$1" "$2" "$prepare" "${@:3}"; }

# map NAME LATITUDE LONGITUDE DX N MORE
map() {
    cat >"$1.nml" <<NML
! A comment with 'quotes' & more
&case name = '$1' title = "it's / not the end" /
&grid nx = $5, NY=$5
  nz = 30 dx = $4 dy = $4 dz = 500 origin_x = -12345.5d0 ! m
/
&time start = '2020-02-28 18:00:00' duration = 3600 /
&map centre_latitude = $2 centre_longitude = $3 $6 /
NML
}
lambert="projection = 'lambert' standard_parallels = 35, 60"
map europe 45 8 60e3 40 "$lambert"
map tilted 47 12 50e3 36 "$lambert central_meridian = -20"
map dateline 40 179 80e3 40 "projection = 'mercator'"
map polar 55 90 80e3 40 "projection = 'polar_stereographic' standard_parallels(1) = 60 central_meridian = 70"
map latitudes 40 15 60e3 40 "projection = 'latitude_longitude' standard_parallels = 35"
map pole 88 30 60e3 48 "projection = 'polar_stereographic'  standard_parallels = 2*75"

# ---- values -----------------------------------------------------------------------------------------------------------
holds formulas
holds make
told 0 'driver.nc: 40 x 40 columns, .*, 2 times from 2020-02-28 18:00:00 to 2020-02-29 00:00:00; the source has 17 levels' europe.nml --from era5.nc era5_single.nc -o era5
silent 'ERA5' 'sides stay as they are'
holds look era5
told 0 driver europe.nml --from thredds.nc -o thredds
holds look thredds
told 0 '2 times' tilted.nml --from lambert_0.grib2 lambert_1.grib2 -o grib
silent 'GRIB' 'sides stay as they are'
holds look grib
told 0 '% land' europe.nml --from wrfout.nc -o wrfout
holds look wrfout
told 0 driver europe.nml --from met_em.nc -o met_em
holds look met_em
for n in dateline polar latitudes pole; do
    told 0 driver "$n.nml" --from round.nc -o "$n"
    holds look "$n"
done
told 0 driver latitudes.nml --from round.nc --terrain relief.nc -o latitudes_fine
checks=$((checks + 1))
PYTHONPATH=$root/tools "$python" -B - >out.txt 2>&1 <<'END' || fail "a box is as high on the Earth as its cell: $(cat out.txt)"
import sys
import numpy as np
from sferic_prepare.projection import Projection
p = Projection.__new__(Projection)
p.kind = "latitude_longitude"
sys.exit(not np.all(p.factor_y(np.array([0.0, 60.0])) == 1))
END
told 0 'terrain.nc: .* at most 2[0-9] m off' europe.nml --from era5.nc era5_single.nc --terrain relief.nc -o fine
holds look fine
ncdump -h fine/driver.nc >out.txt
for text in 'int crs' 'latitude_of_projection_origin = 45' 'temperature(time, z, y, x)' 'u:grid_mapping = "crs"' 'history = .*--terrain relief.nc' 'source_sha256' 'land_fraction(y, x)'; do
    checks=$((checks + 1))
    grep -q "$text" out.txt || fail "driver.nc lacks $text"
done
checks=$((checks + 1))
[ "$(ls fine)" = "driver.nc
sounding.txt
surface.nc
terrain.nc" ] || fail "other files: $(ls fine)"

# ---- the analysis that the project has --------------------------------------------------------------------------------
florence=$root/namelists/florence_2018
told 0 'the source has 19 levels' "$florence/florence_2018.nml" --from "$florence"/nam.*.grib2 --terrain "$florence/etopo5.nc" -o florence
holds low florence

# ---- what is warned of ------------------------------------------------------------------------------------------------
holds faults
sed 's/60e3/40e3/; s/40, NY=40/30, NY=30/' europe.nml >small.nml
told 0 'driver' small.nml --from bad_good.nc
checks=$((checks + 1))
[ -s driver.nc ] || fail 'not beside the namelist'
told 0 'warning: .*a layer above 850 hPa is up to .* % thicker or thinner' small.nml --from bad_thick.nc
told 0 'warning: raised.nc: its terrain at column .* m high and the source.s' small.nml --from bad_good.nc --terrain raised.nc
grep -v '&time' small.nml >other_1.nml
told 0 'warning: .* source begins at 2020-02-28 18:00:00' other_1.nml --from bad_good.nc -o other
told 0 'surface.nc: .* 28[0-9.]* to 28[0-9.]* K' small.nml --from bad_sea.nc -o sea
silent 'a sea' 'sides stay as they are'
holds look sea
told 0 driver small.nml --from bad_moist_below.nc -o moist_below
holds moist moist_below
told 0 'warning: .*pressure at sea level is 5.* hPa rms off' small.nml --from bad_heavy.nc -o heavy
told 0 'warning: .*does not say what is land' small.nml --from bad_good.nc
told 0 'warning: the source has no temperature of the ground' small.nml --from bad_good.nc
sed 's/dz = 500/dz = 600/' small.nml >other_2.nml
told 0 'warning: the lid at 18.0 km' other_2.nml --from bad_good.nc -o other
holds above other
for n in raised buried; do told 0 driver small.nml --from "bad_$n.nc" -o "$n"; done
holds same raised/driver.nc buried/driver.nc

# ---- what is refused --------------------------------------------------------------------------------------------------
told 4 'the domain, latitudes .* does not lie inside the source, latitudes 33 to 60, longitudes -10 to 29' europe.nml --from bad_good.nc
told 4 'does not lie inside the source, lambert from' dateline.nml --from lambert_0.grib2
told 4 '9 levels have height, temperature and wind; a start wants 10' small.nml --from bad_few_levels.nc
told 4 'levels of pressure_level are not sorted' small.nml --from bad_unsorted.nc
told 4 'levels are not sorted: 925 hPa lies below' small.nml --from bad_sunk.nc
told 4 'temperature at 925 hPa, 2020-02-28 18:00:00: 140 K is not within 150 to 340' small.nml --from bad_cold.nc
told 4 'temperature at 925 hPa, .*: 350 K' small.nml --from bad_hot.nc
told 4 'vapour at 925 hPa, .*: 0.05.* kg/kg is not within 0 to 0.04' small.nml --from bad_wet.nc
told 4 'vapour at 925 hPa, .*: -0.0009.* kg/kg' small.nml --from bad_negative.nc
told 4 'u at 925 hPa, .*: -160 m/s is not within -150 to 150' small.nml --from bad_fast.nc
told 4 'v at 925 hPa, .*: 1 cells of the domain are masked' small.nml --from bad_masked.nc
told 4 'terrain, .*: 1 cells of the domain are masked' small.nml --from bad_masked_ground.nc
told 4 't has no units' small.nml --from bad_no_units.nc
told 4 "t is in 'F'; units that are known for it: 'K'" small.nml --from bad_other_units.nc
told 4 'times are not increasing: 2020-02-28 18:00:00 follows 2020-02-29 00:00:00' small.nml --from bad_times_back.nc
told 4 'times are not increasing: .* in the order of their times' tilted.nml --from lambert_1.grib2 lambert_0.grib2
told 4 'is there twice' tilted.nml --from lambert_0.grib2 lambert_0.grib2
told 4 'lies on another grid than' tilted.nml --from lambert_0.grib2 era5.nc
told 4 'z has 2 of .number.: give a file of one' small.nml --from bad_members.nc
told 4 'the source has no v on levels' small.nml --from bad_no_wind.nc
told 4 'neither specific nor relative humidity' small.nml --from bad_dry.nc
told 4 'the source has no terrain: give --terrain' small.nml --from bad_no_terrain.nc
told 4 'm high and the source.s .* more than 1500 m apart' small.nml --from bad_good.nc --terrain high.nc
told 4 'no variable of latitude and longitude' small.nml --from bad_good.nc --terrain thredds.nc
told 4 'nowhere.nc: no such file' small.nml --from nowhere.nc
told 4 'small.nml: neither GRIB nor netCDF' small.nml --from small.nml
head -c 300000 lambert_0.grib2 >torn.grib2
told 4 'torn.grib2: damaged GRIB' tilted.nml --from torn.grib2
told 4 'nowhere.nml: No such file' nowhere.nml --from bad_good.nc
grep -v '&map' small.nml >plane.nml
told 3 'plane.nml: &map projection is .none.' plane.nml --from bad_good.nc
sed 's/centre_latitude = 45//' small.nml >other_3.nml
told 3 'lacks centre_latitude or centre_longitude' other_3.nml --from bad_good.nc
sed 's/nz = 30/nz = 30 size_x = 30*4e4/' small.nml >other_4.nml
told 3 'size_x makes columns of several sizes' other_4.nml --from bad_good.nc
sed 's/nz = 30/nz = 30 = 4/' small.nml >other_5.nml
told 3 ':4: not what a namelist holds' other_5.nml --from bad_good.nc
told 2 'the following arguments are required: --from' small.nml
touch file
told 6 'cannot write file/terrain.nc' small.nml --from bad_good.nc -o file
ended
