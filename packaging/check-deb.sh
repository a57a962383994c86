#!/bin/bash
# Is a package what Debian wants, and does it run from wherever it lies? `packaging/check-deb.sh FILE.deb`
#
# It is unpacked below a directory and run there: nothing is installed, and no root is needed. What only an installation shows,
# dependencies and removal, packaging/try-deb.sh looks at.
# SPDX-License-Identifier: MIT
set -uo pipefail
[ $# = 1 ] || { echo "usage: packaging/check-deb.sh FILE.deb" >&2; exit 2; }
deb=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic deb XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 count=0
check() { # WHAT COMMAND...
    local what=$1
    shift
    count=$((count + 1))
    if ! "$@" >log 2>&1; then
        echo "FAILED: $what"
        tail -n 12 log | sed 's/^/    /'
        failed=1
    fi
}
says() { # PATTERN COMMAND...
    local pattern=$1
    shift
    "$@" 2>&1 | tee log | grep -qE -- "$pattern"
}
none() { [ -z "$("$@")" ]; }
field() { dpkg-deb -f "$deb" "$1"; }

dpkg-deb -R "$deb" root || exit 1
check 'its name and version' test "${deb##*/}" = "sferic_$(field Version)_$(field Architecture).deb"
for library in libc6 libnetcdf libopenmpi libxxhash libgomp python3; do check "it depends on $library" says "(^|, )$library" field Depends; done
check 'it recommends what draws' says 'python3-matplotlib, python3-netcdf4, python3-xarray' field Recommends
check 'all files are those that md5sums tells' bash -c 'cd root && md5sum --quiet -c DEBIAN/md5sums && [ "$(wc -l <DEBIAN/md5sums)" = "$(find usr -type f | wc -l)" ]'
check 'nothing lies outside of /usr' none find root -mindepth 1 -maxdepth 1 ! -name usr ! -name DEBIAN
check 'all is owned by root' none bash -c 'dpkg-deb -c "$0" | grep -v " root/root "' "$deb"
check 'modes are 755 or 644' none find root/usr -type f ! -perm 644 ! -perm 755
check 'only programs are 755' none find root/usr -type f -perm 755 ! -path 'root/usr/bin/*' ! -name view-env.sh
for tool in root/usr/bin/*; do
    check "a manual page of ${tool##*/}" bash -c 'gzip -dc "$0" | grep -q "^.SH DESCRIPTION"' "root/usr/share/man/man1/${tool##*/}.1.gz"
done
for name in run doctor report; do check "the manual tells of $name" bash -c 'gzip -dc root/usr/share/man/man1/sferic.1.gz | grep -q "^.SH SFERIC ${0^^}"' $name; done
for name in copyright changelog.gz changelog.Debian.gz README.md guide.md; do check "$name" test -s root/usr/share/doc/sferic/$name; done
check 'the licence is whole' grep -q 'WITHOUT WARRANTY OF ANY KIND' root/usr/share/doc/sferic/copyright
check 'no path of the build' none bash -c 'grep -rlF -- "$0" root/usr' "$(cd "$(dirname "$deb")/.." && pwd)/src"
case $(field Architecture) in amd64) check 'the processor is asked for' says 'x86 ISA needed:.*x86-64-v' readelf -n root/usr/bin/sferic ;; esac

sferic=$PWD/root/usr/bin/sferic
check 'it starts' says '^sferic [0-9]' "$sferic" --version
check 'it has MPI' says '^MPI +Open MPI' "$sferic" --version
check 'it finds its tools' says "^tools +$PWD/root/usr/bin\$" "$sferic" doctor
check 'it runs a case' "$sferic" run root/usr/share/sferic/namelists/dipole.nml -q --out out --set time%duration=2e-9
check 'it leaves output' test -s out/series.nc
if /usr/bin/python3 -c 'import xarray, netCDF4, matplotlib' 2>/dev/null; then
    check 'sferic-plot draws it' root/usr/bin/sferic-plot out -o picture.png
    check 'and leaves a picture' test -s picture.png
    check 'and no bytecode' none find root -name __pycache__
else echo 'skip pictures: /usr/bin/python3 lacks the modules'; fi
if command -v lintian >/dev/null; then check 'lintian finds an error' bash -c '! lintian --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$0" 2>&1 | grep "^[EW]:"' "$deb"; fi
echo "$count checks of ${deb##*/}"
exit $failed
