# shellcheck shell=bash
# shellcheck disable=SC2034,SC2046,SC2086,SC2089,SC2090 # overrides are words, their quotes are the namelist's
# Small cases whose bits scripts compare: every namelist of namelists/, on few cells, and what those leave out (weather: below,
# waves: tests/support_em.nml). cases_make PROG WORK fills `cases` with NAME MODEL NAMELIST SET...: PROG is a tests/prog_matrix,
# WORK a directory for what it writes, $weather_steps and $waves_steps say how long they are, $MATRIX_CASES which are wanted, if
# not all. SPDX-License-Identifier: MIT

cases=() # NAME MODEL NAMELIST SET...
case_add() { [[ -n ${MATRIX_CASES:-} && " $MATRIX_CASES " != *" $1 "* ]] || cases+=("$*"); }
small_add() { local name=small_$1; shift; case_add "$name" dynamics "$cases_work/small.nml" "$@"; }
em_add() { local name=em_$1; shift; case_add "$name" maxwell tests/support_em.nml "$@"; }
B=boundary% D=dynamics% I=initial%
walls="${B}west='wall' ${B}east='wall' ${B}south='wall' ${B}north='wall'"
open="${B}west='open' ${B}east='open' ${B}south='open' ${B}north='open'"
wall_x="${B}west='wall' ${B}east='wall'" wall_y="${B}south='wall' ${B}north='wall'"
open_x="${B}west='open' ${B}east='open'" open_y="${B}south='open' ${B}north='open'"
# Saturated air, in which noise makes cloud at once, cloud rain, and rain reaches the ground.
wet="water%scheme='kessler' base%relative_humidity=1 water%autoconversion_from=0 water%autoconversion_rate=0.5"
tall="grid%nx=6 grid%ny=168 grid%nz=5" long_rows="grid%nx=20 grid%ny=110 grid%nz=14 cpml%cells=2"
sides() { # X Y Z, each KIND or LOW-HIGH
    local keys=(west east south north bottom top) n=0 axis
    for axis in "$@"; do
        echo "${B}${keys[n]}='${axis%-*}' ${B}${keys[n + 1]}='${axis#*-}'"
        n=$((n + 2))
    done
}
wave() { # DIRECTION: a plane wave alone, on a ball well within its box
    echo "source%kind=3*'none' plane_wave%direction='$1' plane_wave%margin=2 plane_wave%frequency=2.2e10 plane_wave%delay=4e-12" \
        "geometry%shape='sphere' geometry%medium='both' geometry%x=10e-3 geometry%y=9.35e-3 geometry%z=6.3e-3 geometry%radius=0.8e-3" \
        "geometry%size_x=0 geometry%size_y=0 geometry%size_z=0"
}

cases_make() { # PROG WORK
    local n model size sets w
    cases_work=$2
    cat >"$cases_work/small.nml" <<END || return
&case name = 'small' /
&grid nx = 20, ny = 28, nz = 8, dx = 500, dy = 500, dz = 300 /
&time duration = 7.5, dt = 1.5 /
&dynamics small_steps = 2, tracers = 1, mixing_rate = 5e-3, hold_steps = 2 /
&base profile = 'constant_n', wind = 'shear', wind_u = 9, wind_v = -6, wind_u_top = -12, wind_v_top = 14, shear_top = 2000 /
&initial
    shape = 'gaussian', 'cosine', variable = 'theta', 'tracer', amplitude = 3, 1, x = 4000, 6000, y = 9000, 4000
    z = 900, 1200, radius_x = 2000, 3000, radius_y = 3000, 4000, radius_z = 700, 1500, noise = 0.5
/
END
    for n in namelists/*.nml; do
        [ -e "$n" ] || { echo "no namelists/*.nml"; return 1; }
        [[ -z ${MATRIX_CASES:-} || " $MATRIX_CASES " == *" $(basename "$n" .nml) "* ]] || continue
        model=$("$1" model "$n") || return
        size="20 16 10 $weather_steps"
        if [ "$model" = maxwell ]; then size="20 16 18 $waves_steps"; fi
        [[ $n != */sphere.nml && $n != */gold_sphere.nml ]] || size="24 24 24 $waves_steps" # so that its box keeps to the background
        [[ $n != */buried_target.nml ]] || size="31 27 30 $waves_steps" # as of the ball
        [[ $n != */half_wave.nml ]] || size="12 10 80 $waves_steps" # so that its gap is a cell
        [[ $n != */patch_antenna.nml && $n != */microstrip_filter.nml ]] || size="20 30 18 $waves_steps" # so that ports lie before layers
        [[ $n != */exposure.nml ]] || size="87 20 20 $waves_steps" # so that its gap is a cell
        [[ $n != */dish.nml ]] || size="64 64 44 $waves_steps" # so that the box lies between dish and layers
        [[ $n != */muscle.nml ]] || size="4 4 60 $waves_steps" # so that its box ends before the layers
        sets=$("$1" small "$n" $size) || return
        # a pulse that begins at once has slow parts, which stay in the ground
        [[ $n != */buried_target.nml ]] || sets+=" plane_wave%bandwidth=2e9 plane_wave%delay=-1"
        case_add "$(basename "$n" .nml)" "$model" "$n" $sets
    done
    small_add periodic
    small_add open $open ${D}tracers=2
    small_add open_south_north ${B}south="'open'" ${B}north="'open'" ${D}mixing="'monotone'"
    small_add open_one_side ${B}west="'wall'" ${B}east="'open'" ${B}south="'open'" ${B}north="'wall'" ${D}side_budget=true ${D}coriolis_f=1e-3
    small_add walls $walls ${D}mixing="'second'"
    small_add symmetric ${B}south="'symmetric'" ${B}north="'wall'" ${D}mixing="'constant'" ${D}viscosity=300
    small_add water $wet ${D}advection="'upwind5'"
    small_add water_open $wet $open ${D}side_budget=true ${D}tracers=2 ${D}hold_steps=2 ${D}rayleigh_depth=900 ${D}small_steps=6 ${D}first_small_steps=2
    small_add water_walls $wet $walls ${D}tracers=0 ${I}variable="'theta','humidity'" grid%stretch_ratio=1.1
    small_add water_simple water%scheme="'saturation'" water%equations="'simple'" water%saturation="'tetens'" \
        base%profile="'saturated'" base%theta_e=330 ${I}variable="'theta','buoyancy'" ${D}coriolis_f=1e-3
    # Turbulence, whose energy begins in a cloud of its own, and mixes as much as a step takes in parts of it.
    local eddies="turbulence%closure='tke' ${I}variable='theta','tke' ${I}amplitude=3,90000"
    small_add tke $eddies
    small_add tke_open $eddies $open ${D}tracers=2 turbulence%cells="'flat'"
    small_add tke_water $eddies $walls $wet ${D}tracers=0 grid%stretch_ratio=1.1
    small_add smagorinsky turbulence%closure="'smagorinsky'" ${D}tracers=0 ${I}variable="'theta','v'" ${B}south="'wall'" ${B}north="'symmetric'"
    small_add smagorinsky_water turbulence%closure="'smagorinsky'" turbulence%cells="'flat'" $wet $open ${D}mixing="'second'"
    small_add tke_implicit $eddies turbulence%vertical="'implicit'" grid%stretch_ratio=1.1 ${B}south="'open'" ${B}north="'wall'"
    small_add tke_water_implicit $eddies $wet $open turbulence%vertical="'implicit'" ${D}tracers=2
    # Ground that warms, cools, wets and holds the air.
    small_add ground $eddies surface%drag="'roughness'" surface%heat="'temperature'" surface%temperature=310 surface%temperature_rate=-1 grid%translation_u=4
    small_add ground_places $eddies $wet surface%drag="'roughness'" surface%heat="'temperature'" surface%temperature=300 surface%wetness=0.1 \
        surface%patch_west=-1e9,500 surface%patch_north=1500,1e9 surface%patch_south=-1e9,700 surface%patch_temperature=312,0 surface%patch_roughness=0.4,0 surface%patch_wetness=-1,1
    small_add ground_flux $open surface%drag="'friction'" surface%friction_velocity=0.5 surface%heat="'flux'" surface%heat_flux=0.3 ${D}tracers=2
    small_add ground_sea $eddies $walls $wet ${D}tracers=0 surface%drag="'sea'" surface%heat="'temperature'" surface%temperature=305 surface%wetness=0.9
    small_add ground_wet $wet surface%drag="'coefficient'" surface%drag_coefficient=3e-3 surface%heat="'flux'" surface%heat_flux=0.1 surface%vapour_flux=1e-4
    small_add ground_still surface%drag="'no_slip'" ${D}mixing="'constant'" ${D}viscosity=300 ${B}south="'wall'" ${B}north="'open'"
    # A larger scale: air that sinks and rises, and what changes in a time of few steps.
    printf '%s\n' 'z geostrophic_u geostrophic_v subsidence u_rate theta_rate qv_rate nudging_v nudging_theta nudging_share' \
        'time 1' '0 9 4 0 1e-2 -1e-2 -1e-5 5 299 0' '1500 -9 4 -1 0 0 0 -5 310 1' 'time 4' '0 4 9 0 0 1e-2 1e-5 5 300 1' '2000 -4 -9 0.4 1e-2 0 -1e-5 8 320 0' \
        'time 5' '0 0 0 -1 0 0 0 0 305 1' >"$cases_work/forcing.txt"
    local forced="forcing%file='$(realpath "$cases_work")/forcing.txt' forcing%nudging_time=20 ${D}coriolis_f=1e-3"
    small_add forcing $forced grid%translation_u=4 grid%stretch_ratio=1.1
    small_add forcing_water $forced $wet $open forcing%interval=3 ${D}tracers=2
    small_add forcing_walls $walls forcing%z=0,1000,2000 forcing%subsidence=0,-1,0.5 forcing%theta_rate=1e-2,0,-1e-2 forcing%v_rate=0,1e-2,0
    # Hills, which small cells below make steep.
    local hills="${D}tracers=0 ${I}variable='theta','u' terrain%shape='bell','ridge' terrain%height=250,150 terrain%half_width=1500,2500 terrain%x=4000,8000 terrain%y=9000,0 terrain%turn=0,30"
    small_add terrain $hills ${D}coriolis_f=1e-3 ${D}rayleigh_depth=900
    small_add terrain_open $hills $open terrain%coordinate="'sleve'" terrain%sleve_small=800 terrain%smoothing=1500 ${D}advection="'upwind3'" grid%stretch_ratio=1.1
    small_add terrain_walls $hills $walls terrain%coordinate="'basic'" ${D}mixing="'off'" ${D}small_steps=6 ${D}first_small_steps=2
    small_add terrain_water $hills $wet ${D}tracers=1 ${I}variable="'theta','tracer'" ${D}rayleigh_depth=900
    small_add terrain_water_open $hills $wet $open ${D}tracers=2 ${I}variable="'theta','humidity'" terrain%coordinate="'sleve'" terrain%smoothing=1500 \
        surface%drag="'roughness'" surface%heat="'temperature'" surface%temperature=310 surface%wetness=0.5
    small_add terrain_water_walls $hills $walls water%scheme="'saturation'" water%equations="'simple'" base%profile="'saturated'" base%theta_e=330 \
        ${D}tracers=0 surface%drag="'sea'" grid%stretch_ratio=1.1
    small_add terrain_ground $hills ${D}tracers=2 surface%drag="'coefficient'" surface%drag_coefficient=3e-3 surface%heat="'flux'" surface%heat_flux=0.3
    small_add terrain_turbulence $hills $wet $open ${D}tracers=1 turbulence%closure="'tke'" turbulence%vertical="'implicit'" ${D}mixing="'off'" \
        turbulence%mixing_length=60 turbulence%cells="'flat'" surface%drag="'roughness'" grid%stretch_ratio=1.1
    small_add terrain_turbulence_walls $hills $walls ${D}tracers=2 turbulence%closure="'smagorinsky'" ${D}mixing="'off'"
    # Sides that a file leads, and starts of it.
    "$1" driver "$cases_work/driver.nc" || return
    local driven="driver%file='$(realpath "$cases_work")/driver.nc' driver%rows=3 $open"
    small_add driven $driven ${D}tracers=1
    small_add driven_south $driven ${B}west="'wall'" ${B}east="'wall'" ${D}coriolis_f=1e-3 ${D}side_budget=true ${D}advection="'upwind5'"
    small_add driven_water $driven $wet ${D}side_budget=true
    small_add driven_most $driven $wet ${D}tracers=28 turbulence%closure="'tke'" ${D}mixing="'off'" surface%drag="'sea'" terrain%shape="'ridge'" terrain%height=100 terrain%half_width=2000
    small_add driven_terrain $driven $hills $wet ${I}variable="'theta','theta'" ${I}file="'$(realpath "$cases_work")/driver.nc'" ${I}file_time=0 ${I}balance="'ground'" ${I}column_divergence="'removed'"
    # Maps of an Earth so small that their factors, and f, change across few cells.
    local small_earth="map%earth_radius=5e4 map%rotation_rate=1e-3 ${D}tracers=0 ${I}variable='theta','u'"
    small_add map $small_earth map%projection="'mercator'" map%centre_latitude=40 ${B}south="'wall'" ${B}north="'open'" ${D}rayleigh_depth=900
    small_add map_open $hills $open $small_earth map%projection="'lambert'" map%centre_latitude=50 map%central_meridian=20 map%standard_parallels=45,60 \
        ${D}advection="'upwind3'" grid%stretch_ratio=1.1
    small_add map_latitudes $hills $small_earth map%projection="'latitude_longitude'" map%centre_latitude=50 ${B}south="'open'" ${B}north="'wall'" ${B}west="'wall'" ${B}east="'open'" \
        ${I}column_divergence="'removed'"
    small_add map_walls $walls $small_earth map%projection="'polar_stereographic'" map%centre_latitude=-88 ${D}small_steps=6 ${D}first_small_steps=2 ${I}column_divergence="'removed'"
    small_add coriolis ${D}coriolis_f=1e-3 ${D}mixing="'off'" grid%translation_u=4 grid%translation_v=-5
    small_add rayleigh ${D}rayleigh_depth=1000 ${D}rayleigh_time=20 grid%stretch_ratio=1.15 grid%stretch_from=500
    small_add monotone $open ${D}mixing="'monotone'" ${D}tracers=3 ${D}rayleigh_depth=900 grid%stretch_ratio=1.1
    small_add jet ${D}coriolis_f=1e-3 ${B}south="'wall'" ${B}north="'symmetric'" ${I}jet="'core'" ${I}jet_speed=20 ${I}jet_height=1500 ${I}jet_width=8000 ${I}jet_offset=300 \
        ${I}balance="'hydrostatic'" grid%stretch_ratio=1.1
    small_add balance ${I}balance="'hydrostatic'" ${I}noise=0 ${B}south="'wall'" ${B}north="'open'"
    small_add beltrami ${I}flow="'beltrami'" ${I}flow_speed=8
    small_add small_steps $open ${D}small_steps=6 ${D}first_small_steps=2 ${D}off_centring=0.5 ${D}divergence_damping=0
    small_add outputs time%duration=7.3 time%output_interval=4.5
    small_add adaptive time%adaptive=.true. time%courant_target=0.05 time%duration=60 time%output_interval=3
    small_add uneven grid%nx=19 grid%ny=17 grid%nz=7 $walls
    small_add few_rows grid%ny=4 grid%nx=17
    small_add few_rows_open grid%ny=5 $open ${D}mixing="'monotone'"
    small_add rows_alike grid%ny=16 ${B}west="'open'" ${B}east="'open'" ${I}noise=0 ${I}radius_y=0,0
    small_add section grid%ny=1 ${B}west="'open'" ${B}east="'open'"
    small_add wide grid%nx=97 grid%ny=9 grid%nz=4 ${B}west="'open'" ${B}east="'open'"
    small_add tall $tall
    small_add tall_open $tall $open
    small_add tall_walls $tall $walls ${D}mixing="'monotone'"

    em_add cpml
    em_add vacuum geometry%shape=5*\'none\'
    em_add conductors $(sides pec pec pec)
    em_add magnetic_conductors $(sides pmc pmc pmc)
    em_add far_magnetic $(sides pec-pmc cpml-pmc pec-pmc)
    em_add near_magnetic $(sides pmc-pec pmc-cpml pmc-cpml)
    em_add south_alone $(sides pec cpml-pec pmc)
    em_add periodic_x $(sides periodic cpml pec)
    em_add periodic_y $(sides cpml periodic cpml)
    em_add periodic_z $(sides pec pmc periodic)
    em_add periodic $(sides periodic periodic periodic)
    em_add bloch $(sides periodic periodic cpml) bloch%kx=150 bloch%ky=-80
    em_add bloch_y $(sides cpml periodic pec) bloch%ky=90
    # More frequencies, whose samples wait for each other.
    em_add waiting spectrum%frequencies="$(seq -s, 1 26 | sed 's/,/e9,/g')e9"
    em_add bloch_waiting $(sides periodic periodic cpml) bloch%kx=150 bloch%ky=-80 spectrum%frequencies="$(seq -s, 1 9 | sed 's/,/e9,/g')e9"
    em_add bloch_none $(sides periodic periodic cpml) bloch%complex_fields=true
    em_add bloch_all $(sides periodic periodic periodic) bloch%kx=-40 bloch%ky=70 bloch%kz=110
    em_add wide_ids "medium%name=$(printf "'m%d'," {1..12})" medium%epsilon=1.5,2,2.5,3,3.5,4,4.5,5,5.5,6,6.5,7 \
        medium%mu=1,1.5,2,2.5,1,3,1.2,1.4,1.6,1.8,2.2,2.4 "geometry%shape=12*'sphere'" "geometry%medium=$(printf "'m%d'," {1..12})" \
        geometry%x=4e-3,8e-3,12e-3,16e-3,5e-3,9e-3,13e-3,17e-3,6e-3,10e-3,14e-3,18e-3 geometry%y=4e-3,9e-3,14e-3,5e-3,10e-3,15e-3,6e-3,11e-3,16e-3,3e-3,8e-3,13e-3 \
        geometry%z=4e-3,9e-3,5e-3,8e-3,6e-3,3e-3,7e-3,10e-3,5e-3,6e-3,4e-3,9e-3 geometry%radius=12*3.7e-3
    local poles="pole%medium='lossy','lossy','glass','both','glass' pole%kind='debye','lorentz','lorentz','drude','pair' pole%strength=3,1.5,0.7
        pole%tau=1e-11 pole%omega=0,1.5e11,2e11,2e11 pole%gamma=0,2e10,5e11,5e10 pole%pole_re(5)=-2e10 pole%pole_im(5)=1e11
        pole%residue_re(5)=1e10 pole%residue_im(5)=-2e10"
    em_add poles $poles
    em_add poles_periodic $poles $(sides periodic periodic pec)
    em_add bloch_poles $poles $(sides periodic periodic pec-pmc) bloch%kx=30 bloch%ky=200
    em_add poles_everywhere $poles geometry%background="'lossy'" $(sides pec pmc cpml-pmc)
    em_add poles_alone pole%medium="'lossy'" pole%kind="'debye'" pole%strength=3 pole%tau=1e-11 geometry%background="'lossy'" geometry%shape="5*'none'" \
        $(sides periodic cpml periodic)
    local cut="maxwell%conformal=0.7 time%dt=1.3e-12 geometry%medium='pec','lossy','magnetic','pec','pec' source%x=15e-3,6e-3,17e-3"
    em_add conformal $cut
    em_add conformal_poles $poles $cut $(sides periodic periodic pec-pmc)
    # sheets of any orientation: a ball, a turned cylinder without ends, a disc, a turned plate through the side and a medium's surface
    shells="geometry%shape='sphere','cylinder','disc','sheet','sphere' geometry%medium='pec','pec','pec','pec','glass' geometry%shell=true,true,false,false,false"
    shells+=" geometry%open_ends=false,true,false,false,false geometry%x=9e-3,14e-3,4e-3,17e-3,12e-3 geometry%y=9e-3,6e-3,13e-3,14e-3,13e-3"
    shells+=" geometry%z=6e-3,8e-3,5e-3,6e-3,7e-3 geometry%radius=3.7e-3,2.4e-3,3e-3,0,3e-3 geometry%size_x=0,0,0,7e-3,0 geometry%size_y=0,0,0,8e-3,0"
    shells+=" geometry%size_z=0,5e-3,0,0,0 geometry%turn_x=0,35,20,0,0 geometry%turn_y=0,20,-40,50,0"
    em_add shells $shells
    em_add shells_poles $poles $shells $(sides periodic periodic pec-pmc)
    em_add shells_conformal $shells "geometry%medium='pec','pec','pec','pec','pec'" maxwell%conformal=0.8 time%dt=1.3e-12 $(sides pec-pmc periodic cpml)
    em_add bloch_shells $shells $(sides periodic periodic pec-pmc) bloch%kx=30 bloch%ky=200
    local thin="geometry%shape='wire','wire','wire','cylinder','wire' geometry%medium='pec','pec','pec','lossy','pec' geometry%axis='z','z','x','z','y'
        geometry%x=9e-3,9e-3,11e-3,15e-3,0 geometry%y=9e-3,9e-3,9e-3,12e-3,8e-3 geometry%z=5e-3,9.45e-3,8.1e-3,5e-3,5e-3
        geometry%size_x=0,0,4e-3,0,0 geometry%size_y=0,0,0,0,7e-3 geometry%size_z=3.6e-3,2.7e-3,0,4e-3,0 geometry%radius=1e-4,1e-4,4e-5,2e-3,2e-4 time%dt=1.2e-12"
    em_add wires $thin $(sides pmc cpml cpml) "source%kind=3*'none'" "port%kind='lumped'" port%x=9e-3 port%y=8.8e-3 port%z=7.65e-3 port%size_z=0.9e-3 \
        excitation%frequency=2.2e10 excitation%delay=4e-12
    em_add wires_poles $poles $thin geometry%background="'lossy'" $(sides periodic periodic pec-pmc)
    local port="source%kind=3*'none' port%kind='lumped','lumped' port%axis='z','x' port%x=6e-3,12.5e-3 port%y=8.8e-3,11e-3 port%z=5.4e-3,4.5e-3 port%size_x=2e-3
        port%size_y=1.1e-3 port%size_z=1.8e-3 excitation%frequency=2.2e10 excitation%delay=4e-12 element%axis='y','z','z' element%x=15e-3,8e-3,12e-3
        element%y=5e-3,4.4e-3,9.9e-3 element%z=7.2e-3,7.6e-3,4.9e-3 element%resistance=50,20,30 element%inductance=1e-9,1e-9 element%capacitance=1e-13,1e-13,2e-13
        element%connection='parallel','series','series'"
    em_add ports_periodic $poles $port $(sides periodic periodic pec) "element%y=0,0,9.9e-3" element%x=0,19e-3,12e-3 excitation%port=2
    em_add ports_alone $port $(sides pmc-pec pmc-cpml pec) geometry%shape="5*'none'" element%x=0,8e-3,12e-3
    em_add guides $(sides cpml pec pec) "source%kind=3*'none'" "geometry%shape=5*'none'" port%kind="'guide','guide'" port%axis="'x','x'" port%x=6e-3,13e-3 \
        port%toward="'+','-'" port%y=9.35e-3,9.35e-3 port%z=6.3e-3,6.3e-3 excitation%frequency=2.2e10 excitation%delay=4e-12
    for w in +x -x +y -y +z -z; do em_add "wave$w" $(wave $w); done
    em_add wave_oblique $(wave oblique) plane_wave%theta=50 plane_wave%phi=30 plane_wave%polarisation=25
    em_add wave_oblique_back $(wave oblique) plane_wave%theta=120 plane_wave%phi=200 plane_wave%polarisation=-40 geometry%background="'glass'"
    em_add wave_layers $(wave oblique) plane_wave%theta=130 plane_wave%phi=30 plane_wave%polarisation=25 plane_wave%layers=true plane_wave%waveform="'modulated_gaussian'" plane_wave%delay=-1 \
        "geometry%shape='half_space','layer'" "geometry%medium='both','lossy'" "geometry%axis='z','z'" "geometry%side='below','below'" \
        geometry%z=5e-3,4e-3 geometry%size_z=0,1.2e-3
    em_add wave_across $(sides periodic periodic cpml) $(wave +z) plane_wave%polarisation=30
    em_add wave_on $(sides periodic periodic cpml) $(wave -z) plane_wave%box=-1,1,-1,1,-1,9e-3 "geometry%shape='half_space'" geometry%z=6e-3 \
        "geometry%axis='z'" "geometry%side='below'" geometry%medium="'glass'"
    em_add bloch_wave $(sides periodic periodic cpml) $(wave +z) plane_wave%polarisation=30 bloch%kx=150 bloch%ky=-80
    em_add bloch_wave_y $(sides periodic cpml periodic) $(wave -y) bloch%kz=200 monitor%kind="6*'flux'" monitor%west=-1 monitor%east=1 \
        monitor%south=3.3e-3,4.4e-3,5.5e-3,6.6e-3,7.7e-3,8.8e-3 monitor%north=3.3e-3,4.4e-3,5.5e-3,6.6e-3,7.7e-3,8.8e-3 monitor%bottom=6*-1 monitor%top=6*1
    em_add wave_along_y $(sides periodic cpml pmc) $(wave -y) plane_wave%polarisation=90
    em_add sheets "geometry%shape=5*'sheet'" geometry%axis="'x','y','z','y','x'" "geometry%medium=5*'pec'" \
        geometry%size_x=5*6e-3 geometry%size_y=5*7e-3 geometry%size_z=5*5e-3
    em_add films "geometry%shape='layer','box','layer','layer','cylinder'" "geometry%medium='glass','lossy','both','lossy','glass'" \
        "geometry%axis='z','z','x','y','z'" geometry%size_x=0,5.3e-3,0.4e-3,0,0 geometry%size_y=0,0.7e-3,0,0.98e-3,0 \
        geometry%size_z=0.3e-3,4e-3,0,0,0.2e-3
    em_add mode_y $(sides pec cpml pec) source%kind="'mode','none','none'" source%axis="'y'" source%amplitude=1 "geometry%shape=5*'none'" source%z=6.3e-3
    em_add mode_x $(sides cpml pec pec) source%kind="'mode','none','none'" source%axis="'x'" source%amplitude=1 "geometry%shape=5*'none'" source%y=9.35e-3 source%z=6.3e-3
    em_add hard source%drive="'hard','hard','soft'"
    em_add graded grid%size_x=20*1.1e-3 grid%size_y=8*1.2e-3,9*1e-3 grid%size_z=6*0.9e-3,8*1.3e-3
    # The same places in other numbers of cells: columns for two threads, fewer rows than ranks would like, slabs of many rows.
    em_add wide grid%nx=70 grid%ny=9 grid%dy=2.1e-3
    em_add far $(sides pmc-cpml cpml pec-cpml) "geometry%shape=5*'none'" monitor%name="'near','wide'" monitor%kind="2*'far'" monitor%west=-1,-1 \
        monitor%east=12e-3,15e-3 monitor%south=4.4e-3,3.3e-3 monitor%north=13.2e-3,14.3e-3 monitor%bottom=3.6e-3,-1 monitor%top=9e-3,9.9e-3 \
        monitor%theta_count=2*5 monitor%phi_count=2*4
    em_add section grid%ny=1 grid%dy=19e-3 $(sides cpml periodic pmc) monitor%kind="6*'fields'"
    em_add few_rows grid%ny=5 grid%dy=3.8e-3 cpml%cells=2 $(sides pmc cpml pec)
    em_add few_rows_periodic grid%ny=4 grid%dy=4.8e-3 $(sides cpml periodic cpml)
    em_add tall grid%nx=6 grid%dx=3.4e-3 grid%ny=60 grid%nz=5 grid%dz=2.6e-3 cpml%cells=2
}

# cases_of_kernels: adds small cases of what kernels of a GPU treat apart.
cases_of_kernels() {
    local m x n seams aside two_media
    for m in off second fourth monotone constant; do
        small_add upwind_$m ${D}advection="'upwind3'" ${D}mixing="'$m'" ${D}viscosity=300 $([ $m = fourth ] || echo "$walls")
    done
    for m in off second fourth monotone constant; do
        small_add upwind5_$m ${D}advection="'upwind5'" ${D}mixing="'$m'" ${D}viscosity=300 $([ $m = fourth ] || echo "$walls")
    done
    small_add centred6_open $open ${D}advection="'centred6'" ${D}mixing="'monotone'"
    small_add second_open $open ${D}mixing="'second'" ${D}tracers=0 ${I}variable=2*\'theta\'
    small_add most_tracers ${D}tracers=32 ${I}tracer=1,32
    # Tiles of tracers: whole ones, and ones that begin early; levels in two pieces; boxes that hold none.
    for m in off second fourth monotone; do
        small_add tracer_tiles_$m grid%nx=45 grid%ny=31 ${D}mixing="'$m'" ${D}tracers=3 ${I}noise=0
    done
    small_add tracer_tiles_tall grid%nx=45 grid%ny=31 grid%nz=33 ${D}tracers=1 ${I}noise=0 # levels that no tracer has
    small_add tracer_tiles_open grid%nx=71 grid%ny=34 grid%nz=33 $open ${D}tracers=2 ${I}noise=0
    small_add tracer_tiles_inflow grid%nx=33 grid%ny=17 grid%nz=34 $open ${D}tracers=2 boundary%tracer_inflow=0.3 ${D}mixing="'fourth'"
    small_add tracer_tiles_whole grid%nx=64 grid%ny=28 $walls ${D}tracers=1
    # Tendencies and water in one kernel: buoyancy of no level, of some and of all; and where blocks do not begin with two columns.
    small_add water_tiles $wet $open grid%nx=38 grid%ny=19 ${D}tracers=1
    small_add water_damped $wet ${D}rayleigh_depth=900 ${D}advection="'upwind3'" ${D}mixing="'monotone'"
    small_add water_uneven $wet ${D}rayleigh_depth=900 grid%nx=19 grid%ny=17
    small_add constant_tracers ${D}mixing="'constant'" ${D}viscosity=300 ${D}tracers=3
    # Kernels that see to the sides themselves: kinds of sides that no case above has in x and y, and one column or row between them.
    small_add wall_x $wall_x
    small_add wall_x_open_y $wall_x $open_y
    small_add open_x_wall_y $open_x $wall_y
    small_add open_west_north ${B}west="'open'" ${B}east="'wall'" ${B}south="'wall'" ${B}north="'open'"
    for x in periodic wall open; do small_add column_$x grid%nx=1 ${B}west="'$x'" ${B}east="'$x'"; done
    small_add section_walls grid%ny=1 $walls
    small_add section_open grid%ny=1 $wall_x $open_y
    # More columns, levels or rows than a block has, and fewer; one more, and one less.
    small_add broad grid%nx=131 grid%ny=6 grid%nz=5 $open
    # Ghosts east of them end where lines of the cache do, or one before.
    small_add full_lines grid%nx=60 grid%ny=6 grid%nz=5 $open
    small_add full_lines_periodic grid%nx=27 grid%ny=6 grid%nz=5
    small_add deep grid%nx=9 grid%ny=7 grid%nz=67 grid%dz=40 time%dt=0.3 time%duration=1.5 $walls
    # More levels than blocks of 32 columns take: those of 16, and columns that they do not fill.
    small_add high grid%nx=21 grid%ny=5 grid%nz=150 grid%dz=20 time%dt=0.15 time%duration=0.75 $walls
    small_add narrow grid%nx=4 grid%ny=11 grid%nz=4
    small_add column grid%nx=65 grid%ny=4 grid%nz=33 grid%dz=80 time%dt=0.5 time%duration=2.5
    # Ranks of so many rows that their exchanges travel behind the rows inside.
    small_add parted grid%nx=6 grid%ny=300 grid%nz=5
    small_add parted_open grid%nx=6 grid%ny=300 grid%nz=5 $open
    small_add parted_walls grid%nx=6 grid%ny=300 grid%nz=5 $walls
    seams="source%y=80e-3,121e-3,160e-3" # waves cross them
    em_add parted grid%ny=220 $seams
    em_add parted_periodic $seams grid%ny=220 ${B}south="'periodic'" ${B}north="'periodic'"
    em_add sharp geometry%subpixel=.false. geometry%background="'lossy'"
    em_add broad grid%nx=133 cpml%cells=2 source%x=62e-3,6e-3,126e-3 # waves cross borders of blocks
    em_add deep grid%nz=70 grid%dz=2.6e-4 time%dt=8e-13 cpml%cells=2
    em_add thick_layers cpml%cells=6 grid%ny=24 grid%nz=20
    em_add drives source%kind="'electric','magnetic','magnetic'" source%drive="'soft','hard','soft'" source%axis="'y','x','z'"
    em_add long $long_rows
    # Waves cross borders of tiles: those of 128 columns, strips of 32 beside them, 8 levels and 4 rows, some without layers.
    em_add one_sweep maxwell%sweeps="'one'" grid%nx=133 cpml%cells=2 source%x=126e-3,10e-3,130e-3
    em_add one_sweep_layers maxwell%sweeps="'one'" grid%nx=176 grid%nz=24 cpml%cells=4 medium%mu=4*1 medium%sigma_m=4*0 \
        source%x=31e-3,5e-3,165e-3 source%z=9e-3,10e-3,12e-3
    em_add one_sweep_seams maxwell%sweeps="'one'" $(sides periodic pec periodic) source%x=0.4e-3,19.6e-3,19e-3 source%z=0.4e-3,3e-3,12e-3
    em_add magnetic_sweep maxwell%sweeps="'one'" $(sides pmc-pec pmc-pec pmc-pec) source%x=1e-3,1.5e-3,2e-3 source%y=1e-3,2e-3,1e-3 source%z=2e-3,1e-3,1e-3
    em_add one_sweep_strips maxwell%sweeps="'one'" grid%nx=174 grid%ny=9 grid%dy=2.1e-3 grid%nz=5 grid%dz=2.6e-3 cpml%cells=2
    # Layers wider than a strip, and plain tiles between them.
    em_add one_sweep_thick maxwell%sweeps="'one'" cpml%cells=40 grid%nx=400 grid%ny=4 grid%dy=4.8e-3 grid%nz=12 grid%dz=1.1e-3 $(sides cpml periodic pec) \
        "geometry%shape=5*'none'" source%x=0.19,0.2,0.21 "source%kind=3*'electric'"
    em_add one_sweep_long maxwell%sweeps="'one'" $long_rows source%kind="'electric','magnetic','magnetic'"
    # A side that repeats beside one that does not: ghosts of faces.
    em_add one_sweep_round maxwell%sweeps="'one'" $(sides periodic pec cpml) $long_rows
    em_add one_sweep_stacked maxwell%sweeps="'one'" $(sides pec cpml periodic) $long_rows grid%nx=21
    # Two steps at once in the core, and what lies around it.
    pair_add() { local name=pair_$1; shift; case_add "$name" maxwell tests/support_pair.nml "$@"; }
    aside="source%y=2*13.7e-3 source%z=2*7.5e-3" # of blocks where no layer is
    pair_add cpml
    pair_add conductors $(sides pec pmc-pec pec) geometry%background="'lossy'" $aside
    pair_add round $(sides periodic periodic periodic) $aside
    pair_add seam $(sides cpml periodic pec) source%y=2*1e-3 source%z=2*7.5e-3
    two_media="geometry%x=28e-3,75e-3 geometry%size_x=0,300e-3 geometry%y=9e-3,130e-3 geometry%size_y=0,128e-3 source%y=16.8e-3,95e-3 grid%nx=100 source%x=33e-3,60e-3"
    pair_add parted grid%ny=150 $two_media
    pair_add parted_periodic grid%ny=150 $(sides periodic periodic cpml) $two_media source%y=13.7e-3,95e-3
    # Poles of a box, of a ball in it that shares edges with it, and of a lumped element; blocks without are the core.
    pair_add poles "pole%medium='lossy','lossy','glass'" "pole%kind='debye','lorentz','lorentz'" pole%strength=3,1.5,0.7 pole%tau=1e-11 pole%omega=0,1.5e11,2e11 \
        pole%gamma=0,2e10,5e11 geometry%x=70e-3 geometry%y=44e-3 geometry%z=11e-3
    # As many poles as kernels hold in registers, and more.
    pair_add poles_more "pole%medium='lossy','lossy','glass','glass'" "pole%kind='debye','debye','lorentz','lorentz'" pole%strength=3,1.5,0.7,0.4 \
        pole%tau=1e-11,3e-12 pole%omega=0,0,1.5e11,2e11 pole%gamma=0,0,2e10,5e10 geometry%x=70e-3 geometry%y=44e-3 geometry%z=11e-3
    pair_add poles_many "pole%medium=3*'lossy'" "pole%kind=3*'debye'" pole%strength=3,1.5,0.7 pole%tau=1e-11,3e-12,4e-12 $aside
    # More frequencies than a kernel is handed at a time.
    pair_add spectrum "spectrum%frequencies=$(seq -s, 1 200 | sed 's/,/e8,/g')e8"
    pair_add poles_round "pole%medium='glass'" "pole%kind='drude'" pole%omega=2e11 pole%gamma=5e10 $(sides periodic periodic periodic) $aside
    pair_add graded time%dt=1.7e-12 "grid%size_x=30*1.1e-3,154*0.9e-3" "grid%size_y=20*1.2e-3,24*1e-3" "grid%size_z=14*0.9e-3,10*1.3e-3"
    pair_add wave source%kind="2*'none'" "geometry%shape=2*'none'" plane_wave%direction="'oblique'" plane_wave%theta=50 plane_wave%phi=30 plane_wave%margin=2 \
        plane_wave%frequency=2.2e10 plane_wave%delay=1e-12 grid%nx=90 grid%ny=50 grid%nz=44 time%duration=3.6e-11
    pair_add wave_up source%kind="2*'none'" "geometry%shape=2*'none'" plane_wave%direction="'+z'" plane_wave%margin=3 plane_wave%frequency=2.2e10 \
        plane_wave%delay=1e-12 $(sides periodic periodic cpml) grid%nx=60 grid%ny=32 grid%nz=44 time%duration=3.6e-11
    # A slice is its own neighbour along y: beside media it would have no core.
    pair_add section grid%ny=1 grid%dy=44e-3 $(sides cpml periodic cpml) "monitor%kind=2*'fields'" "geometry%shape=2*'none'"
    pair_add stacked $(sides cpml periodic periodic) $aside
    pair_add no_core grid%nx=60 source%x=33e-3,43e-3 geometry%x=28e-3,14e-3 geometry%size_x=0,36e-3 geometry%y=9e-3,24e-3 geometry%size_y=0,80e-3
    # Columns of 8 or 16 levels a warp, of more warps, and of more levels than they take.
    for n in 21 75 96 150 270; do case_add columns_$n columns tests/support_columns.nml grid%nz=$n; done
    case_add columns_thin columns tests/support_columns.nml grid%nz=2 grid%nx=33
    # Vectors of columns: more than a block's, and a rest; fewer than one; four rows that a thread takes one after the other, and a rest.
    for n in 4 5 45 134; do case_add vectors_$n vectors tests/support_vectors.nml grid%nx=$n; done
    case_add vectors_rows vectors tests/support_vectors.nml grid%nx=8 grid%ny=523 grid%nz=3 boundary%west="'periodic'" boundary%east="'periodic'"
    # Kernels that take no vectors: several levels of a column, and rows, of which some are left.
    case_add kernels_levels kernels tests/support_kernels.nml
    # Levels above the lid follow from levels of earlier windows, and no column beside them is read.
    case_add kernels_windows kernels tests/support_kernels.nml pipeline%window_levels=2 ${B}south="'mirror'" ${B}north="'mirror'"
    case_add kernels_rows kernels tests/support_kernels.nml grid%nx=8 grid%ny=400 grid%nz=9
    em_add one_place source%x=3*10e-3 source%y=3*9e-3 source%z=3*6e-3 source%axis=3*\'z\' source%kind=3*\'electric\' source%drive="'current','hard','soft'"
}
