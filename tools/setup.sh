#!/bin/bash
# Installs what building, testing and plotting need and what this machine lacks (Debian and Ubuntu packages).
#
#   tools/setup.sh          what `make test` and `make demo` need
#   tools/setup.sh --site   in addition what `make site` needs
#   tools/setup.sh --ci     in addition what .ci/run needs
#   tools/setup.sh --deb     in addition what `make deb` needs
#   tools/setup.sh --list   prints the missing packages, changes nothing
#
# Each tool and header is looked for first, so a machine that has them needs neither root nor network. Without root
# the one line to type is printed and the exit code is 1. CC and MPI are read from the environment as make sets them.
# SPDX-License-Identifier: MIT
set -uo pipefail

ci=0 site=0 deb=0 list=0
for a in "$@"; do
    case $a in
    --ci) ci=1 site=1 deb=1 ;;
    --site) site=1 ;;
    --deb) deb=1 ;;
    --list) list=1 ;;
    *) echo "usage: tools/setup.sh [--ci] [--site] [--deb] [--list]" >&2; exit 2 ;;
    esac
done
cc=${CC:-gcc}

have() { command -v "$1" >/dev/null 2>&1; }

# A header is there when the compiler finds it, or, before there is a compiler, when it lies where packages put it.
# have_header NAME [COMPILER AND OPTIONS]
have_header() {
    local compile=${*:2}
    compile=${compile:-$cc}
    if have "${compile%% *}"; then
        # shellcheck disable=SC2086 # a compiler and its options are several words
        echo "#include <$1>" | $compile -E - >/dev/null 2>&1
    else
        compgen -G "/usr/include/$1" >/dev/null || compgen -G "/usr/include/*-linux-gnu/$1" >/dev/null
    fi
}

have_netcdf() { { have pkg-config && pkg-config --exists netcdf; } || { ! have pkg-config && have_header netcdf.h; }; }

# Looks for modules without importing them: a tenth of the time, which every `make test` would pay.
python_has() {
    "$1" - "${@:2}" >/dev/null 2>&1 <<'PY'
import importlib.util, sys
sys.exit(any(importlib.util.find_spec(m) is None for m in sys.argv[1:]))
PY
}

have_python() {
    local p
    for p in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3 /usr/local/bin/python3; do
        python_has "$p" "$@" && return 0
    done
    return 1
}

# Fills `missing` with the packages whose contents were not found.
missing=()
need() {
    local package=$1
    shift
    "$@" || missing+=("$package")
}

find_missing() {
    missing=()
    need gcc have gcc
    need libc6-dev have_header stdio.h
    need make have make
    need git have git
    need pkg-config have pkg-config
    need libnetcdf-dev have_netcdf
    need libcriterion-dev have_header criterion/criterion.h
    need libxxhash-dev have_header xxhash.h
    need netcdf-bin have ncdump
    [ $deb = 0 ] || need dpkg-dev have dpkg-shlibdeps
    if [ "${MPI:-auto}" != 0 ]; then
        need libopenmpi-dev have mpicc
        need openmpi-bin have mpirun
    fi
    if ! have_python xarray netCDF4 matplotlib; then
        missing+=(python3-xarray python3-netcdf4 python3-matplotlib)
    fi
    have_python netCDF4 eccodes || missing+=(python3-netcdf4 python3-eccodes)
    if [ $site = 1 ]; then
        have_python sphinx myst_parser furo || missing+=(python3-sphinx python3-myst-parser furo)
        need chromium have_browser
    fi
    case $cc in *clang*) ;; *) [ $ci = 1 ] || return 0 ;; esac
    need clang have clang
    need libomp-dev have_header omp.h clang -fopenmp
    [ $ci = 1 ] || return 0
    need clang-format have clang-format
    need ccache have ccache
    need cdo have cdo
    need gfortran have gfortran
    need python3-vtk9 have_python vtkmodules
    need python3-venv have_python ensurepip xarray
}

have_browser() { have chromium || have chromium-browser || have google-chrome; }

# What is no package of the system: for CI, Bokeh in an environment of its own.
others_install() { [ $ci = 0 ] || "$(dirname "$0")/view-env.sh" "$(dirname "$0")/../build/view"; }

find_missing
if [ ${#missing[@]} = 0 ]; then
    [ $list = 1 ] || others_install
    exit
fi
if [ $list = 1 ]; then
    printf '%s\n' "${missing[@]}"
    exit 1
fi

line="apt-get install -y ${missing[*]}"
if ! have apt-get; then
    echo "sferic: missing, by the names of their Debian packages: ${missing[*]}" >&2
    echo "sferic: install them with this system's package manager, then run make again" >&2
    exit 1
fi
if [ "$(id -u)" != 0 ]; then
    echo "sferic: some packages are missing; install them with" >&2
    echo "    sudo $line" >&2
    exit 1
fi

echo "  SETUP ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt=(apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -q)
# The lists may be old or absent; when they cannot be fetched an install from those at hand may still succeed.
"${apt[@]}" update >"$log" 2>&1
if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    tail -n 25 "$log" >&2
    echo "sferic: '$line' failed; is the network up, and is Ubuntu's 'universe' enabled?" >&2
    exit 1
fi
hash -r
find_missing
if [ ${#missing[@]} != 0 ]; then
    echo "sferic: still missing after the installation: ${missing[*]}" >&2
    echo "sferic: something else on PATH may hide them (another python3, pkg-config or compiler)" >&2
    exit 1
fi
others_install
