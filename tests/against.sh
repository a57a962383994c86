#!/bin/bash
# tools/sferic-against: made-up output of runs on a map whose values are known at every point, each quantity by value; lows; bias and rms
# by hand; what is refused, with exit codes. And the weather map that tools/sferic-plot draws of such output.
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
against=$root/tools/sferic-against plot=$root/tools/sferic-plot made=$root/tests/support_against.py
. "$root/tests/support_told.sh" against numpy netCDF4 xarray matplotlib.pyplot matplotlib.backends.backend_agg sferic_plot.main
# Nothing is doubtful where nothing is wrong.
told() {
    told_by "$@"
    [ "$1" = 0 ] && [ -s err.txt ] && fail "says something on stderr: $*"
}
# line TEXT: an observation alone
line() { printf '# one\n\n%s\n' "$1" >line.txt; }

holds formulas
holds make

# ---- values -----------------------------------------------------------------------------------------------------------
told 0 '^here +2018-09-17 01:30 +pressure_msl +hPa +1000.00 +1010.13 +[+]10.13 +1009.59 +[+]9.59$' "$against" hilly all.txt --json all.json
holds exact all.json
told 0 '^x .* wind_direction +degrees +10.00 +323.13 +-46.87' "$against" flat wind.txt --json wind.json
holds value wind.json 0 forecast 323.1301 0.001 # 3 m/s along x, -4 along y, where y is north
holds value wind.json 1 forecast 326.1715 0.02  # 5 degrees east of there, where it is 5 sin(37.5 degrees) or so east of north
told 0 '^storm .* low_place +km +35.71N 84.16W +35.71N 83.94W +20 +34.69N 86.31W +226$' "$against" low low.txt --json low.json
holds value low.json 0 difference 0 1
holds value low.json 2 difference 20.1 1
holds value low.json 2 persistence_difference 225.6 1.5
holds value low.json 3 forecast 989 0.01
holds value low.json 3 persistence 995 0.01
holds value low.json 4 difference 0 1
holds value low.json 5 forecast 993.5 0.01
# Pressures are 0, -1 and -1 hPa off, those of persistence 0, 5 and 0.5.
holds score low.json low_pressure count 3 0
holds score low.json low_pressure bias -0.66667 0.005
holds score low.json low_pressure rms 0.81650 0.005
holds score low.json low_pressure persistence_bias 1.83333 0.005
holds score low.json low_pressure persistence_rms 2.90115 0.005
told 0 '^low_place +km +1 ' "$against" low once.txt --json once.json # it begins 361 km from where it was observed in the end
holds value once.json 1 observed 989 1e-9
holds value once.json 0 forecast 35.71 0.01 0
holds value once.json 0 forecast -83.94 0.01 1

# ---- the weather map --------------------------------------------------------------------------------------------------
told 0 'low/m.png: rain 0 to ' "$plot" low --var weather_map --dpi 50 -o low/m.png
told 0 'low/low.png: .*rain 0 to ' "$plot" low --dpi 40
told 2 "no picture 'weather_map': it takes latitude and longitude" "$plot" plane --var weather_map

# ---- what is refused --------------------------------------------------------------------------------------------------
where=$(sed -n 's/^here \([0-9.]* [-0-9.]*\) .*/\1/p' all.txt | head -n 1)
line "here $where 2018-09-17 pressure 1000"
told 4 "line.txt:3: no quantity 'pressure' .did you mean 'pressure_msl'\?.; there are pressure_msl, temperature" "$against" hilly line.txt
line "here $where 2018-09-17 rain 3 Pa"
told 4 "line.txt:3: rain in 'Pa': its units are mm, cm, in" "$against" hilly line.txt
line "here $where 2018-09-17 rain"
told 4 'line.txt:3: 5 words, not station' "$against" hilly line.txt
line "here $where 2018-09-17 rain 3 mm or so"
told 4 'line.txt:3: 9 words, not station' "$against" hilly line.txt
line "here north -83 2018-09-17 rain 3"
told 4 "line.txt:3: latitude 'north' is not a number" "$against" hilly line.txt
line "here 91 -83 2018-09-17 rain 3"
told 4 'line.txt:3: latitude 91 is not within -90 to 90' "$against" hilly line.txt
line "here $where yesterday rain 3"
told 4 "line.txt:3: 'yesterday' is not a time such as 2018" "$against" hilly line.txt
line "here $where 2018-09-17 rain nan"
told 4 'line.txt:3: rain nan is not within' "$against" hilly line.txt
line "here $where 2018-09-17 pressure_msl 1012 Pa"
told 4 'line.txt:3: pressure_msl 1012 Pa is not within 850 to 1100 hPa' "$against" hilly line.txt
line "Paris 48.9 2.4 2018-09-17 rain 3"
told 4 'line.txt:3: Paris at 48.9 2.4 lies outside of the domain of hilly' "$against" hilly line.txt
line "here $where 2018-09-17T06:30 rain 3"
told 4 'line.txt:3: 2018-09-17 06:30:00 is outside of the run in hilly, 2018-09-17 00:00:00 to 2018-09-17 06:00:00' "$against" hilly line.txt
line "here $where 2018-09-16T23:59 rain 3"
told 4 'line.txt:3: .* is outside of the run' "$against" hilly line.txt
line "here $where 2018-09-17 temperature 10"
told 4 'line.txt:3: temperature takes temperature_2m, which the history in few has not' "$against" few line.txt
line "here $where 2018-09-17 low 1000"
told 4 'line.txt:3: low takes pi_p and theta_p' "$against" few line.txt
told 4 'line.txt:3: none has no low within 600 km of where here was before, at 2018-09-17 00:00:00' "$against" none line.txt
told 4 'lies on no map of the Earth: give &map projection' "$against" plane line.txt
told 4 'its times have no date: give &time start' "$against" undated line.txt
told 4 'nowhere: no such file or folder' "$against" nowhere line.txt
told 4 'nothing.txt: No such file' "$against" hilly nothing.txt
echo '# nothing' >empty.txt
told 4 'empty.txt: no observation in it' "$against" hilly empty.txt
told 4 'history_.*: not a text' "$against" hilly hilly/history_00000000.000.nc
mkdir damaged && head -c 3000 hilly/history_00000000.000.nc >damaged/history_00000000.000.nc
told 4 'damaged, or not written by sferic' "$against" damaged all.txt
told 6 'cannot write nowhere/a.json' "$against" hilly all.txt --json nowhere/a.json
told 2 'the following arguments are required: OBSERVATIONS.txt' "$against" hilly

# ---- the observations that the project has ----------------------------------------------------------------------------
told 4 'observed.txt:[0-9]*: 2018-09-17 15:00:00 is outside of the run in hilly' "$against" hilly "$root/namelists/florence_2018/observed.txt"
ended
