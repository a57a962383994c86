#!/bin/bash
# tools/sferic-plot on made-up output folders: pictures come out, of the asked size, with the right colour
# limits; what is wrong is told in one line, with the exit code for it, and never as a traceback.
# usage: tests/test_plot.sh [work directory]
# SPDX-License-Identifier: MIT
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
plot=$root/tools/sferic-plot
if [ $# -gt 0 ]; then
    mkdir -p "$1" && work=$(mktemp -d "$(cd "$1" && pwd)/plot.XXXXXX") || exit 1
else
    work=$(mktemp -d) || exit 1
    trap 'rm -rf "$work"' EXIT
fi
cd "$work" || exit 1
failed=0

python=
for p in "${PYTHON:-}" python3 /usr/bin/python3 /usr/local/bin/python3; do
    if [ -n "$p" ] && "$p" -c 'import netCDF4, xarray, matplotlib' 2>/dev/null; then python=$p; break; fi
done
if [ -z "$python" ]; then
    echo "FAIL no python3 with xarray, netCDF4 and matplotlib: run tools/setup.sh"
    exit 1
fi

# fail WHAT [FILE]: what failed and what was said, in FILE or else in out.txt and err.txt
fail() {
    echo "FAIL $1"
    failed=$((failed + 1))
    if [ $# -gt 1 ]; then sed 's/^/     /' "$2"; else sed 's/^/     /' out.txt err.txt; fi
}

make_out() {
    "$python" "$root/tests/support_plot.py" "$@" && return
    echo "FAIL cannot make the folder of $1"
    exit 1
}

# magic FILE OFFSET TEXT: what the file holds there says what kind it is
magic() {
    if [ "$(tail -c +$(($2 + 1)) "$1" | head -c ${#3})" = "$3" ]; then echo "ok   $1: $3"
    else fail "$1: no '$3' at byte $2" /dev/null; fi
}

# good NAME TEXT ARGUMENT...: exit 0, TEXT (an extended regular expression) on stdout, nothing on stderr
good() {
    local name=$1 text=$2 rc
    shift 2
    timeout 120 "$plot" "$@" >out.txt 2>err.txt
    rc=$?
    if [ $rc != 0 ]; then fail "$name: exit code $rc"
    elif [ -s err.txt ]; then fail "$name: says something on stderr"
    elif ! grep -qE -e "$text" out.txt; then fail "$name: no '$text' on stdout"
    else echo "ok   $name"; fi
}

# bad NAME CODE TEXT ARGUMENT...: that exit code, one line on stderr that holds TEXT, nothing on stdout
bad() {
    local name=$1 code=$2 text=$3 rc
    shift 3
    timeout 120 "$plot" "$@" >out.txt 2>err.txt
    rc=$?
    if [ $rc != "$code" ]; then fail "$name: exit code $rc, expected $code"
    elif [ "$(wc -l <err.txt)" != 1 ] || [ -s out.txt ]; then fail "$name: not one line on stderr alone"
    elif ! grep -qF -e "$text" err.txt; then fail "$name: no '$text' in the message"
    else echo "ok   $name"; fi
}

# picture FILE EXPRESSION: python on the pixels: width, height; share(r, g, b), the part of all pixels that have
# this colour to within 6 of 255; reddish and bluish, the parts where the one clearly outdoes the other
picture() {
    if "$python" - "$1" "$2" >out.txt 2>err.txt <<'PY'
import sys
import numpy as np
from matplotlib.image import imread
a = imread(sys.argv[1])
a = (a[..., :3] * 255 if a.dtype.kind == "f" else a[..., :3]).astype(int)
height, width = a.shape[:2]
def share(*rgb):
    return (np.abs(a - rgb).max(axis=2) <= 6).mean()
reddish, bluish = (a[..., 0] > a[..., 2] + 40).mean(), (a[..., 2] > a[..., 0] + 40).mean()
red, blue, white, middle = share(103, 0, 31), share(5, 48, 97), share(255, 255, 255), share(247, 247, 247)
print(width, height, white, middle, red, blue, reddish, bluish)
sys.exit(not eval(sys.argv[2]))
PY
    then echo "ok   $1: $2"; else fail "$1: $2"; fi
}

make_out bubble bubble
make_out current current
make_out storm storm frames=5
make_out rest rest
make_out column column frames=3
make_out meridian meridian frames=3
make_out em em

# Pictures without options. The formulas have w to 11.8 and theta' to 1.99 (bubble), -15.5 and -15.9 (current),
# 41.9 and 6.5 (storm): the limits are the next round numbers; the colour bars show the ends of the scale.
good "bubble" 'bubble\.png: w -12 to 12 m s-1; theta_p -2 to 2 K$' bubble
picture bubble/bubble.png 'width == 1920 and 1000 < height < 2500'
picture bubble/bubble.png '0.3 < white < 0.9 and red > 1e-4 and blue > 2e-5'
good "density current" 'w -16 to 16 m s-1; theta_p -16 to 16 K$' current
picture current/current.png 'bluish > 1.5 * reddish > 0.005'
good "storm" 'w -45 to 45 m s-1; theta_p -7 to 7 K$' storm
good "y-z section where nx is 1" 'w -12 to 12 m s-1; theta_p -2 to 2 K$' meridian
good "one column" 'column\.png$' column
good "rest: a floor, no colours of round-off" 'w -0\.001 to 0\.001 m s-1; theta_p -0\.001 to 0\.001 K$' rest
picture rest/rest.png 'middle > 0.3 and reddish < 0.01 and bluish < 0.01'
good "waves: the largest component" 'em\.png: Ez -1\.2 to 1\.2 V m-1$' em
good "several folders" 'meridian\.png' bubble meridian

# Options.
good "resolution" 'small\.png' bubble --dpi 50 -o small.png
picture small.png 'width == 600'
good "variable" 'w\.png: density 0\.3[0-9]* to 1\.1[0-9]* kg m-3$' bubble --var density -o w.png
good "times" 'theta_p -2 to 2 K$' bubble --time 100,900 --dpi 50 -o t.png
good "early frame alone: its own scale" 'w -1\.2 to 1\.2 m s-1' bubble --time 100 --dpi 50 -o t.png
good "section and level" 's\.png' storm --section y=0 --level 3000 --dpi 50 -o s.png
good "pdf" 'b\.pdf' bubble -o b.pdf
magic b.pdf 0 %PDF
good "GIF movie" 'b\.gif: 11 frames; w -12 to 12 m s-1' bubble --movie --dpi 40 -o b.gif
magic b.gif 0 GIF89a
if command -v ffmpeg >/dev/null; then
    good "mp4 movie" 'meridian\.mp4: 3 frames' meridian --movie --dpi 41
    magic meridian/meridian.mp4 4 ftyp
else
    good "movie without ffmpeg" 'meridian\.gif: 3 frames' meridian --movie --dpi 40
    bad "mp4 without ffmpeg" 2 "needs ffmpeg" bubble --movie -o b.mp4
fi

# B - A: a shift of w by 0.5 everywhere is found as such; a run is identical to itself.
make_out bubble shifted shift=0.5 frames=6
good "compare: a known difference" '^  w: rms 0\.5, max 0\.5 m s-1$' --compare bubble shifted -o c.png
good "compare: scales" 'c\.png: w -12 to 12 m s-1; B - A of w -0\.5 to 0\.5 m s-1' \
    --compare bubble shifted -o c.png
good "compare: the rest is identical" '^  theta_p: identical$' --compare bubble shifted -o c.png --dpi 50
good "compare: long planes, last common time" '^15 min|^900 s' --compare current current -o c.png --dpi 50

# Folders that differ from the usual.
make_out bubble bare bare packed
good "history alone, all frames in one file" 'w -12 to 12' bare
make_out bubble stagger stagger frames=3
good "native staggered fields" 'w -12 to 12' stagger
make_out bubble nan nan frames=3
good "a cell that is not a number" 'w -12 to 12' nan
make_out bubble one bare frames=1
good "one frame, nothing moves yet" 'w -0\.001 to 0\.001 m s-1; theta_p -2 to 2 K$' one
make_out bubble "with space # ü" frames=2
good "blanks and letters in the path" 'bubble\.png' "with space # ü"

# Live: a picture while the run goes on, then the last one once status.json says so.
make_out bubble live frames=3 state=running
"$plot" live --live --every 0.3 --dpi 40 >live.txt 2>&1 &
pid=$!
for _ in $(seq 100); do [ -s live/bubble.png ] && break; sleep 0.2; done
[ -s live/bubble.png ] && kill -0 $pid 2>/dev/null || fail "live: no picture of a running run" live.txt
make_out bubble live frames=5 state=done
for _ in $(seq 100); do kill -0 $pid 2>/dev/null || break; sleep 0.2; done
if kill -0 $pid 2>/dev/null; then kill $pid; fail "live: does not end with the run" live.txt
elif wait $pid && [ "$(wc -l <live.txt)" -ge 2 ]; then echo "ok   live"
else fail "live: fails, or did not draw again" live.txt; fi

# What is wrong.
mkdir -p empty torn zeros text
bad "no folder" 4 "nowhere: no such folder" nowhere
bad "empty folder" 4 "holds no history" empty
head -c 9000 bubble/history_00000000.000.nc >torn/history_00000000.000.nc
bad "truncated file" 4 "torn/history_00000000.000.nc: damaged" torn
head -c 9000 /dev/zero >zeros/history_00000000.000.nc
bad "a file of zeros" 4 "damaged" zeros
cp -r one damaged
: >damaged/series.nc
bad "empty series" 4 "damaged/series.nc: damaged" damaged
"$python" -c 'import netCDF4; netCDF4.Dataset("text/history_0.nc", "w").createDimension("x", 3)'
bad "another netCDF file" 4 "not written by sferic" text
bad "unknown variable" 2 "did you mean 'theta_p'" bubble --var theta_pp
bad "time out of range" 2 "not between 0 and 1000 s" bubble --time 5000
bad "level out of range" 2 "outside 0 to 10000 m" bubble --level 2e4
bad "section" 2 "'q=3' is not x=, y= or z=" bubble --section q=3
bad "option" 2 "unrecognized arguments: --colour" bubble --colour
bad "no folder given" 2 "required: OUT"
bad "compare one" 2 "two folders" --compare bubble
bad "kind of picture" 2 "written as .png" bubble -o b.xyz
bad "kind of movie" 2 "mp4 or .gif" bubble --movie -o b.png
bad "nowhere to write" 6 "cannot write no/where.png" bubble -o no/where.png
make_out bubble coarse frames=3 nx=40 bare
timeout 120 "$plot" --compare bubble coarse -o c.png >out.txt 2>err.txt
[ $? = 4 ] && grep -q "different grids" err.txt && echo "ok   compare: grids" || fail "compare: grids"
make_out bubble later frames=2
rm later/history_00000000.000.nc
bad "compare: times" 4 "no output time in common" --compare one later

# A python without the modules: the next one is tried; with none the packages are named. -S hides the modules.
mkdir -p lame none
printf '#!/bin/sh\nexec "%s" -S "$@"\n' "$(command -v "$python")" >lame/python3
chmod +x lame/python3
PATH=$work/lame:$PATH timeout 60 "$plot" bubble --dpi 40 -o lame.png >out.txt 2>err.txt
[ $? = 0 ] && [ -s lame.png ] && [ ! -s err.txt ] && echo "ok   next python3" || fail "next python3"
PATH=$work/lame:$PATH SFERIC_PLOT_PYTHON=4 lame/python3 "$plot" bubble >out.txt 2>err.txt
[ $? = 1 ] && grep -q 'apt-get install -y python3-x' err.txt && echo "ok   no python3" || fail "no python3"
PATH=$work/lame:$PATH lame/python3 "$plot" --help >out.txt 2>err.txt
[ $? = 0 ] && grep -q -e --movie out.txt && echo "ok   help without modules" || fail "help without modules"

[ $failed = 0 ] || echo "$failed failed"
[ $failed = 0 ]
