#!/bin/bash
# Installs a package in a bare Debian 12, runs and draws a case there, removes it, and looks for what is left. As root, by hand: it takes
# mmdebstrap, Debian's archive and ten minutes. `packaging/try-deb.sh FILE.deb [SUITE]`
# SPDX-License-Identifier: MIT
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: packaging/try-deb.sh FILE.deb [SUITE]" >&2; exit 2; }
command -v mmdebstrap >/dev/null || { echo "try-deb: apt-get install -y mmdebstrap" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic-try-XXXXXX")
root=$work/root
cleanup() {
    umount -R "$root/dev" 2>/dev/null || true
    umount "$root/sys" "$root/proc" 2>/dev/null || true
    mountpoint -q "$root/dev" || rm -rf --one-file-system "$work"
}
trap cleanup EXIT
mmdebstrap --variant=minbase "${2:-bookworm}" "$work/root.tar" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
mkdir "$root" && tar -C "$root" -xpf "$work/root.tar" && rm "$work/root.tar"
cp /etc/resolv.conf "$root/etc/"
cp "$1" "$root/tmp/"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sys "$root/sys"
mount --rbind /dev "$root/dev" && mount --make-rslave "$root/dev"
cat >"$root/tmp/try" <<'END'
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
quietly() { "$@" >>/tmp/log 2>&1 || { tail -n 30 /tmp/log; echo "try-deb: $1 ${2-} failed"; exit 1; }; }
quietly apt-get -q update
quietly apt-get install -y /tmp/sferic_*.deb
cd /root
sferic doctor
case=/usr/share/sferic/namelists/norman_2011.nml
sferic run $case --out one -q --set time%duration=10 | tee digest
mpirun --oversubscribe -n 2 sferic run $case --out two -q --set time%duration=10 | cmp - digest
sferic-plot one && test -s one/norman_2011.png
sferic report one
cp -r /usr/share/sferic/namelists . && sferic run namelists/heat.nml -q --out heat
quietly apt-get purge -y sferic
rm -rf /root/.cache/sferic
left=$(find / -xdev -iname '*sferic*' ! -path '/tmp/*' ! -path '/root/*' ! -path '/var/log/*')
[ -z "$left" ] || { echo "try-deb: removed, and left behind: $left"; exit 1; }
echo 'installed, run, drawn, removed: nothing is left'
END
chroot "$root" bash /tmp/try
