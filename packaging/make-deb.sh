#!/bin/bash
# A Debian package of this tree: `make deb` calls it with what it built.
#
#   packaging/make-deb.sh ROOT BINARY VERSION BASELINE      makes build/sferic_VERSION-1_ARCHITECTURE.deb and prints its path
#
# ROOT is where `make install prefix=/usr DESTDIR=ROOT` went; it is changed to what Debian's policy wants of it. What the binary takes of
# libraries is asked of dpkg-shlibdeps, so the package goes with the release of Debian or Ubuntu that it is built on. BASELINE: the
# processor that BINARY was built for (-march). Files have the time of SOURCE_DATE_EPOCH, or of the last commit.
# Who packs it is told by DEBFULLNAME and DEBEMAIL, as for Debian's own tools.
# SPDX-License-Identifier: MIT
set -euo pipefail
[ $# = 4 ] || { echo "usage: packaging/make-deb.sh ROOT BINARY VERSION BASELINE" >&2; exit 2; }
root=$1 binary=$2 version=$3-1 baseline=$4
here=$(cd "$(dirname "$0")" && pwd)
for tool in dpkg-deb dpkg-shlibdeps dpkg-architecture; do
    command -v $tool >/dev/null || { echo "make deb: no $tool: apt-get install -y dpkg-dev" >&2; exit 1; }
done
umask 022
[ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
maintainer="${DEBFULLNAME:-The Sferic authors} <${DEBEMAIL:-sferic@localhost.localdomain}>"
architecture=$(dpkg-architecture -qDEB_HOST_ARCH)
doc=$root/usr/share/doc/sferic man=$root/usr/share/man/man1

# ---- the programs ----------------------------------------------------------------------------------------------------

strip --remove-section=.comment --remove-section=.note "$root/usr/bin/sferic"
for tool in "$root"/usr/bin/sferic-*; do sed -i '1s|^#!.*python3$|#!/usr/bin/python3|' "$tool"; done
mkdir -p "$man"
commands=$("$binary" --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
# shellcheck disable=SC2086 # one word each
"$here/manual.sh" "$binary" $commands >"$man/sferic.1"
for tool in "$root"/usr/bin/sferic-*; do "$here/manual.sh" "$tool" >"$man/${tool##*/}.1"; done
gzip -9n "$man"/*.1

# ---- documents -------------------------------------------------------------------------------------------------------

rm -f "$doc/LICENSE"
mv "$doc/CHANGELOG.md" "$doc/changelog"
cat >"$doc/changelog.Debian" <<END
sferic ($version) unstable; urgency=medium

  * Built from the source tree by 'make deb'. What a user notices is told in
    changelog.gz.

 -- $maintainer  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
END
mkdir -p "$root/usr/share/lintian/overrides"
echo 'sferic: initial-upload-closes-no-bugs' >"$root/usr/share/lintian/overrides/sferic" # it is not meant for Debian's archive
gzip -9n "$doc/changelog" "$doc/changelog.Debian"
sed '1,2d; s/^$/./; s/^/ /' "$here/../LICENSE" | sed '1{/^ Copyright/d}; 1{/^ \.$/d}' >"$root.license"
sed -e "/@LICENSE@/r $root.license" -e '/@LICENSE@/d' "$here/debian/copyright.in" >"$doc/copyright"

# ---- control ---------------------------------------------------------------------------------------------------------

mkdir -p "$root.work/debian" "$root/DEBIAN"
printf 'Source: sferic\n\nPackage: sferic\nArchitecture: any\nDescription: -\n' >"$root.work/debian/control"
depends=$(cd "$root.work" && dpkg-shlibdeps -O -e "$root/usr/bin/sferic" 2>"$root.work/log" | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { cat "$root.work/log" >&2; echo "make deb: what the binary depends on is not known" >&2; exit 1; }
size=$(du -k -s --apparent-size "$root/usr" | cut -f1)
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/; s/@DEPENDS@/$depends/; s/@BASELINE@/$baseline/; s/@MAINTAINER@/$maintainer/" \
    "$here/debian/control.in" >"$root/DEBIAN/control"
install -m 755 "$here/debian/prerm" "$root/DEBIAN/prerm"
find "$root/usr" -type d -exec chmod 755 {} +
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
out=$here/../build/sferic_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$out" >"$root.work/log"
realpath --relative-to=. "$out"
