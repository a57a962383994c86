#!/bin/bash
# tools/sferic-import: settings of CM1 and commands of gprMax, each by the line that it becomes and the row that it has; what is written passes
# `sferic check`; a supercell of CM1 begins, and the models of namelists/gprmax give the fields that gprMax has; what is refused, with exit codes.
# Long: some forty cases are imported and checked, and ten run.
#   SFERIC  the program
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C OMP_NUM_THREADS=1
: "${SFERIC:?the path of the binary under test}"
export SFERIC
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
bring=$root/tools/sferic-import made=$root/tests/support_import.py
. "$root/tests/support_told.sh" import numpy netCDF4
# what `sferic check` says of a namelist, and of a setting that is unknown
beside='^ |warning:|^sferic: |error: '
told() { told_by "$1" "$2" "$bring" "${@:3}"; }

# ---- CM1 ----------------------------------------------------------------------------------------------------------------
# few NAME SETTING...: the supercell on few cells with these settings, which count where they are set again
few() {
    { cat "$root/tests/support_cm1.input"; printf '&param0\n nx = 12, ny = 12, nz = 20\n/\n&param1\n dz = 1000\n/\n&more\n'; printf ' %s\n' "${@:2}"; echo /; } >"$1.input"
}
# cm1 NAME SETTING...: it is imported, and passes `sferic check`
cm1() {
    few "$@"
    told 0 "^$1.nml: sferic check is content" "$1.input" -o "$1.nml" -q
}
row() { holds row "$1.import.txt" "${@:2}"; } # NAME SETTING VERDICT HOW
has() { holds has "$1.nml" "${@:2}"; }        # NAME LINE...

told 0 '^supercell.nml: sferic check is content' "$root/tests/support_cm1.input" -o supercell.nml
silent 'the supercell'
holds every supercell.import.txt "$root/tests/support_cm1.input"
checks=$((checks + 1))
grep -qE '^[0-9]+ settings: [0-9]+ same, [0-9]+ near, [0-9]+ not there, 0 unknown$' supercell.import.txt || fail 'no sum of the table'
has supercell 'grid%nx = 120' 'grid%ny = 120' 'grid%nz = 40' 'grid%dx = 1000' 'grid%dz = 500' 'grid%origin_x = -60000' 'grid%translation_u = 12.5' 'grid%translation_v = 3' 'time%dt = 6' \
    'time%duration = 7200' 'time%output_interval = 900' 'time%series_interval = 60' "time%start = '2009-05-15 21:38:00'" 'time%restart_interval' "boundary%west = 'open'" \
    "boundary%north = 'open'" "dynamics%advection = 'upwind5'" "dynamics%mixing = 'off'" "dynamics%hold_mass = 'on'" 'dynamics%rayleigh_depth = 5000' 'dynamics%rayleigh_time = 300' \
    'dynamics%divergence_damping = 0.1' 'dynamics%off_centring = 0.6' 'dynamics%gravity = 9.81' "turbulence%closure = 'tke'" "turbulence%cells = 'cubes'" "turbulence%vertical = 'implicit'" \
    "water%scheme = 'kessler'" "water%equations = 'full'" "base%profile = 'weisman_klemp'" 'base%moist_layer = 0.014' "base%wind = 'quarter_circle'" 'base%turn_radius = 7' \
    'base%wind_u_top = 31' 'base%wind_v_top = 7' 'base%shear_top = 6000' "initial%shape = 'cosine_squared'" 'initial%amplitude = 1' 'initial%z = 1400' 'initial%radius_x = 10000' \
    'initial%radius_z = 1400' 'dynamics%coriolis_f' 'surface%drag' \
    "output%fields = 'rain', 'rain_rate', 'theta', 'pressure', 'tke', 'qv', 'qc', 'qr', 'reflectivity', 'u', 'v', 'w', 'vorticity_x', 'vorticity_y', 'vorticity_z', 'updraft_helicity'"
row supercell ptype near 'no ice'
row supercell idiss 'not there' 'does not warm'
row supercell output_sws 'not there' 'swath'
row supercell fcor same 'icor = 0'
row supercell advwenos near 'upwind'
row supercell rstfrq same none
row supercell stat_w same w_max
row supercell ccn same 'ptype is not'

cm1 dry 'imoist = 0' 'isnd = 9' 'iwnd = 6' 'icor = 1' 'fcor = 1e-4' 'lspgrad = 1' 'sgsmodel = 2' 'tconfig = 2' 'doimpl = 0' 'irdamp = 0' 'iinit = 11' 'iorigin = 1' 'imove = 0' 'wbc = 1' 'ebc = 1' \
    'sbc = 3' 'nbc = 4' 'hadvordrv = 6' 'vadvordrv = 6' 'hadvordrs = 6' 'vadvordrs = 6' 'idiff = 1' 'kdiff6 = 0.096' 'apmasscon = 0' 'adapt_dt = 1' 'rstfrq = 600' 'run_time = 900' 'statfrq = -1'
has dry "base%profile = 'constant_n'" 'base%surface_theta = 288' 'base%brunt_vaisala = 0.01' "base%wind = 'constant'" 'base%wind_u = 10' 'dynamics%coriolis_f = 1e-4' "turbulence%closure = 'smagorinsky'" \
    "turbulence%cells = 'flat'" "turbulence%vertical = 'explicit'" 'dynamics%rayleigh_depth' "initial%shape = 'witch_sine'" 'initial%amplitude = 0.01' 'initial%radius_x = 5000' 'grid%origin_x' \
    'grid%translation_u' "boundary%west = 'periodic'" "boundary%south = 'wall'" "boundary%north = 'wall'" "dynamics%advection = 'centred6'" "dynamics%mixing = 'fourth'" 'dynamics%mixing_rate = 0.001' \
    "dynamics%hold_mass = 'off'" 'time%adaptive = .true.' 'time%restart_interval = 600' 'time%duration = 900' 'time%series_interval = 6' 'water%scheme' 'forcing%z'
row dry nbc near slips
row dry difforder near '4th order'
row dry iinit near lid
row dry timax same 'run_time is given'
row dry irbc same 'no side is open'
cm1 turned 'icor = 1' 'mdiff = 1' 'idiff = 2' 'hadvordrv = 3' 'vadvordrv = 5' 'iwnd = 4' 'irandp = 1' 'ibalance = 1' 'nudgeobc = 1' 'psolver = 2' 'ptype = 1' 'eqtset = 1' 'iptra = 1' 'npt = 3' 'roflux = 1' 'irdamp = 2'
has turned 'forcing%geostrophic_u = 0' 'forcing%geostrophic_v = 0' "dynamics%mixing = 'monotone'" "dynamics%advection = 'upwind3'" "base%wind = 'tanh'" 'base%wind_u_top = 35' 'base%shear_top = 3000' 'initial%noise = 0.01' \
    "initial%balance = 'hydrostatic'" 'dynamics%open_inflow_time = 60' "water%equations = 'simple'" 'dynamics%tracers = 3'
row turned vadvordrv near 'one order'
row turned lspgrad same geostrophic_u
row turned ptype same kessler
row turned ihail same 'ptype = 1'
row turned psolver near explicit
row turned irdamp near 'base state'
cm1 grown 'stretch_x = 1' 'dx_inner = 1000' 'dx_outer = 3000' 'nos_x_len = 4000' 'tot_x_len = 20000' 'stretch_z = 1' 'nz = 20' 'ztop = 8000' 'str_bot = 1000' 'str_top = 5000' 'dz_bot = 200' 'dz_top = 600' 'nz = 20'
has grown 'grid%nx = 20' 'grid%dx = 1000' 'grid%origin_x = -10000' 'grid%size_x' 'grid%dz' \
    'grid%size_z = 6*200, 244.444444, 288.888889, 333.333333, 377.777778, 422.222222, 466.666667, 511.111111, 555.555556, 6*600'
row grown stretch_z same size_z
row grown stretch_x near '20 in place of 12'
row grown dx_outer near grow
row grown dz same 'stretch_z = 1'
cm1 geometric 'stretch_z = 2' 'ztop = 12000' 'str_bot = 500' 'dz_bot = 250' 'dz_top = 900'
row geometric stretch_z near 'found anew'
printf '%s\n' 250 750 1250 1750 2300 2950 3700 4550 5500 6500 7500 8500 9500 10500 11500 12500 13500 14500 15500 16500 >input_grid_z
cm1 listed 'stretch_z = 3' 'iwnd = 9'
has listed 'grid%size_z = 4*500, 600, 700, 800, 900, 12*1000' "base%wind = 'shear'" 'base%shear_bottom = 700' 'base%wind_u_top = -4.61'
cm1 ground 'isfcflx = 1' 'bbc = 3' 'sfcmodel = 1' 'set_flx = 1' 'cnst_shflx = 0.1' 'cnst_lhflx = 1e-4' 'set_znt = 1' 'cnst_znt = 0.16' 'testcase = 1' 'irandp = 1' 'iinit = 0' 'isnd = 14' 'dodomaindiag = .true.' 'output_sfcflx = 1'
has ground "surface%drag = 'roughness'" 'surface%roughness = 0.16' "surface%heat = 'flux'" 'surface%heat_flux = 0.1' 'surface%vapour_flux = 1e-4' 'initial%noise = 0.1' 'initial%noise_top = 100' 'statistics%interval = 60'
row ground testcase 'not there' convective_boundary_layer
row ground isnd 'not there' convective_boundary_layer
row ground dodomaindiag near statistics.nc
cm1 sea 'isfcflx = 1' 'bbc = 3' 'sfcmodel = 3' 'tsk0 = 300' 'cm1setup = 2' 'ipbl = 1' 'horizturb = 1' 'radopt = 2' 'irst = 1' 'iprcl = 1' 'axisymm = 0' 'hrdamp = 1' 'tbc = 2' 'iinit = 7' 'iwnd = 8'
has sea "surface%drag = 'sea'" "surface%heat = 'temperature'" 'surface%temperature = 300' 'surface%wetness = 1' "turbulence%closure = 'tke'" "turbulence%cells = 'flat'" 'turbulence%mixing_length = 75'
for setting in radopt irst iprcl hrdamp tbc iinit; do row sea $setting 'not there'; done
for setting in ipbl horizturb bbc sfcmodel cecd; do row sea $setting near; done
cm1 still 'bbc = 3' 'cecd = 1' 'cnstcd = 2e-3' 'isnd = 4' 'iinit = 4' 'iwnd = 0' 'terrain_flag = .false.' 'itern = 1'
has still "surface%drag = 'coefficient'" 'surface%drag_coefficient = 0.002' "base%profile = 'saturated'" 'base%theta_e = 320' "initial%variable = 'buoyancy'" "base%wind = 'calm'" 'terrain%shape'
cm1 hill 'terrain_flag = .true.' 'itern = 1' 'iinit = 0' 'ptype = 1' 'bbc = 3' 'set_ust = 1' 'cnst_ust = 0.3' 'iwnd = 10' 'dtl = 0.4+1' 'irandp = 0' 'idiss = 0' 'cm1setup = 0'
has hill "terrain%shape = 'ridge'" 'terrain%height = 400' 'terrain%half_width = 1000' 'terrain%x = 500' "surface%drag = 'friction'" 'surface%friction_velocity = 0.3' 'base%wind_u_top = 89' "terrain%coordinate = 'basic'" 'grid%translation_u'
row hill imove 'not there' terrain
row hill hadvordrv near upwind3
cm1 bubbles 'iinit = 3' 'iwnd = 5' 'isnd = 3' 'imoist = 0' 'cm1setup = 3' 'viscosity = 30' 'bbc = 2' 'iorigin = 1' 'nx = 60' 'ny = 70' 'nz = 10'
has bubbles 'initial(3)%y = 63000' 'initial(1)%x = 30000' "base%wind = 'table'" "base%profile = 'sounding'" "base%sounding = 'bubbles.input_sounding'" "dynamics%mixing = 'constant'" 'dynamics%viscosity = 30' "surface%drag = 'no_slip'"
cm1 pool 'iinit = 2' 'isnd = 8' 'idiff = 1' 'difforder = 2' 'imoist = 1' 'ptype = 0' 'iwnd = 3' 'testcase = 6' 'var3 = 1.5' 'ptype = 26'
has pool "initial%shape = 'cosine'" 'initial%amplitude = -6' "dynamics%mixing = 'constant'" 'dynamics%viscosity = 75' 'base%wind_u = -12.7323954474'
row pool iinit near step
row pool var3 'not there' 'own sources'
row pool ccn 'not there' ice
printf '1000.0 300.0 14.0\n 100 300.2 14 -2 1\n 1000 301 12 3 2\n 5000 318 3 10 4\n 12000 343 0.1 30 5\n 21000 470 0.0 30 5\n' >input_sounding
cm1 observed 'isnd = 7' 'iwnd = 2'
has observed "base%profile = 'sounding'" "base%sounding = 'observed.input_sounding'" "base%wind = 'sounding'" 'base%turn_radius'
row observed iwnd same 'isnd = 7'
row observed isnd same '5 levels'
cm1 above 'isnd = 7' 'dz = 150' 'nz = 100'
row above isnd near extrapolates
cm1 mixed 'isnd = 17' 'iwnd = 1'
has mixed "base%wind = 'shear'" 'base%wind_u_top = 10' 'base%shear_top = 2500'
checks=$((checks + 1))
[ "$(sed -n 3p mixed.input_sounding)" = '1000 301 12 0 0' ] || fail "winds of a sounding without: $(sed -n 3p mixed.input_sounding)"
# Unknown settings are told, and their rows say so.
few odd 'no_such_setting = 3' 'ptpye = 1'
told 0 'odd.input:[0-9]*: more no_such_setting is unknown, and not taken' odd.input -o odd.nml -q
row odd no_such_setting unknown
row odd ptpye unknown '.*did you mean ptype\?'
told 0 ' 2 unknown' odd.input -o odd.nml -q --force --no-check
told 3 '2 unknown settings: nothing was written' odd.input -o odd2.nml --strict
checks=$((checks + 1))
[ ! -e odd2.nml ] || fail 'written in spite of --strict'
# It runs: the bubble of a kelvin where CM1 has it, and it rises.
cm1 begin 'nx = 30' 'ny = 30' 'dx = 4000' 'dy = 4000' 'timax = 300' 'statfrq = 60' 'tapfrq = 300' 'dz = 1000'
checks=$((checks + 1))
"$SFERIC" run begin.nml --out begin -q >out.txt 2>err.txt || fail 'the imported supercell does not run'
holds series begin theta_p_max 0 0.8044 1e-3
holds series begin w_max -1 0.6 0.5

# ---- gprMax -------------------------------------------------------------------------------------------------------------
gpr() { told 0 "^$1.nml: sferic check is content" "$root/namelists/gprmax/$1.in" -q "${@:2}"; }
run() { checks=$((checks + 1)); "$SFERIC" run "$1.nml" --out "$1" -q "${@:2}" >out.txt 2>err.txt || fail "$1 does not run"; }
# Figures are those of gprMax 4.0.1 with the same file.
gpr pipe_ascan
has pipe_ascan 'grid%nx = 160' 'grid%ny = 1' 'grid%nz = 130' 'grid%dx = 0.002' 'grid%dy = 0.2' 'maxwell%courant = 1' 'time%duration = 4e-9' "boundary%west = 'cpml'" "boundary%south = 'periodic'" 'cpml%cells = 10' \
    "medium%name = 'sand'" 'medium%epsilon = 5' 'medium%sigma = 0.002' "geometry(1)%shape = 'box'" 'geometry(1)%z = 0.1' 'geometry(1)%size_x = 0.32' 'geometry(1)%size_y' "geometry(2)%axis = 'y'" 'geometry(2)%radius = 0.014' \
    'geometry(2)%z = 0.11' "source%axis = 'y'" 'source%x = 0.14' 'source%z = 0.2' 'source%amplitude = 0.2' "source%waveform = 'ricker'" 'source%frequency = 1.2e9' 'source%delay = 1.17851130198e-9' "output%fields = 'medium'"
run pipe_ascan
holds trace pipe_ascan Ey 1 948.4707 -1258.860 2e-4
gpr pipe_bscan
checks=$((checks + 1))
grep -qF 'tools/sferic-bscan pipe_bscan.nml --source 1 --probe 1 --step 0.004,0,0 --count N' pipe_bscan.nml || fail 'no command of the scan'
has pipe_bscan 'cpml%cells = 12' "geometry(3)%medium = 'vacuum'" 'geometry%subpixel = .false.'
run pipe_bscan
holds trace pipe_bscan Ey 1 777.4576 -1056.834 2e-4
gpr dipole_free_space
run dipole_free_space
holds dipole dipole_free_space
gpr layered_ground
row layered_ground '#fractal_box' near 'one medium'
row layered_ground '#add_surface_roughness' 'not there' roughness
row layered_ground '#soil_peplinski' near 0.125
has layered_ground "source%kind = 'magnetic'" 'time%output_interval = 1e-9' 'output%region = 0, 0.16, 0.06, 0.064, 0, 0.148'
run layered_ground
holds trace layered_ground Ez 1 56.0656 -106.5096 0.01
gpr wire_dipole
has wire_dipole "port%kind = 'lumped'" 'port%resistance = 73' 'excitation%amplitude = 2' "geometry(1)%shape = 'wire'" 'geometry(1)%z = 0.073' 'geometry(1)%size_z = 0.074' 'geometry(2)%z = 0.149' 'geometry(2)%size_z = 0.074' 'port%z = 0.111'
row wire_dipole '#edge' same gap '0.040 0.040 0.110'
run wire_dipole --set time%duration=6e-9
holds reflected wire_dipole 0.7 0.9242 0.9 0.246 1.0 0.3479 1.2 0.7618
gpr bow_tie
row bow_tie '#triangle' same sheet
has bow_tie 'element%resistance = 50' 'source%amplitude = 4e-5' 'output%probe_x = 0.0605, 0.0705, 0.0805, 0.0905, 0.1005'
run bow_tie --set time%duration=1.6e-9
holds trace bow_tie Ex 3 9.328804 -5.847265 5e-4

# Media that disperse, all around: of two Debye poles, of one of Lorentz.
# within NAME MATERIAL COMMAND LARGEST SMALLEST: Ey at a receiver
within() {
    cat >"$1.in" <<END
#domain: 0.080 0.080 0.080
#dx_dy_dz: 0.002 0.002 0.002
#time_window: 1.5e-9
#pml_cells: 6
#material: $2 wet
#add_dispersion_$3 wet
#box: 0 0 0 0.08 0.08 0.08 wet
#waveform: ricker 1 2e9 pulse
#hertzian_dipole: y 0.03 0.04 0.04 pulse
#rx: 0.052 0.04 0.04
END
    told 0 "^$1.nml: sferic check is content" "$1.in" -q
    run "$1"
    holds trace "$1" Ey 1 "$4" "$5" 2e-3
}
within debye '5 0.01 1 0' 'debye: 2 4 9e-12 1.5 8e-11' 66.27525 -94.05943
within lorentz '5 0 1 0' 'lorentz: 1 2 3e9 1e9' 60.19105 -60.88823

cat >all.in <<'END'
## a comment
Prose that is no command.
#title: all commands
#domain: 0.10 0.08 0.08
#dx_dy_dz: 0.002 0.002 0.002
#time_window: 200
#time_step_stability_factor: 0.9
#pml_cells: 8 8 8 8 0 8
#pml_cfs: linear reverse 0 0.05 cubic forward 1 5 cubic forward 0 None
#pml_formulation: MRIPML
#messages: n
#num_threads: 2
#output_dir: there
#include_file: more.in
#add_dispersion_debye: 2 75.2 9.231e-12 3 1e-11 wet
#add_dispersion_lorentz: 1 1.5 5e9 1e9 lor
#add_dispersion_drude: 1 2e9 1e10 dru
#box: 0 0 0 0.1 0.08 0.02 sand n
#box: 0.02 0.02 0.02 0.03 0.03 0.03 sand wet lor
#box: 0.0209 0.0211 0.05 0.029 0.0291 0.06 free_space
#box: 0.02 0.02 0.05 0.03 0.03 0.06 pmc
#sphere: 0.05 0.04 0.022 0.006 wet
#cylinder: 0.03 0.06 0.03 0.07 0.06 0.07 0.004 pec
#cylinder: 0.03 0.02 0.01 0.07 0.02 0.01 0.004 lor
#cylindrical_sector: z 0.05 0.04 0.03 0.034 0.01 330 60 copper
#cylindrical_sector: y 0.05 0.03 0.03 0.034 0.01 30 60 dru y
#plate: 0.03 0.03 0.04 0.05 0.05 0.04 pec
#plate: 0.03 0.03 0.03 0.03 0.05 0.04 sand
#edge: 0.05 0.04 0.02 0.05 0.04 0.04 pec
#edge: 0.05 0.04 0.03 0.05 0.04 0.032 free_space
#edge: 0.06 0.04 0.03 0.06 0.04 0.04 sand
#triangle: 0.02 0.02 0.044 0.04 0.02 0.044 0.03 0.04 0.044 0 pec
#triangle: 0.02 0.02 0.044 0.04 0.02 0.044 0.03 0.04 0.044 0.004 sand
#waveform: gaussian 1 1e9 g
#waveform: gaussiandot 1 1e9 gd
#waveform: gaussiandotnorm 1 1e9 gdn
#waveform: gaussiandotdotnorm 1 1e9 gddn
#waveform: sine 1 1e9 s
#waveform: contsine 2 1e9 cs
#waveform: impulse 2 1e9 im
#hertzian_dipole: z 0.05 0.04 0.045 g
#hertzian_dipole: x 0.05 0.03 0.045 gdn 1e-10 2e-10
#hertzian_dipole: z 0.05 0.05 0.045 im
#magnetic_dipole: y 0.05 0.04 0.05 gddn
#voltage_source: z 0.05 0.04 0.03 50 mine
#voltage_source: z 0.06 0.03 0.03 0 s
#transmission_line: x 0.07 0.03 0.03 75 cs
#rx: 0.06 0.04 0.045
#rx: 0.06 0.04 0.045 name Ex Iz
#rx_array: 0.04 0.02 0.05 0.06 0.04 0.05 0.004 0.004 0
#snapshot: 0 0 0 0.1 0.08 0.08 0.002 0.002 0.002 3e-10 s1
#geometry_view: 0 0 0 0.1 0.08 0.08 0.002 0.002 0.002 v n
#geometry_objects_write: 0 0 0 0.1 0.08 0.08 f
#geometry_objects_read: 0 0 0 a.h5 b.txt
#add_grass: 0 0 0.01 0.1 0.08 0.01 1.5 0.01 0.02 10 my_box
#ntff_surface: 1
#python:
print("#box: 1 2 3")
#end_python:
#nonsense: 1 2
#src_steps: 0.002 0 0
#rx_steps: 0 0.002 0
END
cat >more.in <<'END'
#material: 3 0.01 1 0 sand
#material: 2 inf 1 0 copper
#material: 4.9 0 1 0 wet
#material: 2 0 1 0 lor
#material: 1.5 0 1.2 10 dru
#excitation_file: values.txt
END
printf 'time mine\n0 0\n1e-10 1\n2e-10 0.5\n3e-10 0\n' >values.txt
told 0 'all.nml: sferic check is content' all.in -q
told 0 'all.in:[0-9]*: #nonsense is unknown' all.in -q --force --no-check
has all 'maxwell%courant = 0.9' "boundary%north = 'pec'" "boundary%south = 'cpml'" 'cpml%cells = 8' 'cpml%order = 3' 'cpml%kappa = 5' 'cpml%alpha_order = 1' 'medium(4)%mu = 1.2' 'medium(4)%sigma_m = 10' \
    "pole(2)%medium = 'wet'" 'pole(2)%strength = 3' "pole(3)%kind = 'lorentz'" 'pole(3)%omega = 31415926535.9' 'pole(3)%gamma = 2e9' "pole(4)%kind = 'drude'" 'pole(4)%omega = 12566370614.4' 'pole(4)%gamma = 1e10' \
    "medium(5)%name = 'sand+wet+lor'" 'medium(5)%epsilon = 3.3' 'geometry(3)%x = 0.024' 'geometry(3)%size_x = 0.008' 'geometry(3)%y = 0.026' "geometry(3)%medium = 'vacuum'" 'geometry(4)%radius = 0.006' \
    "geometry(5)%axis = 'z'" 'geometry(5)%turn_y = 45' "geometry(6)%axis = 'x'" "geometry(7)%medium = 'pec'" 'geometry(7)%corner_count = 18' 'geometry(9)%size_x = 0.02' "geometry(9)%shape = 'sheet'" \
    'geometry(10)%size_x = 0.002' "geometry(11)%shape = 'wire'" 'geometry(11)%size_z = 0.01' 'geometry(12)%size_z = 0.008' 'geometry(12)%z = 0.036' 'source(1)%amplitude = 0.002' 'source(1)%z = 0.045' 'source(1)%frequency = 1177410022.52' \
    'source(1)%delay = 1e-9' 'source(2)%delay = 1.1e-9' "source(3)%file = 'all_im.txt'" "source(4)%kind = 'magnetic'" 'source(4)%amplitude = -1' "source(5)%file = 'all_mine.txt'" "source(6)%drive = 'hard'" 'source(6)%amplitude = -500' \
    "source(7)%waveform = 'ramped_sine'" 'source(7)%delay = 4e-9' 'element(1)%resistance = 50' 'element(2)%resistance = 75' 'time%output_interval = 3e-10' 'port%kind'
for line in 'domain same 50' 'material same' 'pml_cells same' 'pml_cfs near' 'pml_formulation near' 'add_dispersion_debye same' 'add_dispersion_lorentz same' 'add_dispersion_drude same' 'include_file same' 'title same' \
    'transmission_line near' 'rx_array same' 'snapshot near' 'geometry_view near' 'geometry_objects_read not_there' 'add_grass not_there' 'ntff_surface not_there' 'python not_there' 'src_steps not_there' 'rx_steps not_there' 'nonsense unknown'; do
    read -r name verdict how <<<"$line"
    row all "#$name" "${verdict/_/ }" "$how"
done
row all '#hertzian_dipole' near 'goes on after' 'x 0.05'
row all '#box' 'not there' magnetic '0.02 0.02 0.05'
row all '#box' near smoothed '0 0 0'
row all '#voltage_source' same 50 'z 0.05'
row all '#voltage_source' near corners 'z 0.06'
row all '#sphere' near 'by volume'
row pipe_bscan '#cylinder' same cylinder
row all '#rx' near current '0.06 0.04 0.045 name'
run all
# Flat along x and along y: nothing changes places.
sed -e 's/^#domain.*/#domain: 0.002 0.320 0.260/; s/dipole: z 0.140 0.200 0/dipole: x 0 0.140 0.200/; s/#rx.*/#rx: 0 0.180 0.200/; s/0 0 0 0.320 0.200 0.002 sand/0 0 0 0.002 0.320 0.200 sand/' \
    -e 's/0.160 0.110 0 0.160 0.110 0.002/0 0.160 0.110 0.002 0.160 0.110/; /view/d' "$root/namelists/gprmax/pipe_ascan.in" >upright.in
told 0 'upright.nml: sferic check is content' upright.in -q
has upright 'grid%nx = 1' 'grid%dx = 0.2' "boundary%west = 'periodic'" "source%axis = 'x'" 'source%y = 0.14' "geometry(2)%axis = 'x'"
run upright
holds trace upright Ex 1 948.4707 -1258.860 2e-4

# ---- what is refused ----------------------------------------------------------------------------------------------------
refuse() { told "$1" "$2" bad.in --no-check -o bad.nml --force "${@:3}"; } # CODE TEXT: of bad.in
model() { { printf '#domain: 0.1 0.1 0.1\n#dx_dy_dz: 0.002 0.002 0.002\n#time_window: 1e-9\n'; printf '%s\n' "$@"; } >bad.in; }
model '#box: 0 0 0 0.1 0.1 0.05 nothing'; refuse 3 "bad.in:4: #box: no material 'nothing': define it with #material"
model '#box: 0 0 0 0.1 0.1 nothing'; refuse 3 'bad.in:4: #box: 6 values, not x1 y1 z1 x2 y2 z2 material'
model '#box: 0 0 0 0.1 0.1 0.2 pec'; refuse 3 'upper corner: z = 0.2 m lies outside of the domain'
model '#box: 0 0 0 0.1 O.1 0.1 pec'; refuse 3 "bad.in:4: #box: upper corner: 'O.1' is not a number"
model '#box: 0 0 0 0.1 0.1 0 pec'; refuse 3 'no extent along z'
model '#hertzian_dipole: z 0.05 0.05 0.05 w'; refuse 3 "no waveform 'w'"
model '#waveform: triangle 1 1e9 w'; refuse 3 "no waveform 'triangle'"
model '#material: 0.5 0 1 0 m'; refuse 3 'epsilon and mu are 1 or more'
model '#add_dispersion_debye: 2 1 1e-9 m'; refuse 3 'bad.in:4'
model '#pml_cells: 30'; refuse 3 'layers of 30 cells do not leave any'
model '#python:' 'x = 1'; refuse 3 'bad.in:4: #python: has no #end_python:'
model '#include_file: nowhere.in'; refuse 4 'bad.in:4: nowhere.in: no such file'
model '#include_file: bad.in'; refuse 3 'files include each other'
model '# title: x'; refuse 3 "is no command: write #name:"
printf '#python:\nprint(1)\n#end_python:\n' >bad.in; refuse 3 'no #domain.*by the Python at line 1'
printf '#domain: 1 1 1\n#dx_dy_dz: 0 1 1\n#time_window: 1\n' >bad.in; refuse 3 'bad.in:2: #dx_dy_dz: sizes of cells must be above 0'
printf '#domain: nan 1 1\n#dx_dy_dz: 1 1 1\n#time_window: 1\n' >bad.in; refuse 3 'not a finite number'
printf '#domain: 1 1 1\n#dx_dy_dz: 1e-300 1 1\n#time_window: 1\n' >bad.in; refuse 3 'bad.in:2: #dx_dy_dz: size of a cell: 1e-300 is too small'
model '#waveform: gaussiandotdot 1 1e200 w'; refuse 3 'bad.in:4: #waveform: frequency: 1e200 is too large'
model '#soil_peplinski: 0.5 0.5 2 2.66 0.1 0.2 soil' '#box: 0 0 0 0.1 0.1 0.05 soil'; refuse 3 "bad.in:5: #box: 'soil' is a mixing model"
model '#soil_peplinski: 0.5 0.5 2 2.66 0.1 0.2 soil' '#box: 0 0 0 0.1 0.1 0.05 pec soil pec'; refuse 3 "bad.in:5: #box: 'soil' is a mixing model"
printf 'nothing\n' >bad.in; refuse 3 'neither a namelist.input of CM1.*say which by --from'
refuse 3 'no nx: a namelist.input of CM1' --from cm1
few bad 'ptype = many'; told 3 "bad.input:[0-9]*: ptype: 'many' is not a number" bad.input -o bad.nml --force
few bad 'nx = 2.5'; told 3 'nx = 2.5: give a whole number' bad.input -o bad.nml --force
few bad 'dx = -1'; told 3 'dx = -1: give a number above 0' bad.input -o bad.nml --force
few bad 'wbc = 7'; told 3 'wbc = 7: CM1 has' bad.input -o bad.nml --force
few bad 'stretch_z = 1'; told 3 'nz = 20 does not fit ztop' bad.input -o bad.nml --force
few bad 'stretch_x = 3'; told 3 'stretch_x = 3: CM1 has' bad.input -o bad.nml --force
printf '&param0\n nx = 5\n' >bad.input; told 3 'bad.input:1: &param0 has no end' bad.input
printf '&param0 nx = /\n' >bad.input; told 3 'nx has no value' bad.input
printf '&param0 nx = 3 /\nny = 4\n' >bad.input; told 3 "bad.input:2: 'ny = 4' stands outside of all groups" bad.input
mkdir alone && few alone/bad 'isnd = 7'
told 4 'alone/input_sounding: no such file, which isnd = 7 reads' alone/bad.input
echo '1000 300' >alone/input_sounding; told 3 'alone/input_sounding:1: 2 numbers, not 3' alone/bad.input
printf '1000 300 14\n100 300 14 0 0\n50 301 13 0 0\n' >alone/input_sounding; told 3 'input_sounding:3: height 50 m is not above' alone/bad.input
told 3 'observed.input_sounding:1: 3 numbers, not 5|input_sounding' alone/bad.input --sounding alone/bad.input
told 4 'nowhere.in: No such file' nowhere.in
told 4 'alone: is a directory' alone
printf '\0\1\2' >bad.in; told 4 'bad.in: not a text' bad.in
printf '#title: caf\351\n' >bad.in; told 4 'bad.in:1: not UTF-8: save the file as UTF-8' bad.in
: >bad.in; told 3 'neither a namelist' bad.in
told 2 'pipe_ascan.nml is there already: take another -o, or write over it with --force' "$root/namelists/gprmax/pipe_ascan.in"
told 2 'give a name that ends with .nml' all.in -o all.in
told 2 'the following arguments are required: INPUT'
told 6 'cannot write nowhere/a.nml' all.in -o nowhere/a.nml
told 2 'cannot start nothing' all.in -o x.nml --sferic nothing
ended
