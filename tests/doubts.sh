#!/bin/bash
# Values of &water, &surface, &turbulence and &forcing that are allowed, and unlike those of this Earth, are told by `check`, and their
# neighbours are not. `SFERIC=binary tests/doubts.sh`
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
: "${SFERIC:?the path of the binary under test}"
SFERIC=$(realpath "$SFERIC")
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic_doubts_XXXXXX")
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
wrong=0 told=0
cat >case.nml <<'NML'
&case name = 'case' /
&grid nx = 6 ny = 4 nz = 8 dx = 500 dy = 500 dz = 200 /
&time duration = 20 dt = 1 /
&base profile = 'constant_n' relative_humidity = 0.5 /
&water scheme = 'kessler' /
&initial noise = 0.1 /
NML
# doubt TEXT GROUPS GROUPS: the first are doubtful, TEXT says why; the second are not.
doubt() {
    { cat case.nml; echo "$2"; } >bad.nml
    { cat case.nml; echo "$3"; } >good.nml
    "$SFERIC" check bad.nml >said.txt 2>&1 || { echo "$2: exit $?"; wrong=$((wrong + 1)); }
    told=$((told + 1))
    grep -F 'warning: ' said.txt | grep -qF -- "$1" || { echo "$2: '$1' is not said:"; cat said.txt; wrong=$((wrong + 1)); }
    "$SFERIC" check good.nml >said.txt 2>&1
    ! grep -qF 'warning: ' said.txt || { echo "$3 is doubted:"; cat said.txt; wrong=$((wrong + 1)); }
}
doubt 'vapour_gas_constant is 300: that of vapour is 461.5' '&water vapour_gas_constant = 300 /' '&water vapour_gas_constant = 461 /'
doubt 'vapour_heat_capacity is 4190: that of vapour is 1870' '&water vapour_heat_capacity = 4190 /' '&water vapour_heat_capacity = 1850 /'
doubt 'liquid_heat_capacity is 4.19: that of water is 4190' '&water liquid_heat_capacity = 4.19 /' '&water liquid_heat_capacity = 4218 /'
doubt 'latent_heat is 2501: that of water is 2.501e6 J/kg' '&water latent_heat = 2501 /' '&water latent_heat = 2.5e6 /'
doubt 'falls with 14.3 m/s' '&water fall_speed = 36.34 /' '&water fall_speed = 20 /'
doubt 'falls with 0.395 m/s, and drizzle' '&water fall_speed = 1 /' '&water fall_speed = 2 /'
doubt 'autoconversion_rate is 0: no cloud makes rain' '&water autoconversion_rate = 0 /' '&water autoconversion_rate = 1e-4 /'
doubt "autoconversion_rate is 0.5: a share of the cloud in a second" '&water autoconversion_rate = 0.5 /' '&water autoconversion_rate = 1e-2 /'
doubt 'accretion_rate is 0: rain collects no cloud' '&water accretion_rate = 0 /' '&water accretion_rate = 0.5 /'
doubt 'accretion_rate is 1000: of cloud and rain in kg/kg' '&water accretion_rate = 1000 /' '&water accretion_rate = 5 /'
doubt 'autoconversion_from is 0.5 kg/kg' '&water autoconversion_from = 0.5 /' '&water autoconversion_from = 0.01 /'
doubt 'neither heat_flux nor vapour_flux is given' "&surface heat = 'flux' /" "&surface heat = 'flux', vapour_flux = -1e-5 /"
doubt 'heat_flux is 1.2 K m/s, about 1.4e+03 W/m2' "&surface heat = 'flux', heat_flux = 1.2 /" "&surface heat = 'flux', heat_flux = 1 /"
doubt 'vapour_flux is 0.001 m/s, about 3e+03 W/m2' "&surface heat = 'flux', vapour_flux = 1e-3 /" "&surface heat = 'flux', vapour_flux = 4e-4 /"
doubt 'drag_coefficient is 0.5: over the sea' "&surface drag = 'coefficient', drag_coefficient = 0.5 /" "&surface drag = 'coefficient', drag_coefficient = 0.05 /"
doubt 'friction_velocity is 8: in a gale' "&surface drag = 'friction', friction_velocity = 8 /" "&surface drag = 'friction', friction_velocity = 2 /"
warm="&surface drag = 'roughness', heat = 'temperature', temperature"
doubt 'changes by 3600 K in an hour' "$warm = 300, temperature_rate = -1 /" "$warm = 300, temperature_rate = -2.7e-3 /"
doubt 'the ground has 350 K, and the air at 100 m above it 299.' "$warm = 350 /" "$warm = 330 /"
doubt 'the ground has 255 K' "$warm = 300, patch_west = 1000, patch_temperature = 255 /" "$warm = 300, patch_west = 1000, patch_temperature = 270 /"
doubt 'a smagorinsky_constant of 0 mixes nothing' "&turbulence closure = 'smagorinsky', smagorinsky_constant = 0 /" "&turbulence closure = 'smagorinsky' /"
doubt 'smagorinsky_constant is 0.5: theory has 0.17' "&turbulence closure = 'smagorinsky', smagorinsky_constant = 0.5 /" "&turbulence closure = 'smagorinsky', smagorinsky_constant = 0.25 /"
doubt 'subsidence has 0.5: air of a larger scale' '&forcing z = 0, subsidence = -0.5 /' '&forcing z = 0, subsidence = -0.1 /'
doubt 'u_rate has 0.5: the largest gradients' '&forcing z = 0, u_rate = 0.5 /' '&forcing z = 0, u_rate = 0.01 /'
doubt 'v_rate has 0.5: the largest gradients' '&forcing z = 0, v_rate = -0.5 /' '&forcing z = 0, v_rate = 0.01 /'
doubt 'theta_rate has 1: 1 K a day is 1.157e-5' '&forcing z = 0, theta_rate = -1 /' '&forcing z = 0, theta_rate = -1e-3 /'
doubt 'qv_rate has 0.001: 1 g/kg a day is 1.157e-8' '&forcing z = 0, qv_rate = 1e-3 /' '&forcing z = 0, qv_rate = 1e-6 /'
doubt 'nudging_qv has 0.09: the moistest air' '&forcing z = 0, nudging_qv = 0.09, nudging_time = 600 /' '&forcing z = 0, nudging_qv = 0.03, nudging_time = 600 /'
doubt 'nudging_theta departs from theta of the base state by 6' '&forcing z = 0, nudging_theta = 240, nudging_time = 600 /' '&forcing z = 0, nudging_theta = 300, nudging_time = 600 /'
doubt 'nudging_share is 0 at all levels' '&forcing z = 0, nudging_theta = 300, nudging_time = 600, nudging_share = 0 /' '&forcing z = 0, nudging_theta = 300, nudging_time = 600, nudging_share = 0.1 /'
zero='subsidence and tendencies are 0 at all levels: &forcing changes nothing'
doubt "$zero" '&forcing z = 0, theta_rate = 0 /' '&forcing z = 0, theta_rate = 1e-5 /'
doubt "$zero" '&forcing z = 0, subsidence = 0, qv_rate = 0 /' '&forcing z = 0, subsidence = 0, qv_rate = 1e-9 /'
doubt "$zero" '&forcing z = 0, 5e4, u_rate = 2*0 /' '&forcing z = 0, v_rate = 0, nudging_u = 0, nudging_time = 600 /'
doubt "$zero" '&forcing z = 0, v_rate = 0 /' '&forcing z = 0, v_rate = 0, geostrophic_u = 0 / &dynamics coriolis_f = 1e-4 /'
printf 'z theta_rate\ntime 0\n0 0\ntime 20\n0 -1\n' >rates.txt
doubt 'theta_rate has 1: 1 K a day' "&forcing file = 'rates.txt' /" '&forcing z = 0, theta_rate = -1e-3 /'
# Open sides that the wind crosses the domain between: 3 km at 20 m/s in 20 s are 0.13 crossings. Of N = 0.1 1/s over 1600 m the fastest wave
# has 0.1 * 1600 / pi = 50.9 m/s, and sides of 25 m/s, 5 against the wind, give back (1 - 5 / 30.9) / (1 + 5 / 70.9) = 0.783 of it.
cp case.nml moist.nml
cat >case.nml <<'NML'
&case name = 'case' /
&grid nx = 6 ny = 8 nz = 8 dx = 500 dy = 500 dz = 200 /
&base profile = 'constant_n' brunt_vaisala = 0.1 wind = 'constant' wind_u = 20 /
&initial noise = 0.1 /
NML
along="&boundary west = 'open', east = 'open' /"
long='&time duration = 300 dt = 1 /'
doubt 'crosses the domain 2 times' "$along $long" "$along &time duration = 220 dt = 1 /"
doubt 'the wind, 20 m/s in the mean' "$along $long" "$along $long &dynamics open_phase_speed = 51 /"
doubt 'open_phase_speed = 25 gives back 0.78 of the fastest internal wave, of 50.9 m/s' "$along $long" "&boundary west = 'open', east = 'wall' / $long"
doubt 'set open_phase_speed = 51 and open_leaving_speed = 20' "$along $long" "&boundary south = 'open', north = 'open' / $long"
sed -i 's/wind_u = 20/wind_u = -5 wind_v = -20/' case.nml
doubt 'the wind, 20 m/s in the mean, crosses the domain 2 times' "&boundary south = 'open', north = 'open' / &time duration = 400 dt = 1 /" "$along $long"
sed -i 's/wind_u = -5 wind_v = -20/wind_u = 45/' case.nml
doubt 'the wind, 45 m/s' "$along $long" "$along &time duration = 95 dt = 1 /"
sed -i 's/wind_u = 45/wind_u = 60/' case.nml # faster than all waves: none comes back
{ cat case.nml; echo "$along $long"; } >good.nml
"$SFERIC" check good.nml >said.txt 2>&1
! grep -qF 'warning: ' said.txt || { echo "a wind faster than waves is doubted:"; cat said.txt; wrong=$((wrong + 1)); }
mv moist.nml case.nml
# What no gas has is no doubt.
{ cat case.nml; echo '&water vapour_heat_capacity = 400 /'; } >bad.nml
"$SFERIC" check bad.nml >said.txt 2>&1
[ $? = 3 ] && grep -qF 'vapour_heat_capacity must exceed vapour_gas_constant' said.txt || { cat said.txt; wrong=$((wrong + 1)); }
[ "$wrong" = 0 ] && echo "$told doubts are told"
