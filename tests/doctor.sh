#!/bin/bash
# What `sferic doctor` tells: each thing is taken away, and leads to its line; where it is, there is none. Programs are stand-ins on a
# PATH of their own, modules are hidden from python3. `SFERIC=binary tests/doctor.sh` SPDX-License-Identifier: MIT
set -uo pipefail
: "${SFERIC:?the path of the binary under test}"
SFERIC=$(realpath "$SFERIC")
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic doctor XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir bin home hidden
checks=0 failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    /' said err
}
stand_in() { # NAME LINE...: a program on the PATH of the tests
    printf '#!/bin/sh\n' >"bin/$1"
    printf '%s\n' "${@:2}" >>"bin/$1"
    chmod +x "bin/$1"
}
library=$("$SFERIC" --version | sed -n 's/^MPI *//p')
all_there() {
    rm -f bin/*
    for name in ncdump ffmpeg gzip cc apt-get; do stand_in $name; done
    stand_in mpirun "echo 'mpirun (${library% v*}) ${library##* v}'"
}
# asked CODE [VARIABLE=VALUE...] [-- ARGUMENT...]: sferic doctor there, and its exit code
asked() {
    local code=$1 rc vars=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do vars+=("$1") && shift; done
    [ $# = 0 ] || shift
    checks=$((checks + 1))
    env -i PATH="$work/bin" HOME="$work/home" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        ASAN_OPTIONS="${ASAN_OPTIONS-}" LSAN_OPTIONS="${LSAN_OPTIONS-}" ${vars[@]+"${vars[@]}"} "$SFERIC" doctor "$@" >said 2>err </dev/null
    rc=$?
    [ $rc = "$code" ] || fail "exit code $rc, not $code"
}
lacks() { # NAME WHAT REMEDY: one line, with what cannot be done and what to type
    checks=$((checks + 1))
    [ "$(grep -c "^lacks $1: " said)" = 1 ] && grep -qE -- "^lacks $1: .*$2.*; type: .*$3" said || fail "no line for $1: '$2', '$3'"
}
has() { # NAME PATTERN: a fact, and no lack
    checks=$((checks + 1))
    grep -qE -- "^$1 +.*$2" said && ! grep -q "^lacks $1: " said || fail "no fact of $1: '$2'"
}

# ---- programs --------------------------------------------------------------------------------------------------------

all_there
asked 0
has program '[0-9]+\.[0-9]+\.[0-9]+ \('
has files 'netCDF [0-9]'
has processor 'core'
has memory 'GiB free of'
has disk 'free in \.'
has cache "$work/home/.cache/sferic/measured, 0 things"
checks=$((checks + 1))
grep -q '^cases run here; ' said || fail 'no conclusion'
while read -r name package what; do
    asked 0
    has "$name" "$work/bin/"
    rm "bin/$name"
    asked 0
    lacks "$name" "$what" "apt-get install -y $package\$"
    all_there
done <<'END'
ncdump netcdf-bin no look into output files
ffmpeg ffmpeg writes GIF
gzip gzip sferic report
END
asked 0
has compiler "$work/bin/cc"
rm bin/cc
asked 0
lacks compiler 'models from text files do not run' 'apt-get install -y gcc libc6-dev$'
stand_in my-cc
asked 0 SFERIC_CC='my-cc -g'
has compiler "$work/bin/my-cc"
asked 0 SFERIC_CC=no-cc
lacks compiler 'there is no no-cc' 'unset SFERIC_CC$'
all_there
rm bin/apt-get bin/ncdump
asked 0
lacks ncdump 'no look' 'what Debian calls netcdf-bin'
all_there

# ---- MPI -------------------------------------------------------------------------------------------------------------

if [ "$library" = none ]; then
    asked 0
    lacks MPI 'built without MPI' 'make MPI=1$'
else
    asked 0
    has MPI 'Open MPI'
    has mpirun "$work/bin/mpirun"
    rm bin/mpirun
    asked 0
    lacks mpirun 'no mpirun on PATH' 'apt-get install -y openmpi-bin$'
    stand_in mpirun "echo 'mpirun (Open MPI) 1.2.3'"
    asked 0
    lacks mpirun 'another MPI \(mpirun \(Open MPI\) 1.2.3\)' '/usr/bin:'
    stand_in mpirun 'echo HYDRA build details:'
    asked 0
    lacks mpirun 'another MPI \(HYDRA' '/usr/bin:'
    stand_in mpirun 'exit 1'
    asked 0
    lacks mpirun '--version fails' 'openmpi-bin$'
    all_there
    if [ "$(id -u)" = 0 ]; then
        asked 0
        checks=$((checks + 1))
        ! grep -q '^lacks root: ' said || fail 'root is told although it is allowed'
        asked 0 OMPI_ALLOW_RUN_AS_ROOT=
        checks=$((checks + 1))
        ! grep -q '^lacks root: ' said || fail 'an empty variable is one'
        env -u OMPI_ALLOW_RUN_AS_ROOT PATH="$work/bin" "$SFERIC" doctor >said 2>err
        lacks root 'starts nothing as root' 'export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1$'
    fi
fi

# ---- GPU -------------------------------------------------------------------------------------------------------------

toolkit=$("$SFERIC" --version | sed -n 's/^CUDA *//p')
stand_in nvidia-smi "echo 'NVIDIA H200, 143771 MiB, 550.54.15, 9.0'" "echo 'NVIDIA H200, 143771 MiB, 550.54.15, 9.0'"
asked 0
has GPU 'NVIDIA H200, 143771 MiB, driver 550.54.15, compute capability 9.0'
checks=$((checks + 1))
[ "$(grep -c '^GPU ' said)" = 2 ] || fail 'two cards'
if [ "$toolkit" = none ]; then
    lacks CUDA 'leave the NVIDIA H200 alone' 'make CUDA=1$'
elif [ "$toolkit" != emulated ]; then
    has CUDA "$toolkit"
    stand_in nvidia-smi "echo 'Tesla K80, 11441 MiB, 367.48, 3.7'"
    asked 0
    lacks kernels 'capability 3.7' 'make CUDA=1 CUDA_ARCH=37$'
    lacks driver 'that of the Tesla K80 is 367.48' 'apt-get install -y nvidia-driver$'
fi
stand_in nvidia-smi 'echo no devices were found; exit 6'
asked 0
lacks driver 'reaches no GPU' 'nvidia-smi$'
stand_in nvidia-smi 'exec /bin/sleep 60'
asked 0
lacks driver 'reaches no GPU' 'nvidia-smi$'
all_there

# ---- limits, places, threads -----------------------------------------------------------------------------------------

case $SFERIC in *-address*) ;; *) # which takes terabytes of addresses
    (ulimit -v 4000000 && asked 0 && lacks addresses '3906 MiB of addresses' 'ulimit -v unlimited$' && exit $failures) || failures=$((failures + 1))
esac
(ulimit -f 2000 && asked 0 && lacks 'file size' 'files end at 2000 KiB' 'ulimit -f unlimited$' && exit $failures) || failures=$((failures + 1))
(ulimit -f 500 && asked 6 && lacks 'file size' 'files end at 500 KiB' 'ulimit -f unlimited$' && exit $failures) || failures=$((failures + 1))
: >file
asked 6 -- --out file/x
lacks output 'Not a directory' 'doctor --out DIR'
checks=$((checks + 2))
grep -q '^cases do not run here; ' said || fail 'no output, and no conclusion'
grep -q '^sferic: error: no case runs here: ' err || fail 'no message of the failure'
asked 0 -- --out home/new/place
has disk 'free in home$'
asked 0 HOME=
lacks cache 'measures the machine again' 'export XDG_CACHE_HOME='
mkdir -p home/.cache/sferic && printf 'a\t 1\nb\t 2\n' >home/.cache/sferic/measured
asked 0
has cache '2 things measured of this machine$'
asked 0 OMP_NUM_THREADS=100000
lacks cores 'OMP_NUM_THREADS = 100000' 'unset OMP_NUM_THREADS$'
if [ "$(nproc)" -gt 1 ] && grep -q '^threads  *[0-9]' said; then
    asked 0 OMP_NUM_THREADS=1
    lacks threads 'leaves cores to others: 1 of' 'unset OMP_NUM_THREADS$'
fi
asked 2 -- --out ''
asked 2 -- here
checks=$((checks + 1))
[ "$(ls -A | sort | tr '\n' ' ')" = 'bin err file hidden home said ' ] || fail "it left something: $(ls -A)"

# ---- python ----------------------------------------------------------------------------------------------------------

# Modules named in HIDDEN are not to be found.
cat >hidden/sitecustomize.py <<'END'
import os, sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name in os.environ.get("HIDDEN", "").split():
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hide())
if "BARE" in os.environ:
    sys.path[:] = [p for p in sys.path if "-packages" not in p]
if "FAIL" in os.environ:
    os._exit(1)
END
if /usr/bin/python3 -c 'import importlib.util as u, sys; sys.exit(any(u.find_spec(m) is None for m in ("xarray", "netCDF4", "matplotlib", "eccodes")))' 2>/dev/null; then
    asked 0
    has plot '/usr/bin/python3: python3 3.*, xarray .*, netCDF4 .*, matplotlib '
    has prepare 'netCDF4 .*, eccodes '
    for module in xarray matplotlib; do
        asked 0 PYTHONPATH="$work/hidden" HIDDEN=$module
        lacks plot "no pictures.*no python3 has $module" 'apt-get install -y python3-xarray python3-netcdf4 python3-matplotlib$'
        has prepare 'eccodes '
    done
    asked 0 PYTHONPATH="$work/hidden" HIDDEN='netCDF4'
    lacks plot 'no python3 has netCDF4' 'python3-netcdf4'
    lacks prepare 'no python3 has netCDF4' 'python3-netcdf4 python3-eccodes$'
    asked 0 PYTHONPATH="$work/hidden" HIDDEN=eccodes
    lacks prepare 'no analyses in GRIB.*no python3 has eccodes' 'apt-get install -y python3-netcdf4 python3-eccodes$'
    has plot 'matplotlib '
    asked 0 PYTHONPATH="$work/hidden" FAIL=1
    lacks plot 'no python3 answers' 'python3-xarray'
    mkdir xarray netCDF4 matplotlib && touch {xarray,netCDF4,matplotlib}/__init__.py # of this directory, where the programs do not look
    asked 0 PYTHONPATH="$work/hidden" BARE=1
    lacks plot 'no python3 has xarray netCDF4 matplotlib' 'python3-xarray'
    rm -r xarray netCDF4 matplotlib
else echo 'skip modules: /usr/bin/python3 lacks some'; fi
stand_in python3 'echo python3 3.12.1' 'echo xarray 1.2' 'echo netCDF4 1.7' 'echo matplotlib 3.9' 'echo eccodes 2.0'
asked 0
has plot "$work/bin/python3: python3 3.12.1, xarray 1.2, netCDF4 1.7, matplotlib 3.9\$"
stand_in other 'echo python3 3.10.0' 'echo xarray 9' 'echo netCDF4 9' 'echo matplotlib 9' 'echo eccodes 9'
asked 0 PYTHON="$work/bin/other"
has plot "$work/bin/other: python3 3.10.0, "

# ---- an installed program, its tools and the environment of sferic-view ----------------------------------------------

mkdir -p prefix/bin prefix/share/sferic/view/bin
cp "$SFERIC" prefix/bin/sferic
SFERIC=$work/prefix/bin/sferic
tools='sferic-plot sferic-view sferic-prepare sferic-against sferic-resonances sferic-bscan'
asked 0
lacks tools "${tools// /, } not found" 'make install$'
for name in $tools; do stand_in "$name" && mv "bin/$name" prefix/bin; done
asked 0
has tools "$work/prefix/bin\$"
lacks view 'no python3 of its own with Bokeh' "'$work/prefix/share/sferic/view-env.sh' '$work/prefix/share/sferic/view'\$"
rm prefix/bin/sferic-against
asked 0
lacks tools 'sferic-against not found' 'make install$'
checks=$((checks + 1))
! grep -q '^lacks tools: .*sferic-plot' said || fail 'what is there is told, too'
cp bin/other prefix/share/sferic/view/bin/python3
asked 0
lacks view 'Bokeh' 'view-env.sh'
echo 'echo bokeh 3.4' >>prefix/share/sferic/view/bin/python3
asked 0
has view "$work/prefix/share/sferic/view/bin/python3: python3 3.10.0, bokeh 3.4\$"
mv prefix/bin/sferic-* bin
stand_in sferic-against
asked 0
has tools "$work/bin\$"

# ---- for programs ----------------------------------------------------------------------------------------------------

rm bin/ncdump
asked 0 -- --json
checks=$((checks + 1))
/usr/bin/python3 - said >>err 2>&1 <<'END' || fail 'JSON'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["runs"] is True and d["exit_code"] == 0
lacks = {l["name"]: l for l in d["lines"] if l["lack"]}
assert lacks["ncdump"]["remedy"].endswith("apt-get install -y netcdf-bin") and not lacks["ncdump"]["stops"], lacks
assert any(l["name"] == "processor" and not l["lack"] for l in d["lines"])
END
asked 6 -- --json --out file/x
checks=$((checks + 1))
/usr/bin/python3 -c 'import json; d = json.load(open("said")); assert not d["runs"] and d["exit_code"] == 6; assert any(l["lack"] and l["stops"] for l in d["lines"])' 2>>err || fail 'JSON of a failure'

echo "$checks checks, $failures failed"
[ $failures = 0 ]
