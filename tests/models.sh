#!/bin/bash
# Models from text files, as a user has them: found beside the namelist or by name, run again from what a run leaves, restarted,
# on two ranks, and refused with a place and exit code 4. `SFERIC=binary tests/models.sh` SPDX-License-Identifier: MIT
# shellcheck disable=SC2317 # called by `check`
set -uo pipefail
: "${SFERIC:?the path of the binary under test}"
SFERIC=$(realpath "$SFERIC")
namelists=$(cd "$(dirname "$0")/../namelists" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
mkdir cache
failed=0 count=0

check() { # WHAT COMMAND...
    local what=$1
    shift
    count=$((count + 1))
    if ! "$@" >check.log 2>&1; then
        echo "FAILED: $what"
        sed 's/^/    /' check.log | tail -n 12
        failed=1
    fi
}
# refused CODE WORDS COMMAND...: the exit code, and words of what is said
refused() {
    local code=$1 words=$2 rc
    shift 2
    "$@" >said 2>&1
    rc=$?
    cat said
    [ $rc = "$code" ] && grep -qF -- "$words" said
}
digest() { "$SFERIC" run "$@" -q --force | sed -n 's/^digest //p'; }
same() { [ -n "$1" ] && [ "$1" = "$2" ]; }

cat >warmth.sf <<'END'
model warmth "a spot of heat"
parameter kappa = 1 "m2 s-1" "diffusivity" 0 .. 9
field u "temperature" "K" = exp(-(x^2 + z^2) / 25)
point diffuse {
    new u = u + kappa * dt * ((u[-1, 0, 0] + u[1, 0, 0] - 2 * u) / dx^2 + (u[0, 0, -1] + u[0, 0, 1] - 2 * u) / dz^2)
}
step {
    diffuse
}
END
cat >warmth.nml <<'END'
&case name = 'warmth', model = 'warmth.sf' /
&grid nx = 32, ny = 5, nz = 16, dx = 1, dy = 1, dz = 1, origin_x = -16, origin_z = -8 /
&time duration = 10, dt = 0.1, output_interval = 5 /
&parameters kappa = 2 /
END
first=$(digest warmth.nml --out first)
check 'a model beside its namelist' same "$first" "$first"
check 'a number of &parameters counts' test "$(digest warmth.nml --set parameters%kappa=1 --out other)" != "$first"
check 'a run keeps the description, and goes again from what it keeps' same "$first" "$(digest first/namelist.nml --out again)"
mkdir elsewhere
check 'from another directory' same "$first" "$(cd elsewhere && digest ../warmth.nml --out out)"
check 'stopped' refused 75 'after step 37' "$SFERIC" run warmth.nml --out cut --stop-after-steps 37
check 'restarted' same "$first" "$("$SFERIC" run warmth.nml --out cut --restart auto -q | sed -n 's/^digest //p')"
sed 's/2 \* u/2.5 * u/' warmth.sf >other.sf
check 'a checkpoint is of one description' refused 8 'model' "$SFERIC" run warmth.nml --set case%model=other.sf --out cut --restart auto
if command -v mpirun >/dev/null && "$SFERIC" --version | grep -qiE 'mpi +(open|4|5)|Open MPI'; then
    check 'on two ranks' same "$first" "$(mpirun -n 2 "$SFERIC" run warmth.nml --out ranks -q --force | sed -n 's/^digest //p')"
fi
check 'explained' "$SFERIC" explain warmth.sf
check 'a model that comes with the program, by its name' "$SFERIC" check "$namelists/heat.nml" --set case%model=heat.sf
check 'not where no such file is' refused 4 'there is no such file' "$SFERIC" check "$namelists/heat.nml" --set case%model=nowhere/heat.sf
check 'its numbers are explained' "$SFERIC" explain heat.sf

sed 's/+ u\[1/+ v[1/' warmth.sf >wrong.sf
check 'a wrong name has its place' refused 4 'wrong.sf:5:46: there is no v' "$SFERIC" check warmth.nml --set case%model=wrong.sf
sed 's/diffuse/linux/' warmth.sf >named.sf
check 'a stage may be called as compilers call something' same "$first" "$(digest warmth.nml --set case%model=named.sf --out named)"
printf 'show time_h = u\n' | cat warmth.sf - >named.sf
check 'a variable that files have has its place' refused 4 'named.sf:10:6: ' "$SFERIC" check warmth.nml --set case%model=named.sf
printf '\0 more' | cat warmth.sf - >bytes.sf
check 'a file that is no text' refused 4 'a byte that is 0' "$SFERIC" check warmth.nml --set case%model=bytes.sf
check 'no such file' refused 4 'no such file' "$SFERIC" check warmth.nml --set case%model=none.sf
check 'no such model' refused 3 "there is no model 'weather'" "$SFERIC" check warmth.nml --set case%model=weather
check 'a number beyond its range' refused 3 'kappa' "$SFERIC" check warmth.nml --set parameters%kappa=10
check 'a key that the model has not' refused 3 'lambda' "$SFERIC" check warmth.nml --set parameters%lambda=1
check 'cells of several sizes' refused 3 'one size along each axis' "$SFERIC" check warmth.nml --set grid%stretch_ratio=1.1
check 'one side that repeats' refused 3 "must both be 'periodic'" "$SFERIC" check warmth.nml --set boundary%west=mirror
check 'no compiler' refused 4 'SFERIC_CC' env XDG_CACHE_HOME="$work/other" SFERIC_CC=no-such-cc bash -c 'mkdir -p "$XDG_CACHE_HOME" && "$0" check warmth.nml' "$SFERIC"
check 'what was compiled is kept: no compiler is needed' env SFERIC_CC=cc "$SFERIC" check warmth.nml
sed 's/u\[-1, 0, 0\]/u[-8, 0, 0]/' warmth.sf >far.sf
check 'beyond both sides' refused 3 'beyond both sides' "$SFERIC" check warmth.nml --set case%model=far.sf --set grid%nx=4 \
    --set boundary%west=mirror --set boundary%east=mirror

# A field called as one of the weather's has no floor of the weather's: 1e-4 K is no round-off.
sed 's/= exp/= 0.0001 * exp/' warmth.sf >faint.sf
faint() {
    "$SFERIC" run warmth.nml --set case%model=faint.sf --out faint -q && "$plot" faint -o faint.png | grep -q 'u .*e-05 K'
}
plot=$namelists/../tools/sferic-plot
# Columns: a map that they write is in the history, is restarted, and is drawn, as lines of a section and as a plan.
drizzle=$(digest "$namelists/drizzle.nml" --out drizzle)
check 'columns: three slabs' same "$drizzle" "$(digest "$namelists/drizzle.nml" --out cut --set pipeline%slabs=3)"
check 'columns: stopped' refused 75 'after step 50' "$SFERIC" run "$namelists/drizzle.nml" --out wet --stop-after-steps 50
check 'columns: restarted' same "$drizzle" "$("$SFERIC" run "$namelists/drizzle.nml" --out wet --restart auto -q | sed -n 's/^digest //p')"
check 'a map may be asked for' "$SFERIC" check "$namelists/drizzle.nml" --set "output%fields='rain'"
rain() { # OUT
    "$plot" "$1" -o rain.png && "$plot" "$1" --var rain -o rain.png | grep -q 'rain'
}
if "$plot" --help >/dev/null 2>&1; then
    check 'a faint field is seen' faint
    check 'rain is drawn along a section' rain drizzle
    "$SFERIC" run "$namelists/drizzle.nml" --set grid%ny=6 --out plan -q >/dev/null
    check 'rain is drawn as a plan' rain plan
fi

echo "$count checks of models from files"
exit $failed
