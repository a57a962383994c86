#!/bin/bash
# What `sferic report` puts together: all that it says is in it, and nothing private: names of a user, machines and places are planted in
# every text that it reads, and none may be left. `SFERIC=binary tests/report.sh` SPDX-License-Identifier: MIT
set -uo pipefail
: "${SFERIC:?the path of the binary under test}"
SFERIC=$(realpath "$SFERIC")
soundings=$(cd "$(dirname "$0")/../data/soundings" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/sferic.report.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0 failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    sed 's/^/    /' said | tail -n 20
}
# expect CODE TEXT COMMAND...: this exit code, and TEXT (a pattern) in what is said
expect() {
    local code=$1 text=$2 rc
    shift 2
    checks=$((checks + 1))
    "$@" >said 2>&1 </dev/null
    rc=$?
    if [ $rc != "$code" ]; then fail "exit code $rc, not $code: $*"
    elif ! grep -qE -- "$text" said; then fail "does not say '$text': $*"; fi
}
holds() { # WHAT COMMAND...
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" >said 2>&1 || fail "$what"
}

# ---- a run of somebody somewhere -------------------------------------------------------------------------------------

export USER=zaphod LOGNAME=zaphod HOME="$work/betelgeuse/zaphod" HOSTNAME=magrathea.slow.example.org
mkdir -p "$HOME" "$work/the golden/heart/input"
place="$work/the golden/heart"
cp "$soundings/oun_2011052212.txt" "$place/input/zaphod_sounding.txt"
cat >"$place/storm.nml" <<END
! by zaphod in /home/trillian/namelists on magrathea
&case name = 'improbable', title = 'drive of Zaphod on magrathea, $HOME' /
&grid nx = 12, ny = 12, nz = 20, dx = 1000, dy = 1000, dz = 500 /
&time duration = 20, dt = 5, output_interval = 10, series_interval = 5, restart_interval = 20 /
&base profile = 'sounding', sounding = '$place/input/zaphod_sounding.txt', wind = 'sounding' /
END
out=$place/out
mkdir "$out"
"$SFERIC" run "$place/storm.nml" --out "$out" --timeline "$out/timeline.json" >run.txt 2>&1 || { cat run.txt; exit 1; }
cat >plants <<END
zaphod was here, Zaphod too: $HOME/x $out/y
/home/trillian/data/secret.nc on magrathea and $(uname -n), at zaphod@guide.example.org, 10.0.0.17
'/scratch/slartibartfast/fjords of norway/a.nc' /scratch/slartibartfast/b.nc
END
cat plants >"$out/zaphod.log"
cat plants >"$out/slurm-42.out"
cat plants >>"$out/input/zaphod_sounding.txt"
sed 's/^/! /' plants >>"$out/namelist.nml"
sed -i "s|\"message\": \"\"|\"message\": \"cannot read '/scratch/slartibartfast/fjords of norway/a.nc' of zaphod on magrathea\"|" "$out/status.json"
sed -i '1s|{|{"otherData": {"host": "magrathea", "by": "zaphod", "file": "/home/trillian/x/t.json"},|' "$out/timeline.json"
mkdir -p elsewhere && { cat run.txt plants; } >elsewhere/zaphod_run.txt
for ((n = 0; n < 40000; n++)); do echo "line $n of zaphod, as long as it takes to be too long"; done >"$out/long.log"
printf 'a\0zaphod' >"$out/picture.png"
ln -s /etc/passwd "$out/link.txt"
printf 'broken' >"$out/dft_broken.nc"
# The files may have been written by another machine, and belong to somebody else.
others=()
if /usr/bin/python3 -c 'import netCDF4' 2>/dev/null; then
    /usr/bin/python3 -c 'import netCDF4, sys; netCDF4.Dataset(sys.argv[1], "a").institution = "deepthought.other.example"' "$out/profiles.nc"
    echo 'left deepthought at noon' >>"$out/slurm-42.out"
    others+=(deepthought other.example)
fi
if [ "$(id -u)" = 0 ] && chown games "$out" 2>/dev/null; then
    echo 'belongs to games' >>"$out/slurm-42.out"
    others+=('to games')
fi

# ---- what is in it ---------------------------------------------------------------------------------------------------

expect 0 '^sferic-report-improbable.tar.gz: ' "$SFERIC" report "$out" --log elsewhere/zaphod_run.txt
cp said told
for left in 'history_.*\.nc, [0-9]+ bytes' 'restart_.*\.nc, [0-9]+ bytes' 'picture.png, 8 bytes' 'link.txt, .*not followed'; do
    holds "does not tell of $left" grep -qE "^  $left" told
done
holds 'tar does not read it' tar xzf sferic-report-improbable.tar.gz
top=sferic-report-improbable
for name in README.txt version.txt doctor.txt check.txt files.txt headers.txt series.txt out/namelist.nml out/status.json out/USER.log \
    out/slurm-42.out out/timeline.json out/long.log out/input/USER_sounding.txt log/USER_run.txt; do
    holds "$name is not in it, or empty" test -s "$top/$name"
done
found=$(cd "$top" && find . -type f | sort | tr '\n' ' ')
holds "more is in it than README tells: $found" test "$(wc -w <<<"$found")" = 17
for name in out/USER.log out/slurm-42.out out/namelist.nml out/input/USER_sounding.txt log/USER_run.txt; do
    holds "$name has lost what is not private" grep -q 'USER was here, USER too: ~/x OUT/y' "$top/$name"
    # shellcheck disable=SC2088 # a stand-in
    holds "$name has no stand-ins" grep -q "~/.../secret.nc on HOST and HOST, at USER@HOST, ADDRESS" "$top/$name"
    holds "$name has no stand-in for a path" grep -q "'PATH/a.nc' PATH/b.nc" "$top/$name"
done
holds 'status.json' grep -q "\"message\": \"cannot read 'PATH/a.nc' of USER on HOST\"" "$top/out/status.json"
holds 'version' grep -q '^sferic [0-9]' "$top/version.txt"
holds 'doctor' grep -q '^cases run here' "$top/doctor.txt"
holds 'check' grep -q 'wall time' "$top/check.txt"
holds 'exit code of check' grep -q '^\[exit code 0\]' "$top/check.txt"
holds 'a long text keeps its beginning' grep -q '^line 0 ' "$top/out/long.log"
holds 'and its end' grep -q '^line 39999 ' "$top/out/long.log"
holds 'and says so' grep -q 'left out' "$top/out/long.log"
holds 'and is no longer than that' test "$(wc -c <"$top/out/long.log")" -lt 1100000
holds 'a damaged file is told' grep -q 'cannot read .*dft_broken.nc' "$top/headers.txt"
holds 'the last entry of the series' grep -q '^20,' "$top/series.txt"
holds 'the series has names' grep -q '^time,w_max,' "$top/series.txt"
holds 'owner and user of the archive' test -z "$(tar tvzf sferic-report-improbable.tar.gz | grep -v ' 0/0 ')"
size=$(wc -c <"$out/series.nc")
holds 'sizes of files' grep -qE "^ +$size .* series.nc\$" "$top/files.txt"
if command -v xxhsum >/dev/null; then
    sum=$(xxhsum "$out/input/zaphod_sounding.txt" | cut -d' ' -f1)
    holds 'checksums of input' grep -q " $sum input/USER_sounding.txt" "$top/files.txt"
fi
if command -v python3 >/dev/null; then
    holds 'the timeline is JSON' python3 -c 'import json; json.load(open("'$top'/out/timeline.json"))'
fi
# Dimensions and variables are those that ncdump prints.
declared() { sed -n '/^dimensions:/,/^\/\/ global/p' | grep -E '^	[^	]' | sed 's/ ;.*//'; }
if command -v ncdump >/dev/null; then
    for name in series profiles; do
        ncdump -h "$out/$name.nc" | declared >wanted
        sed -n "/^netcdf $name.nc /,/^}/p" "$top/headers.txt" | declared >got
        holds "the head of $name.nc is not ncdump's" cmp wanted got
        holds "the head of $name.nc is empty" test -s got
    done
fi

# ---- and what is not -------------------------------------------------------------------------------------------------

gzip -dc sferic-report-improbable.tar.gz >archive.tar
for word in zaphod trillian magrathea slartibartfast fjords betelgeuse golden slow.example guide.example 10.0.0.17 "$(basename "$work")" /home/ /scratch ${others[@]+"${others[@]}"}; do
    holds "'$word' is left: $(grep -aio -m 3 ".\{0,60\}$word.\{0,20\}" archive.tar)" test -z "$(grep -ai -m 1 -- "$word" archive.tar)"
done
host=$(uname -n)
case $host in
    localhost* | root) ;;
    *) holds "the name of this machine is left" test -z "$(sed 's/[^A-Za-z0-9-]/\n/g' archive.tar | grep -aixF -m 1 -- "${host%%.*}")" ;;
esac
holds 'a link was followed' test -z "$(grep -a 'root:x:0' archive.tar)"

# ---- refusals --------------------------------------------------------------------------------------------------------

expect 2 'is there: replace it with --force' "$SFERIC" report "$out" --no-check
expect 0 'texts' "$SFERIC" report "$out" --no-check --force
holds 'check is left out' test -z "$(tar tzf sferic-report-improbable.tar.gz | grep check.txt)"
expect 0 '^other.tgz: ' "$SFERIC" report "$out" --no-check --output other.tgz
expect 2 'which output directory' "$SFERIC" report
expect 2 'there is no directory' "$SFERIC" report nowhere
expect 2 'is no directory' "$SFERIC" report plants
expect 2 'is no output directory of a run: there is neither' "$SFERIC" report elsewhere
expect 2 'one output directory at a time' "$SFERIC" report "$out" elsewhere
expect 4 "cannot read the log 'nowhere.log'" "$SFERIC" report "$out" --no-check --log nowhere.log --output new.tgz
expect 6 'cannot write .*choose another place with --output' "$SFERIC" report "$out" --no-check --output no/place.tgz
expect 6 'files may not be that large here' bash -c 'ulimit -f 1; "$0" report "$1" --no-check --output new.tgz' "$SFERIC" "$out"
mkdir bin
expect 6 'there is no gzip on PATH' env PATH="$work/bin" "$SFERIC" report "$out" --no-check --output new.tgz
printf '#!/bin/sh\necho part; exit 1\n' >bin/gzip && chmod +x bin/gzip
expect 6 'gzip ended early' env PATH="$work/bin" "$SFERIC" report "$out" --no-check --output new.tgz
holds 'a failure leaves something' test -z "$(ls -d new.tgz* 2>/dev/null)"
mkdir small
if mount -t tmpfs -o size=8k tmpfs small 2>/dev/null; then
    expect 6 'as on a full disk' "$SFERIC" report "$out" --no-check --output small/new.tgz
    holds 'a full disk keeps a part' test -z "$(ls small)"
    umount small
fi
mkdir only && echo '{}' >only/status.json
expect 0 '^sferic-report-only.tar.gz: ' "$SFERIC" report only # a run that failed before it had a namelist

echo "$checks checks, $failures failed"
[ $failures = 0 ]
