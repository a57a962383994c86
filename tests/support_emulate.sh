# shellcheck shell=bash
# For scripts that need a build with an emulated GPU: emulate_build TARGET... makes them in the variant of $BUILD that has one and
# sets $emulated to its directory. TARGET is a path below it. SPDX-License-Identifier: MIT

emulate_build() {
    local cc prec mpi arch args
    [[ ${BUILD##*/} =~ ^(.+)-(32|64)-(mpi|serial)-(cpu|cuda|emulate)-([^-]+|x86-64-v[0-9])(-address)?$ ]] ||
        { echo "$BUILD is no build directory"; return 1; }
    cc=${BASH_REMATCH[1]} prec=${BASH_REMATCH[2]} mpi=${BASH_REMATCH[3]} arch=${BASH_REMATCH[5]}
    emulated=build/$cc-$prec-$mpi-emulate-$arch${BASH_REMATCH[6]}
    args=(CC="$cc" PREC="$prec" MPI="$([ "$mpi" = mpi ] && echo 1 || echo 0)" CUDA=emulate ARCH="$arch" SAN="${BASH_REMATCH[6]#-}"
        WERROR="${CI:+1}")
    unset MAKEFLAGS MAKELEVEL MFLAGS
    # Scripts that run at once make one after the other.
    mkdir -p "$emulated" && flock "$emulated" make -s -j "$(nproc)" "${args[@]}" "${@/#/$emulated/}" || { echo "the build with an emulated GPU fails"; return 1; }
}

# emulate_begin TARGET...: the same, and a directory $work for as long as the script runs.
emulate_begin() {
    emulate_build "$@" || exit 1
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
}

# Ends a script that is for a GPU alone.
gpu_demand() { has_gpu || { echo "$BUILD finds no GPU on this machine: $gpu_why"; exit 1; }; }

# Has $BUILD a GPU to run on? Else $gpu_why.
has_gpu() {
    case ${BUILD##*/} in
    *-cuda-*) gpu_why=$("$BUILD/sferic" check namelists/rest.nml --backend cuda 2>&1 >/dev/null) && return 0 ;;
    *) gpu_why="it is built without CUDA" ;;
    esac
    return 1
}
