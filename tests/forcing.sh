#!/bin/bash
# Profiles of &forcing: a netCDF file, a text and the namelist give the same bits; what changes nothing, and what is doubtful, is
# told; what is refused, with its exit code. `SFERIC=binary tests/forcing.sh`
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
: "${SFERIC:?the path of the binary under test}"
SFERIC=$(realpath "$SFERIC")
command -v ncgen >/dev/null || { echo "no ncgen: install netcdf-bin"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_forcing_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0
fail() { echo "$*"; wrong=$((wrong + 1)); }
cat >case.nml <<'NML'
&case name = 'case' /
&grid nx = 6 ny = 4 nz = 8 dx = 500 dy = 500 dz = 200 /
&time duration = 20 dt = 1 /
&base profile = 'constant_n' relative_humidity = 0.5 /
&water scheme = 'saturation' /
&initial noise = 0.1 /
&dynamics coriolis_f = 1e-4 /
NML
digest() { # GROUP
    { cat case.nml; echo "$1"; } >run.nml
    "$SFERIC" run run.nml --out out -q --force >said.txt 2>&1 || cat said.txt >&2
    sed -n 's/^digest //p' said.txt
}
check() { # GROUP: what is said, and the exit code
    { cat case.nml; echo "$1"; } >run.nml
    "$SFERIC" check run.nml >said.txt 2>&1
    echo "exit $?" >>said.txt
}
says() { # WHAT TEXT
    grep -qF -- "$2" said.txt || { fail "$1: '$2' is not said:"; cat said.txt; }
}

# ---- one profile, three ways to give it ------------------------------------------------------------------------------
table='z = 0, 500, 1600, subsidence = 0, -0.02, -0.03, qv_rate = -1e-7, 0, 0, theta_rate = 3*-1e-3, geostrophic_u = 5, 8, 9'
first=$(digest "&forcing $table /")
cat >profiles.txt <<'TXT'
# heights, m, and what is there
z, subsidence, qv_rate, theta_rate, geostrophic_u
0     0     -1e-7  -1e-3  5
500  -0.02   0     -1e-3  8   ! a comment
1600 -0.03   0     -1e-3  9
TXT
[ -n "$first" ] && [ "$(digest "&forcing file = 'profiles.txt' /")" = "$first" ] || fail "a text gives other bits than the namelist"
cat >profiles.cdl <<'CDL'
netcdf profiles {
dimensions: z = 3 ; time = 2 ;
variables:
  double z(z) ; z:units = "m" ; z:axis = "Z" ;
  double time(time) ; time:units = "s" ;
  double subsidence(time, z) ; subsidence:units = "m s-1" ;
  double qv_rate(z) ; double theta_rate(time, z) ; theta_rate:units = "K s-1" ; double geostrophic_u(time, z) ;
data:
  z = 0, 500, 1600 ; time = 0, 100 ;
  subsidence = 0, -0.02, -0.03, 0, -0.02, -0.03 ; qv_rate = -1e-7, 0, 0 ;
  theta_rate = -1e-3, -1e-3, -1e-3, -1e-3, -1e-3, -1e-3 ; geostrophic_u = 5, 8, 9, 5, 8, 9 ;
}
CDL
ncgen -o profiles.nc profiles.cdl || fail "ncgen"
[ "$(digest "&forcing file = 'profiles.nc' /")" = "$first" ] || fail "a netCDF file gives other bits than the namelist"
sed -i 's/theta_rate = -1e-3, -1e-3, -1e-3, -1e-3/theta_rate = -1e-3, -1e-3, -1e-3, -2e-3/' profiles.cdl && ncgen -o later.nc profiles.cdl
[ "$(digest "&forcing file = 'later.nc' /")" != "$first" ] || fail "the second time of a netCDF file changes nothing"

# Water that &forcing gives or takes is held where that is asked for, and unasked it is not.
declare -A held
for hold in off auto on; do held[$hold]=$(digest "&forcing $table / &time duration = 200 / &dynamics hold_water = '$hold' /"); done
[ -n "${held[on]}" ] && [ "${held[auto]}" = "${held[off]}" ] && [ "${held[on]}" != "${held[off]}" ] ||
    fail "water is held unasked, or not where that is asked for: off, on, auto: ${held[*]}"

# ---- times of a file, and forms of a text ------------------------------------------------------------------------------
digest_of() { # CDL
    ncgen -o of.nc "$1" || fail "ncgen of $1"
    digest "&forcing file = 'of.nc' /"
}
later=$(digest "&forcing file = 'later.nc' /")
for unit in 'min:0, 1.6666666666666667' 'hours since 2000-01-01 00\:00\:00:0, 0.027777777777777778' 'Days since 2000-1-1T00\:00Z:0, 0.0011574074074074074'; do
    name=$(echo "${unit//\\:/;}" | cut -d: -f1 | tr ';' ':') times=${unit##*:}
    sed "s/time:units = \"s\"/time:units = \"$name\"/; s/time = 0, 100/time = $times/" profiles.cdl >unit.cdl
    [ "$(digest_of unit.cdl)" = "$later" ] || fail "times in $name are not those in s"
done
tr 'a-z' 'A-Z' <<<'z subsidence qv_rate theta_rate geostrophic_u' >fortran.txt
printf 'Time 0\n0 0 -1d-7 -1D-3 5\n500 -2.d-2 0 -1e-3 8\n1600 -3d-2 0 -1d-3 9\n' >>fortran.txt
[ "$(digest "&forcing file = 'fortran.txt' /")" = "$first" ] || fail "a text in capitals, with exponents d, gives other bits"

# ---- what changes nothing, and what is doubtful ----------------------------------------------------------------------
check "&forcing $table, nudging_time = 500 /"
says "no target" "nudging_time changes nothing"
check '&forcing z = 0, nudging_theta = 301 /'
says "no time" "nudging_theta is reached within nudging_time, and that is not given"
check '&forcing z = 0, geostrophic_u = 5, interval = 20 / &dynamics coriolis_f = 0 /'
says "no Coriolis force" "geostrophic_u acts by way of the Coriolis force, and coriolis_f is 0"
says "no tendency" "interval changes nothing"
check "&forcing z = 0, qv_rate = 1e-8 / &water scheme = 'none' /"
says "dry air" "qv_rate is of vapour, and the air has none"
check "&forcing file = 'profiles.txt', $table /"
says "both" "subsidence changes nothing: profiles come from the file"
check '&forcing z = 0, 500 /'
says "heights alone" "z changes nothing"
lacks() { # WHAT TEXT
    ! grep -qF -- "$2" said.txt || { fail "$1: '$2' is said:"; cat said.txt; }
}
check "&forcing z = 0, theta_rate = 1e-3, nudging_share = 0.5, nudging_time = 500 /"
says "a share of nothing" "nudging_share changes nothing: no profile is given that air would return to"
says "a share of nothing" "forcing: theta_rate"; lacks "a share of nothing" "theta_rate nudging_share"
printf 'z nudging_theta theta_rate\n0 300 -1e-3\n2000 305 -1e-3\n' >idle.txt; check "&forcing file = 'idle.txt' /"
says "an idle column" "nudging_theta of the file changes nothing: nudging_theta is reached within nudging_time"
says "an idle column" "forcing: theta_rate"; lacks "an idle column" "file changes nothing: theta_rate"
sed 's/qv_rate/moisture/' profiles.cdl | ncgen -o strange.nc - && check "&forcing file = 'strange.nc' /"
says "a profile of no key" "moisture of the file is not read: no key of &forcing is named so"
check '&forcing z = 0, theta_rate = 1e-3, interval = 20 /'
says "a long interval" "what is due comes at the end of each interval of 20 s, and the run ends at 20 s"
check '&forcing z = 0, theta_rate = 1e-3, interval = 19 /'
lacks "an interval" "what is due"
for wrong_key in 'theta_rate = abc' 'z = 0, 500, theta_rate = 1e-3'; do
    sed -i.kept '/&water/d; /&initial/d; s/relative_humidity = 0.5//' case.nml
    check "&forcing $wrong_key, nudging_time = 500, interval = 5 /"
    mv case.nml.kept case.nml
    says "$wrong_key" "error:"; says "$wrong_key" "exit 3"
    lacks "$wrong_key" "changes nothing"; lacks "$wrong_key" "nothing happens"
done
printf '1000 300 10\n100 301 8 0 0\n1000 303 5 0 0\n4000 315 1 0 0\n' >damp.txt
sed -i.kept "/&water/d; s/'constant_n' relative_humidity = 0.5/'sounding' sounding = 'damp.txt'/" case.nml
check '&forcing z = 0, nudging_theta = 301, nudging_time = 500 /'
says "virtual" "theta of this dry air is virtual, from a sounding with moisture, and nudging_theta is taken as virtual, too"
check '&forcing z = 0, theta_rate = 1e-3 /'
lacks "no target of theta" "is virtual, from a sounding"
mv case.nml.kept case.nml
check '&forcing z = 300, 500, subsidence = -0.01, -0.02 /'
says "too low" "profiles end at 500 m, and the highest level is at 1500 m: above, they stay as they are there"
says "too high" "profiles begin at 300 m, and the lowest level is at 100 m: below, they stay as they are there"
check "&forcing file = 'later.nc' / &time duration = 200 /"
says "an early end" "the last time of the file is 100 s, and the run ends at 200 s"
check '&forcing z = 0, theta_rate = -2e-7 /'
says "rounding" "advice: forcing%theta_rate adds up to"
check '&forcing z = 0, subsidence = -0.5, nudging_theta = 300, nudging_time = 50 /'
says "limit of subsidence" "dt <       400 s   used   0.2 %   subsidence: w_s dt / dz < 1"
says "limit of nudging" "dt <        50 s   used   2.0 %   nudging: dt < nudging_time"

# ---- what is refused -------------------------------------------------------------------------------------------------
check '&forcing z = 0, 500, 400, theta_rate = 3*0 /'
says "heights fall" "heights must rise: 400 m follows 500 m"; says "heights fall" "exit 3"
check '&forcing z = 0, 500, theta_rate = 3*0 /'
says "a value too many" "2 of z, but 3 of theta_rate: give as many"; says "a value too many" "exit 3"
check '&forcing z = 0, subsidence = -0.5, interval = 500 /'
says "seldom" "interval is to be below 399 s"; says "seldom" "exit 3"
check '&forcing z = 0, nudging_theta = 300, nudging_time = 50, interval = 60 /'
says "seldom" "interval is to be below 49 s"; says "seldom" "exit 3"
check "&forcing file = 'nowhere.txt' /"
says "no file" "file of forcing 'nowhere.txt' not found"; says "no file" "exit 4"
sed 's/m s-1/knots/' profiles.cdl | ncgen -o knots.nc - && check "&forcing file = 'knots.nc' /"
says "a unit" "subsidence is in 'knots', and 'm s-1' is wanted"; says "a unit" "exit 4"
for unit in fortnights 'hours since 1999-12-31' 'seconds since yesterday'; do
    sed "s/time:units = \"s\"/time:units = \"$unit\"/" profiles.cdl | ncgen -o unit.nc - && check "&forcing file = 'unit.nc' /"
    says "times in $unit" "its times are in '$unit', and"; says "times in $unit" "exit 4"
done
sed '/double time(time)/d; s/time = 0, 100 ;//' profiles.cdl | ncgen -o timeless.nc - && check "&forcing file = 'timeless.nc' /"
says "no times" "its dimension of time has no coordinate"; says "no times" "exit 4"
sed 's/time = 2 ;/time = 2 ; later = 2 ;/; s/double geostrophic_u(time,/double geostrophic_u(later,/; s/double time(time) ;/double time(time) ; double later(later) ; later:axis = "T" ;/; s/time = 0, 100 ;/time = 0, 100 ; later = 0, 50 ;/' profiles.cdl | ncgen -o two.nc - && check "&forcing file = 'two.nc' /"
says "two times" "two.nc': its profiles are of several times: let them have one dimension"; says "two times" "exit 4"
for number in 0x1p-4 1e 1x; do
    printf 'z theta_rate\n0 %s\n' "$number" >number.txt; check "&forcing file = 'number.txt' /"
    says "$number" "is no number"; says "$number" "exit 4"
done
: >empty.txt; check "&forcing file = 'empty.txt' /"
says "an empty text" "empty.txt' is empty: its first line names the columns"; says "an empty text" "exit 4"
echo 'z theta_rate' >rowless.txt; check "&forcing file = 'rowless.txt' /"
says "no rows" "rowless.txt' has no rows below the names of its columns"; says "no rows" "exit 4"
[ "$wrong" = 0 ]
