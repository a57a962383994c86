#!/bin/bash
# The command line end to end: what each command says and leaves behind, every exit code that can be had here, and the same
# bits for ranks, threads, slabs and interruptions. `SFERIC=binary tests/command_line.sh`
# Long: it waits for runs that stop, and starts hundreds of programs.
# SPDX-License-Identifier: MIT
set -u
export LC_ALL=C
: "${SFERIC:?the path of the binary under test}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0
namelists=$(cd "$(dirname "$0")/../namelists" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic command ü XXXXXX") # spaces and UTF-8 in every path
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0 failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    /' err
}
# expect CODE TEXT ARGUMENT...: this exit code, and TEXT (a pattern) on stdout or stderr
expect() {
    local code=$1 text=$2 rc
    shift 2
    checks=$((checks + 1))
    timeout 120 "$SFERIC" "$@" >out.txt 2>err </dev/null
    rc=$?
    if [ $rc != "$code" ]; then fail "exit code $rc, not $code: sferic $*"
    elif ! cat out.txt err | grep -qE -- "$text"; then fail "does not say '$text': sferic $*"; fi
}
holds() { # WHAT CONDITION...
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null 2>>err || fail "$what"
}
mpi_there() { command -v mpirun >/dev/null && ! "$SFERIC" --version | grep -q '^MPI *none'; }
digest() { sed -n 's/^digest //p' out.txt; }
status_says() { # DIRECTORY STATE CODE
    grep -q "\"state\": \"$2\"" "$1/status.json" && grep -Eq "\"exit_code\": $3,\$" "$1/status.json"
}

cat >case.nml <<'END'
&case name = 'bubble', title = 'a warm bubble' /
&grid nx = 20, ny = 12, nz = 10, dx = 500, dy = 500, dz = 500 /
&time duration = 40, dt = 2.5, output_interval = 20, restart_interval = 15, series_interval = 10, check_interval = 3 /
&boundary south = 'wall', north = 'wall' /
&initial shape = 'cosine_squared', amplitude = 2, x = 5000, y = 3000, z = 2000,
         radius_x = 2000, radius_y = 2000, radius_z = 1500 /
END

# ---- help, version, mistakes of the command line ---------------------------------------------------------------------

expect 0 '^sferic [0-9]+\.[0-9]+\.[0-9]+ \(' --version
expect 0 'netCDF [0-9]' --version
expect 0 'precision +(32|64) bits' --version
expect 0 '^CUDA +([0-9]+\.[0-9]+|none)$' --version
expect 0 'Commands:' --help
for c in run check plan cases explain doctor report; do
    expect 0 "Usage: sferic $c" $c --help
    expect 2 'has no option' $c --nonsense
done
expect 2 'which command' # none
expect 2 "no command 'rnu'; did you mean 'run'" rnu case.nml
expect 2 "no command 'case.nml'; .sferic run case.nml. runs a case" case.nml
expect 0 'sferic-plot draws a run' --help
expect 2 'which case.*sferic cases. lists them' run
expect 2 "did you mean '--restart'" run case.nml --restrat auto
expect 2 'one namelist at a time' run case.nml other.nml
expect 2 'needs a value' run case.nml --out
expect 2 'takes no value' run case.nml --force=yes
expect 2 'choose auto, cpu or cuda' run case.nml --backend gpu
expect 2 'expected a number of steps' run case.nml --stop-after-steps 0
expect 2 'expected group%key=value; did you mean grid%nx=3\?' run case.nml --set gridnx=3
holds 'mistakes leave no file' test ! -e out

# ---- a plan for another machine --------------------------------------------------------------------------------------

expect 0 'memory: [0-9.]+ MiB of this rank' plan case.nml --set grid%nx=100000 --set grid%ny=100000
holds 'plan tells what this machine lacks' grep -q 'warning: this run needs .* of memory' err
expect 9 'this run needs' check case.nml --set grid%nx=100000 --set grid%ny=100000
expect 0 'streamed: [0-9]+ skewed slabs' plan case.nml --gpu h100 --set grid%nx=10000 --set grid%ny=10000
expect 0 '^ranks: 64, 8 of a machine, 1024 rows each; .* of 2 messages' plan case.nml --ranks 64 --gpu h200 --set grid%nx=4096 --set grid%ny=65536
holds 'plan counts what goes between machines' grep -q '8 machines: .* GiB a step between them' out.txt
expect 0 '^ranks: 16, 4 of a machine, 8 rows each' plan case.nml --ranks 16 --node 4 --backend cpu --set grid%ny=128
expect 2 '100 ranks are more than the 64 rows of the grid' plan case.nml --ranks 100 --set grid%ny=64
expect 0 '^ranks: 8, 8 of a machine, 8 rows each' plan "$namelists/acoustic.nml" --ranks 8 --gpu H200 --set grid%ny=64
expect 2 "--gpu h20: choose h100 or h200" plan case.nml --gpu h20
expect 2 'give --ranks, too' plan case.nml --node 8
expect 2 '--ranks 0: a number from 1' plan case.nml --ranks 0

# ---- where a namelist comes from --------------------------------------------------------------------------------------

expect 0 'digest' run case.nml -q --out from_file
bits=$(digest)
for from in pipe stdin ranks; do
    [ $from = ranks ] && ! mpi_there && continue
    checks=$((checks + 1))
    case $from in
        pipe) timeout 60 "$SFERIC" run <(cat case.nml) -q --out from_pipe ;;
        stdin) timeout 60 "$SFERIC" run /dev/stdin -q --out from_stdin < <(cat case.nml) ;;
        ranks) timeout 60 mpirun -n 2 "$SFERIC" run /dev/stdin -q --out from_ranks <case.nml ;;
    esac >out.txt 2>err
    [ "$(digest)" = "$bits" ] || fail "a namelist through $from gives other bits: $(cat out.txt)"
done
checks=$((checks + 1))
timeout 60 "$SFERIC" check <(cat case.nml) >out.txt 2>err && grep -q 'wall time: *about' out.txt || fail 'check of a pipe, which it reads twice'
: >empty.nml
expect 3 'no group found' run empty.nml
printf '&case name = "a" /\n$grid\n nx = 7\n$end\n[time]\nboundary west = "wall" /\n' >other_forms.nml
expect 3 '2:1: error: this group is not read.*&grid ' check other_forms.nml
expect 3 '5:1: error: this group is not read.*&time ' check other_forms.nml
expect 3 "6:1: error: this group is not read: its '&' is missing" check other_forms.nml
printf '#title: a pipe\n#domain: 0.2 0.2 0.002\n' >pipe.in
expect 3 'no group found, but commands of gprMax: sferic-import' check pipe.in
rm -rf from_* out empty.nml other_forms.nml pipe.in

# ---- explain, check, plan --------------------------------------------------------------------------------------------

expect 0 'grid' explain
expect 0 'nx +integer' explain grid%nx
expect 0 'History variables' explain output
holds 'explain names the tracers that other parameters make' grep -qE '^  \* q1 \.\.\. q32 .*as many as the parameters make' out.txt
# Maps too, and each that it names can be asked for where the case has it; what only checkpoints keep is no variable.
ground="--set surface%drag='roughness' --set surface%heat='temperature' --set surface%temperature=300 --set water%scheme='kessler'"
maps=$(sed -n "/^History variables of model 'dynamics'/,/^Numbers/s/^  [* ] \([a-z][a-z_0-9]*\) .*one value a column, with other parameters$/\1/p" out.txt)
holds 'explain names the maps that other parameters make' [ "$(tr '\n' ' ' <<<"$maps")" = 'theta_flux heat_flux evaporation friction_velocity inverse_obukhov temperature_2m wind_10m qv_2m surface_temperature roughness wetness rain rain_rate terrain_height terrain_large terrain_small map_factor coriolis_parameter ' ]
holds 'explain names the numbers that other parameters make' grep -qE '^    (rain_rate_max|water_out) .*, with other parameters$' out.txt
for name in $maps; do
    case $name in
        terrain_*) where="--set terrain%shape='ridge' --set terrain%height=10 --set terrain%half_width=5000" ;;
        map_* | coriolis_*) where="--set map%projection='mercator' --set boundary%south='wall' --set boundary%north='wall'" ;;
        *) where=$ground ;;
    esac
    expect 0 'wall time' check case.nml $where --set output%fields="'$name'"
    expect 3 "no history variable '$name' with these parameters" check case.nml --set output%fields="'$name'"
done
expect 2 'did you mean' explain gird
expect 0 '^[{]"group": "grid", "key": "nx", "type": "integer", .*"min": 1, "max": 100000, .*"meaning": "cells west to east"[}],' explain --json
expect 2 "take 'grid' away" explain grid --json
expect 0 'wall time: +about' check case.nml
grep -q 'time: *16 steps of 2.5 s' out.txt || fail "check counts other steps: $(cat out.txt)"
expect 0 'operations: +[0-9.]+ flop a byte of memory' check case.nml
grep -qE '^  limit: +[0-9.e+]+ Mpoint/s, set by (memory|FMA)$' out.txt && grep -qE '^ +the trial reached [0-9]+ % of it$' out.txt || fail "check tells no limit"
expect 0 'memory: .* bytes a point' check case.nml
holds 'headings part what check tells' [ "$(grep -E '^[A-Z]' out.txt | tr '\n' ' ')" = 'Case Cost Model dynamics Speed ' ]
holds 'rows have their texts in one column' [ "$(sed -n '/^Case/,/^Model/p;/^Speed/,$p' out.txt | grep -vcE '^  [a-z][a-z ]*: +[^ ]|^ {15}[^ ]|^[A-Z][a-z]|^$|^no warnings$')" = 0 ]
holds 'limits of the step are in order' sort -c -g -k 3 <(grep -E '^ +dt < ' out.txt)
expect 0 'bound: memory gives' plan case.nml
expect 0 '16 steps' run case.nml --dry-run
holds 'check, plan and --dry-run leave no file' test "$(ls | sort | tr '\n' ' ')" = 'case.nml err out.txt '

# ---- all that is wrong with a namelist, at once ----------------------------------------------------------------------

cat >wrong.nml <<'END'
&case name = 'a b' /
&grid nx = 20, ny = 12, nz = many, dz_max = 100 /
&boundary west = 'wall' /
&dynamics small_steps = 5, mixing = 'constant', tracers = 1 /
&base wind = 'shear', shear_top = 10, shear_bottom = 20, profile = 'sounding', sounding = 'none.txt' /
&initial shape = 'cosine', 'cosine', amplitude = 2, variable = 'theta', 'tracer', tracer = 1, 2, radius_x = 2*2000,
         x = 1000, 1e6 /
&output fields = 'u', 'q2', probe_x = 10, 90000, probe_y = 2*10, probe_z = 2*10 /
&time start = '2011-02-29 00:00:00', dt = -1 /
END
cat >expected <<'END'
wrong.nml:1:14: error: name 'a b'
wrong.nml:2:30: error: expected an integer
wrong.nml:2:45: error: dz_max
wrong.nml:3:18: error: west and east
wrong.nml:4:25: error: small_steps must be even
wrong.nml:4:37: error: mixing = 'constant' needs
wrong.nml:5:35: error: shear_top = 10 m
wrong.nml:5:91: error: sounding file 'none.txt' not found
wrong.nml:6:50: error: 2 of shape, but 1 of amplitude
wrong.nml:6:95: error: perturbation 2 is of tracer q2
wrong.nml:7:20: warning: perturbation 2 touches no cell
wrong.nml:8:23: error: there is no history variable 'q2' with these parameters
wrong.nml:8:43: error: probe 2 at x = 90000 m
wrong.nml:9:15: error: '2011-02-29 00:00:00' is no date
wrong.nml:9:43: error: -1 is out of range
--set:1:16: error: south and north
END
for c in check run plan; do
    expect 3 '^sferic: error: wrong.nml: 15 errors in the namelist and its overrides$' $c wrong.nml --set boundary%north=open
    cut -c1-400 err | grep -E '^[^ ]*:[0-9]+:[0-9]+: ' >told
    holds "$c tells every error, in the order of the file" test "$(wc -l <told)" = "$(wc -l <expected)"
    while read -r line <&3 && read -r got <&4; do
        holds "$c says: $line" test "${got:0:${#line}}" = "$line"
    done 3<expected 4<told
done
rm wrong.nml expected told
expect 3 "--set:1:12: error: '2010' is no date" check case.nml --set time%start=2010
# What an error of the reader brings with it is no error of its own.
expect 3 'case.nml: 1 error in' check case.nml --set boundary%south=wal
expect 4 'case.nml: 1 error in the files that it names' check case.nml --set base%wind=sounding --set base%sounding=none.txt
expect 3 'probe 1 at z = -1 m lies outside' check case.nml --set output%probe_x=1 --set output%probe_y=1 --set output%probe_z=-1
expect 3 'probe 1 at z = -1 m lies outside' run case.nml --set output%probe_x=1 --set output%probe_y=1 --set output%probe_z=-1
expect 0 'warning: perturbation 1 touches no cell' check case.nml --set initial%z=9000
expect 0 'warning: perturbation 1 touches no cell' check case.nml --set initial%x=5000 --set initial%radius_x=200
holds 'a trial does not warn again' test "$(grep -c 'touches no cell' err)" = 1
expect 0 'warning: device_memory_mib is for a GPU, and the backend is .cpu.' check case.nml --backend cpu --set pipeline%device_memory_mib=10
expect 0 "warning: slabs go through all ops of a pass: exchange = 'op' does not count" check case.nml --backend cpu --set pipeline%slabs=2 --set "pipeline%exchange='op'"

# ---- exit codes ------------------------------------------------------------------------------------------------------

expect 3 "cannot read the namelist 'none.nml'" run none.nml
expect 3 "did you mean 'duration'" run case.nml --set time%duratoin=3
expect 3 'south and north must both' run case.nml --set boundary%south=periodic
expect 3 'probe_x, probe_y and probe_z' run case.nml --set output%probe_x=100
expect 3 'no history variable' run case.nml --set output%fields=nonsense
expect 4 'none.txt' run case.nml --set base%profile=sounding --set base%sounding=none.txt
expect 5 'after step [0-9]+ .*i = [0-9]+, j = [0-9]+, k = [0-9]+' run case.nml --out blown -q --set time%dt=200 --set time%allow_unstable=true \
    --set time%duration=20000 --set time%check_interval=1 --set time%output_interval=0
holds 'a blow-up is in status.json' status_says blown failed 5
checks=$((checks + 1))
grep -qi -- '-nan' err && fail 'a number is called -nan'
touch file
expect 6 "file/below" run case.nml --out file/below
[ -e /dev/nvidia0 ] || expect 7 'backend cuda: this (program was built without CUDA|machine has no GPU)' run case.nml --backend cuda
(cat case.nml; echo '&cpml cells = 4 /') >other_model.nml
expect 3 "group &cpml is of model 'maxwell'" run other_model.nml --dry-run
expect 3 "group cpml is of model 'maxwell', and &case model is 'dynamics'" run case.nml --set cpml%cells=4 --dry-run
expect 3 "key 'top' in &boundary is of model 'maxwell'" run case.nml --set boundary%top=cpml --dry-run
expect 0 "of model 'maxwell':" explain boundary
expect 8 'cannot open checkpoint' run case.nml --restart none.nc --out none/deeper
expect 8 'cannot open checkpoint' run case.nml --restart /no/such --out none
holds 'a run that cannot begin leaves no directory' [ ! -e none ]
expect 9 'GiB of memory' run case.nml --set grid%nx=100000 --set grid%ny=100000
expect 9 'GiB of memory' check case.nml --set grid%nx=100000 --set grid%ny=100000
huge=(--set time%output_interval=1e-3 --set time%dt=1e-3 --set time%duration=1e7 --set time%restart_interval=0 --set time%series_interval=1e7)
expect 6 'the output needs .* has room for' check case.nml "${huge[@]}"
expect 0 'warning: the output needs .* before compression .* has room for .*: compression may' check case.nml "${huge[@]}" --set output%compression=1
# An entry a step is more than the disk has, and more than memory, where entries stay until the end: both are told.
expect 9 'the output needs .* has room for' check case.nml "${huge[@]}" --set output%compression=1 --set time%series_interval=0
holds 'a series beyond memory is told' grep -q 'error: this run needs .* GiB of memory' err
# Where something may end a run before its duration, what it gathers until then is warned of.
cat >ends.nml <<'END'
&case name = 'ends', model = 'maxwell' /
&grid nx = 24, ny = 24, nz = 24, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 1 /
&source kind = 'electric', axis = 'z', waveform = 'ricker', frequency = 5e9, x = 0.01, y = 0.01, z = 0.01 /
&output probe_x = 0.013, probe_y = 0.013, probe_z = 0.013 /
END
expect 9 'error: this run needs .* GiB of it for entries of series and probes' check ends.nml
expect 0 'warning: this run needs .* if nothing ends it before time%duration' check ends.nml --set stop%energy=1e-3
expect 0 'warning: the output needs .* if nothing ends the run before time%duration' check ends.nml --set stop%energy=1e-3
expect 0 '^digest' run ends.nml --set stop%energy=1e-3
rm -rf out/ends
expect 0 'disk: +at most' check case.nml --set output%compression=1
checks=$((checks + 1))
grep -q 'warning.*compression may' err && fail 'what fits is warned of'

# ---- a run and what it leaves ----------------------------------------------------------------------------------------

expect 0 '^digest [0-9a-f]{16}$' run case.nml -v
holds 'the drift of mass is told at the end' grep -qE '^  mass_drift -?[0-9.e+-]+, mass less that at the start, relative$' out.txt
whole=$(digest)
grep -qE '^  speed +[0-9.e+]+ Mpoint/s, .* % of the limit of [0-9.e+]+ Mpoint/s, set by ' out.txt || fail 'run tells no limit'
grep -qE '^  on +(cpu, [0-9]+ threads?|cuda, )' out.txt || fail 'run does not tell what it ran on'
holds 'the digest is the last line' grep -q '^digest ' <(tail -n 1 out.txt)
XDG_CACHE_HOME=/proc HOME=/proc expect 0 '^  limit: .* Mpoint/s' check case.nml --force # nowhere to remember it
for f in history_00000000.000.nc history_00000020.000.nc history_00000040.000.nc series.nc namelist.nml status.json; do
    holds "a run leaves $f" test -s "out/bubble/$f"
done
holds 'a run ends as done' status_says out/bubble done 0
if command -v ncdump >/dev/null; then
    last=$(ls out/bubble/restart_??????????.nc | tail -n 1)
    holds 'the digest is that of the last checkpoint' grep -q "data_xxh3 = \"$whole\"" <(ncdump -h "$last")
    holds 'times count from the date of &time start' grep -q 'time:units = "seconds since 2000-01-01 00:00:00"' \
        <(ncdump -h out/bubble/series.nc)
    holds 'series at its own interval' grep -q 'time = 0, 10, 20, 30, 40 ;' <(ncdump -v time out/bubble/series.nc)
fi
expect 2 'holds results of an earlier run' run case.nml
expect 8 'cannot open checkpoint' run case.nml --restart misspelt.nc
expect 8 'it is a directory; name a file in it' run case.nml --restart out/bubble
holds 'a misspelt checkpoint changes nothing' status_says out/bubble done 0
expect 8 'cannot open checkpoint' run case.nml --restart out/bubble/gone.nc
holds 'a lost checkpoint is in status.json' status_says out/bubble failed 8
mkdir older && cp out/bubble/series.nc older
expect 2 'holds results of an earlier run .*there is no checkpoint' run case.nml --out older --restart auto
checks=$((checks + 1))
grep -q 'starting at time 0' err && fail 'it starts at time 0, and does not'
expect 0 'no checkpoint in older: starting at time 0' run case.nml --out older --restart auto --force
expect 0 "^digest $whole\$" run case.nml --force -q
holds 'quiet is quiet' test ! -s err -a "$(wc -l <out.txt)" = 1
cp out/bubble/namelist.nml resolved.nml
expect 0 "^digest $whole\$" run resolved.nml --out resolved -q
expect 0 "^digest $whole\$" run case.nml --out restarted --restart auto -q # no checkpoint yet
expect 0 "^digest $whole\$" run case.nml --out restarted --restart auto -q # nothing left to do

# ---- where a run may write -------------------------------------------------------------------------------------------

expect 2 'wall time: +about' check case.nml # its cost is told even so
holds 'check finds results in the way' grep -q "holds results of an earlier run" err
expect 0 'wall time: +about' check case.nml --force
expect 0 '^  series: .* for 17 entries .*a longer &time series_interval takes less' check case.nml --force --set time%series_interval=0.01
expect 6 'file/below' check case.nml --out file/below
holds 'check writes nothing' test ! -e elsewhere
expect 0 'wall time: +about' check case.nml --out elsewhere/deeper
holds 'check makes no directory' test ! -e elsewhere

# ---- the namelist beside the output runs again -----------------------------------------------------------------------

mkdir cases
printf '1000 300 0\n10 300 0 1 0\n2000 303 0 4 1\n9000 330 0 9 2\n' >cases/air.txt
sed '1i &base profile = "sounding", wind = "sounding", sounding = "air.txt" /' case.nml >cases/aired.nml
expect 0 '^digest' run cases/aired.nml -q --out aired
aired=$(digest)
holds 'a run keeps its input' cmp cases/air.txt aired/input/air.txt
expect 75 'with a checkpoint' run cases/aired.nml -q --out aired_part --stop-after-steps 5
mv cases moved # the copies are what it runs with
mv aired 'far away'
printf '1000 300 0\n10 300 0 0 0\n9000 330 0 0 0\n' >air.txt # and no file of that name in the current directory
mkdir input && cp air.txt input
expect 0 "^digest $aired\$" run 'far away/namelist.nml' --out again -q
cd /
"$SFERIC" run "$work/far away/namelist.nml" --out "$work/again2" -q >"$work/out.txt" 2>"$work/err"
cd "$work" || exit 1
holds 'it runs again from elsewhere' test "$(digest)" = "$aired"
expect 0 "^digest $aired\$" run again2/namelist.nml --out again2 --force -q # into the directory that it lies in
expect 0 "^digest $aired\$" run moved/aired.nml --out aired_part --restart auto -q
rm -r aired_part
expect 75 'with a checkpoint' run moved/aired.nml -q --out aired_part --stop-after-steps 5
expect 0 "^digest $aired\$" run again/namelist.nml --out aired_part --restart auto -q # the same run, under another name of the file
# What another key says where a number is not given, it says in the written namelist too.
cat >globe.nml <<'END'
&case name = 'globe' /
&grid nx = 12, ny = 10, nz = 8, dx = 50000, dy = 50000, dz = 500 /
&map projection = 'lambert', centre_latitude = 40, centre_longitude = 20, standard_parallels = 30, 50 /
&boundary west = 'open', east = 'open', south = 'open', north = 'open' /
&time duration = 40, dt = 20 /
END
expect 0 '^digest' run globe.nml --out globe -q
for f in globe.nml globe/namelist.nml; do "$SFERIC" check $f --out elsewhere 2>/dev/null | grep 'map: corners'; done >corners
if [ "$(wc -l <corners)" != 2 ] || [ "$(uniq corners | wc -l)" != 1 ]; then
    echo "FAILED: the namelist of a run on a map is of another map:"
    cat corners
    wrong=$((wrong + 1))
fi
rm -r aired_part
expect 75 'with a checkpoint' run moved/aired.nml -q --out aired_part --stop-after-steps 5
expect 8 'of another run' run moved/aired.nml --out aired_part --restart auto -q --set base%sounding="'$work/air.txt'"
rm -r input air.txt

# ---- the same bits ---------------------------------------------------------------------------------------------------

# same WHAT ARGUMENT...
same() {
    local what=$1
    shift
    expect 0 "^digest $whole\$" run case.nml --force -q --out same "$@"
    [ "$(digest)" = "$whole" ] || echo "    ($what)"
}
for t in 1 2 3; do same "$t threads" --set pipeline%threads=$t; done
for n in 2 3; do same "$n slabs" --set pipeline%slabs=$n; done
same '3 steps a pass' --set pipeline%steps_per_pass=3
same 'an exchange at every op' --set pipeline%exchange=op
same 'other intervals of checks and series' --set time%check_interval=1 --set time%series_interval=0 --set time%restart_interval=0
for n in 1 5 8 15; do
    rm -rf stopped
    expect 75 'with a checkpoint' run case.nml --out stopped --stop-after-steps $n -q
    holds 'a stop is in status.json' status_says stopped stopped 75
    expect 0 "^digest $whole\$" run case.nml --out stopped --restart auto -q
    if command -v ncdump >/dev/null; then
        holds "the series is whole after a stop at step $n" cmp <(ncdump out/bubble/series.nc | sed '1,/^data:/d') \
            <(ncdump stopped/series.nc | sed '1,/^data:/d')
    fi
done
rm -rf stopped
expect 75 '^  computing +[0-9.]+ s .* steps/s' run case.nml --out stopped --stop-after-steps 5 -v # it tells how fast it was
holds 'a stop is no error with a trace' grep -q 'stopped by --stop-after-steps after step 5 ' err
holds 'a stop is no error with a trace' test "$(grep -c ' at run' err)" = 0
first=$(ls stopped/restart_??????????.nc | tail -n 1)
expect 8 'of another run' run case.nml --out other --restart "$first" -q --set initial%amplitude=3
expect 8 'takes other steps' run case.nml --out other --restart "$first" -q --set time%output_interval=19
expect 0 "^digest $whole\$" run case.nml --out other --restart "$first" -q --force
expect 0 '^digest' run case.nml --out longer --restart "$first" -q --set time%duration=60

# A run that was to go on in a directory and cannot says so there, and changes nothing else.
kept() { (cd stopped && find . ! -name status.json -type f -exec cksum {} + | sort); }
kept=$(kept)
expect 8 'of another run' run case.nml --out stopped --restart auto -q --set initial%amplitude=3
holds 'another run is in status.json' status_says stopped failed 8
holds 'and why' grep -q 'of another run' stopped/status.json
holds 'how far it came stays there' grep -q '"step": 5,' stopped/status.json
rm stopped/status.json
expect 8 'of another run' run case.nml --out stopped --restart "$first" -q --set initial%amplitude=3
holds 'the same, the checkpoint named' status_says stopped failed 8
expect 9 'GiB of memory' run case.nml --out stopped --restart auto -q --set grid%nx=100000 --set grid%ny=100000
holds 'too little memory is in status.json' status_says stopped failed 9
holds 'all else is as it was' [ "$(kept)" = "$kept" ]
cp -r stopped torn
for f in torn/restart_??????????.nc; do truncate -s 1000 "$f"; done
sed -i 's/failed/done/' torn/status.json
expect 8 restart_ run case.nml --out torn --restart auto --dry-run
holds 'a dry run writes nothing' status_says torn done 9
expect 8 restart_ run case.nml --out torn --restart auto -q
holds 'damage is in status.json' status_says torn failed 8
expect 0 "^digest $whole\$" run case.nml --out stopped --restart auto -q
holds 'a good end is in status.json' status_says stopped done 0

# The slowest compression of noise in every step keeps the writer, which has a core to itself, behind the model on any machine; a
# run of a second or two is not judged.
slow=(--set pipeline%threads=1 --set output%compression=9 --set time%duration=25 --set time%output_interval=2.5 --set initial%noise=1)
expect 0 'written at [0-9.]+ MiB/s' run case.nml --out slow "${slow[@]}"
holds 'a short run does not judge the writer' eval '! grep -q "the writer" <(grep -v waiting out.txt)'
slow+=(--force --set grid%nx=180 --set grid%ny=180)
expect 0 'the writer binds: history is asked for at [0-9]+ MiB/s of computing and written at [0-9]+ MiB/s' run case.nml --out slow "${slow[@]}"

# ---- tracers, dates --------------------------------------------------------------------------------------------------

cat >tracers.nml <<'END'
&case name = 'tracers' /
&grid nx = 8, ny = 4, nz = 6, dx = 500, dy = 500, dz = 500 /
&time duration = 2, dt = 2, start = '2011-05-22 12:00:00' /
&dynamics tracers = 3 /
&initial shape = 2*'cosine', variable = 2*'tracer', tracer = 3, 2, amplitude = 4, 5, x = 2*2250, z = 2*1250,
         radius_x = 2*900, radius_z = 2*900 /
END
expect 0 '^digest' run tracers.nml -q
if command -v ncdump >/dev/null; then
    first=out/tracers/history_00000000.000.nc
    most() { ncdump -v "$1" "$first" | sed '1,/^data:/d' | tr -d ',;}' | tr ' ' '\n' | grep -E '^[0-9.e-]+$' | sort -g | tail -n 1; }
    holds 'each perturbation is of its tracer' test "$(most q1) $(most q2) $(most q3)" = '0 5 4'
    holds 'the output has the date of time 0' grep -q 'time:units = "seconds since 2011-05-22 12:00:00"' <(ncdump -h $first)
fi

# As many of both as there can be, of which the last count; slabs, here and on ranks below, and going on from a checkpoint.
cat >most.nml <<'END'
&case name = 'most' /
&grid nx = 8, ny = 24, nz = 6, dx = 500, dy = 500, dz = 500 /
&time duration = 8, dt = 2, restart_interval = 4 /
&dynamics tracers = 32, small_steps = 2 /
&initial shape = 1024*'cosine', variable = 1022*'theta', 2*'tracer', tracer(1023:) = 31, 32, amplitude = 1022*1e-3, 4, 5,
         x = 1024*2250, y = 1024*5750, z = 1024*1250, radius_x = 1024*900, radius_y = 1024*900, radius_z = 1024*900 /
END
expect 0 '^digest' run most.nml -q
most_digest=$(sed -n 's/^digest *//p' out.txt)
if command -v ncdump >/dev/null; then
    first=out/most/history_00000000.000.nc
    holds 'the last perturbations are of the last tracers' test "$(most q30) $(most q31) $(most q32)" = '0 4 5'
    holds 'more than 64 perturbations add up' test "$(most theta_p)" = 1.022
fi
expect 0 "^digest $most_digest\$" run most.nml --out most_slabs -q --set pipeline%slabs=5
expect 0 "^digest $most_digest\$" run most.nml --out most_on -q --restart "$(ls out/most/restart_*.nc | head -n 1)"
expect 3 'out of range' check most.nml --set dynamics%tracers=33

# ---- signals ---------------------------------------------------------------------------------------------------------

checks=$((checks + 1))
"$SFERIC" run case.nml --out long -q --set time%duration=1e6 --set time%output_interval=0 --set time%restart_interval=0 \
    >out.txt 2>err &
pid=$!
for _ in $(seq 100); do [ -e long/status.json ] && break; sleep 0.1; done
sleep 0.5
kill -TERM $pid
wait $pid
rc=$?
[ $rc = 75 ] || fail "exit code $rc after SIGTERM, not 75"
holds 'a signal is named' grep -q SIGTERM long/status.json
expect 75 'the wall limit' run case.nml --out long2 -q --set time%duration=1e6 --set time%output_interval=0 --set time%wall_limit=0.5

# ---- ranks -----------------------------------------------------------------------------------------------------------

if mpi_there; then
    real=$SFERIC
    for n in 2 3; do
        SFERIC=$work/ranks
        printf '#!/bin/sh\nexec mpirun -n %d "%s" "$@"\n' $n "$real" >"$SFERIC"
        chmod +x "$SFERIC"
        OMP_NUM_THREADS=1 expect 0 "^digest $whole\$" run case.nml --out ranks$n -q
        holds "$n ranks tell once" test "$(grep -c '^digest' out.txt)" = 1
        OMP_NUM_THREADS=1 expect 0 "^digest $most_digest\$" run most.nml --out most$n -q --set pipeline%slabs=4
        OMP_NUM_THREADS=1 expect 3 "did you mean 'duration'" run case.nml --set time%duratoin=3
        holds "$n ranks complain once" test "$(grep -c '^sferic: error' err)" = 1
    done
    rm -rf ranks_stop
    OMP_NUM_THREADS=1 expect 75 'with a checkpoint' run case.nml --out ranks_stop --stop-after-steps 6 -q
    SFERIC=$real expect 0 "^digest $whole\$" run case.nml --out ranks_stop --restart auto -q
    OMP_NUM_THREADS=1 expect 5 'after step [0-9]+ .*i = [0-9]+, j = [0-9]+, k = [0-9]+' run case.nml --out blown3 -q \
        --set time%dt=200 --set time%allow_unstable=true --set time%duration=20000 --set time%check_interval=1 --set time%output_interval=0
    OMP_NUM_THREADS=1 expect 2 'more than the 2 rows' run case.nml --set grid%ny=2 --out few -q
    OMP_NUM_THREADS=1 expect 0 'wall time: +about' check case.nml --out new
    OMP_NUM_THREADS=1 expect 2 'holds results' check case.nml
fi

echo "$failures of $checks checks went wrong"
[ $failures = 0 ]
