#!/bin/bash
# tools/sferic-plot on made-up output folders: pictures come out, of the asked size, with the right colour
# limits and the right numbers in their panels; what is wrong is told in one line, with the exit code for it, and
# never as a traceback; installed it works as in the source tree.
# usage: tests/test_plot.sh [work directory]
# The first picture, the first mistake, what goes on at once and what is installed start the program as a user does; all else is
# drawn by forks of one python, tests/support_python.py: to load the modules takes longer than to draw.
# Long: a hundred pictures.
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

# python_do OUT ERR SCRIPT ARGUMENT...: `python3 SCRIPT ARGUMENT...` less the time to load its modules
coproc stays { PYTHONPATH=$root/tools exec "$python" -B "$root/tests/support_python.py" numpy netCDF4 xarray \
    matplotlib.image matplotlib.pyplot matplotlib.backends.backend_agg matplotlib.backends.backend_pdf sferic_plot.main; }
python_do() {
    local rc
    printf '%s\0' $(($# + 1)) "$PWD" "$@" >&"${stays[1]}" && read -r rc <&"${stays[0]}" && return "$rc"
    echo "FAIL the python that stays is gone"
    exit 1
}

make_out() {
    python_do out.txt err.txt "$root/tests/support_plot.py" "$@" && return
    cat err.txt
    echo "FAIL cannot make the folder of $1"
    exit 1
}

# magic FILE OFFSET TEXT: what the file holds there says what kind it is
magic() {
    if [ "$(tail -c +$(($2 + 1)) "$1" | head -c ${#3})" = "$3" ]; then echo "ok   $1: $3"
    else fail "$1: no '$3' at byte $2" /dev/null; fi
}

# plot_do ARGUMENT...: sferic-plot, or afresh as a user starts it where `afresh` is not empty
afresh=yes
plot_do() {
    if [ -n "$afresh" ]; then timeout 120 "$plot" "$@" >out.txt 2>err.txt
    else python_do out.txt err.txt "$plot" "$@"; fi
}

# good NAME TEXT ARGUMENT...: exit 0, TEXT (an extended regular expression) on stdout, nothing on stderr
good() {
    local name=$1 text=$2 rc
    shift 2
    plot_do "$@"
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
    plot_do "$@"
    rc=$?
    if [ $rc != "$code" ]; then fail "$name: exit code $rc, expected $code"
    elif [ "$(wc -l <err.txt)" != 1 ] || [ -s out.txt ]; then fail "$name: not one line on stderr alone"
    elif ! grep -qF -e "$text" err.txt; then fail "$name: no '$text' in the message"
    else echo "ok   $name"; fi
}

# picture FILE EXPRESSION: what is true of the pixels
picture() {
    if python_do out.txt err.txt "$root/tests/support_plot_picture.py" "$1" "$2"; then echo "ok   $1: $2"; else fail "$1: $2"; fi
}

# look: what is true of the panels, by the lines of the file $ROWS
look() {
    python_do look.txt err.txt "$root/tests/support_plot_look.py" "$ROWS" || fail "look: ends with $?" err.txt
    [ -s err.txt ] && fail "look: says something on stderr" err.txt
    cat look.txt
    failed=$((failed + $(grep -c ^FAIL look.txt)))
    [ "$(wc -l <look.txt)" = "$(wc -l <"$ROWS")" ] || fail "look: not every row was evaluated" look.txt
}

make_out bubble bubble
make_out current current
make_out storm storm frames=5
make_out rest rest
make_out column column frames=3
make_out meridian meridian frames=3
make_out em em
make_out em shells shell
make_out slice slice
make_out line line
make_out em lagging lag frames=2
make_out bubble theta theta
make_out bubble alone theta only=theta frames=3
make_out bubble thin only=density frames=3
make_out storm knotted knot frames=2
make_out rainy rainy
make_out rainy row ny=1
make_out rainy poor without=reflectivity,qc,p_0,theta_p,rain
make_out rainy still without=w,u
make_out rainy vapour without=reflectivity,qr,qc,rain
make_out rainy cloudy without=reflectivity,qr,rain
make_out rainy high up=2600
make_out ports load ports=1
make_out ports between
make_out ports shared ports=7
make_out ports weak through=-93
make_out ports lost through=-200

# Pictures without options. The formulas have w to 11.8 and theta' to 1.99 (bubble), -15.5 and -15.9 (current),
# 41.9 and 6.5 (storm): the limits are the next round numbers; the colour bars show the ends of the scale.
good "bubble" 'bubble\.png: w -12 to 12 m s-1; theta_p -2 to 2 K$' bubble
bad "no folder" 4 "nowhere: no such file or folder" nowhere
afresh=
picture bubble/bubble.png 'width == 1920 and 1000 < height < 2500'
picture bubble/bubble.png '0.3 < white < 0.9 and red > 1e-4 and blue > 2e-5'
good "density current" 'w -16 to 16 m s-1; theta_p -16 to 16 K$' current
picture current/current.png 'bluish > 1.5 * reddish > 0.005'
good "storm" 'w -45 to 45 m s-1; theta_p -7 to 7 K$' storm
good "y-z section where nx is 1" 'w -12 to 12 m s-1; theta_p -2 to 2 K$' meridian
good "one column" 'column\.png$' column
good "rest: a floor, no colours of round-off" 'w -0\.001 to 0\.001 m s-1; theta_p -0\.001 to 0\.001 K$' rest
picture rest/rest.png 'middle > 0.3 and reddish < 0.01 and bluish < 0.01'
good "waves: the largest component" 'em\.png: Ez -0\.6 to 0\.6 V m-1; \|E\| 0 to 3\.5e-10 V m-1 s' em
picture em/em.png 'width == 1920 and reddish > 0.003 and bluish > 0.01'
good "waves: 2-D" 'slice\.png: Ez -0\.[0-9]+ to 0\.[0-9]+ V m-1' slice
good "waves: 1-D" 'line\.png$' line
good "several folders" 'meridian\.png' bubble meridian

# Options.
good "scattering parameters" 'between/device\.png$' between
good "scattering parameters of many ports" 's\.png$' shared --dpi 40 -o s.png
bad "scattering parameters: movie" 2 "a folder of \`sferic ports\` knows no --movie" between --movie
mkdir -p torn_ports && head -c 3000 between/sparameters.nc >torn_ports/sparameters.nc
bad "scattering parameters: truncated" 4 "sparameters.nc: damaged, or not written by sferic" torn_ports
good "resolution" 'small\.png' bubble --dpi 50 -o small.png
picture small.png 'width == 600'
good "variable" 'w\.png: density 0\.3[0-9]* to 1\.1[0-9]* kg m-3$' bubble --var density -o w.png
good "times" 'theta_p -2 to 2 K$' bubble --time 100,900 --dpi 50 -o t.png
good "early frame alone: its own scale" 'w -1\.2 to 1\.2 m s-1' bubble --time 100 --dpi 50 -o t.png
good "movie of a storm" 'm\.gif: 3 frames; reflectivity 0 to 70 dBZ$' rainy --movie --var storm --dpi 40 -o m.gif
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

good "waves: movie" 'e\.gif: 6 frames; Ez -0\.6 to 0\.6 V m-1$' em --movie --dpi 30 -o e.gif
magic e.gif 0 GIF89a
good "waves: a time" 'e\.png: Ez' em --time 8e-11 --dpi 40 -o e.png
bad "waves: time out of range" 2 "time 1 s is not between 0 and 2e-10 s" em --time 1
bad "waves: level out of range" 2 "outside -0.03 to 0.03 m" em --level 1

# Frames that are shown: those in which waves are more than a tenth of their largest, be it one alone; of fields that are 0 all.
cat >frames.py <<'PY'
from types import SimpleNamespace as Of
from sferic_plot.waves import frames_lively
for size, shown in (([0, 0, 5, .1], (2, 2)), ([0, 5], (1, 1)), ([0, 2, 5, 1, .1], (1, 3)), ([0, 0, 0], (0, 2))):
    run = Of(times=size, survey=lambda _: Of(frames=range(len(size)), size=size))
    assert frames_lively(run, "Ez") == shown, (size, frames_lively(run, "Ez"))
PY
PYTHONPATH=$root/tools "$python" -B frames.py >out.txt 2>err.txt || fail "frames of waves" err.txt

# What the panels hold. Waves: the pulse of 30 GHz is at the first probe at 200 ps, 40 % of it at the second, so
# -7.96 dB; 60 % of the flux passes at 30 GHz; |E| of the DFT is 5e-12 / (r + 0.01 m); the cylinder has a radius of 8 mm.
export ROWS=$work/rows.txt
cat >"$ROWS" <<'ROWS'
ports: both reflections and both ways through | between | list(curves("Scattering parameters")) == ["$S_{11}$", "$S_{21}$", "$S_{12}$", "$S_{22}$"]
ports: in dB over GHz | same | all(np.allclose(y[1:], 20 * np.log10(np.abs((100 if n in ("$S_{21}$", "$S_{12}$") else z) / (100 + z))[1:]), atol=1e-6) and np.isnan(y[0]) for w in [2j * np.pi * np.linspace(1e9, 9e9, 81)] for z in [1e-9 * w + 1e12 / w] for n, (x, y) in curves("Scattering parameters").items()) and panel("Scattering parameters").get_xlabel() == "frequency [GHz]"
ports: those of the second port dashed | same | [line.get_linestyle() for line in panel("Scattering parameters").lines] == ["-", "-", "--", "--"]
ports: Smith chart's circles of resistance | same | all(np.allclose(((1 + g) / (1 - g)).real, float(n[2:]), atol=1e-9) and len(g) > 170 for n, (x, y) in curves("Smith chart, 50 Ω").items() if n[:2] == "r " for g in [(x + 1j * y)[np.abs(x + 1j * y - 1) > 1e-6]])
ports: its arcs of reactance | same | all(np.allclose(((1 + g) / (1 - g)).imag, float(n[2:]), atol=1e-9) and (np.abs(g) < 1 + 1e-12).all() and len(g) > 80 for n, (x, y) in curves("Smith chart, 50 Ω").items() if n[:2] == "x " for g in [(x + 1j * y)[:-2]]) and sum(n[:2] == "x " for n in curves("Smith chart, 50 Ω")) == 11
ports: reflections on it | same | all(np.allclose(((x + 1j * y) * (100 + z) - z)[1:], 0, atol=1e-6) for w in [2j * np.pi * np.linspace(1e9, 9e9, 81)] for z in [1e-9 * w + 1e12 / w] for x, y in [curves("Smith chart, 50 Ω")[n] for n in ("$S_{11}$", "$S_{22}$")])
ports: ends of its curve, the first that is known hollow | same | [(round(line.frequency / 1e9, 1), line.get_markerfacecolor() == "w") for line in panel("Smith chart, 50 Ω").lines if line.get_label() == "end 1"] == [(1.1, True), (9, False)]
ports: the scale goes down with the data | weak | panel("Scattering parameters").get_ylim()[0] == -95 and not panel("Scattering parameters").texts
ports: to a floor that is told | lost | panel("Scattering parameters").get_ylim()[0] == -160 and [t.get_text() for t in panel("Scattering parameters").texts] == ["some below -160 dB"]
ports: no impedance of two | between | not shown("Input impedance of port 1") and texts()[0] == "device: scattering parameters" and texts()[1] == "2 ports, 81 frequencies, 1 to 9 GHz, from a run for each port"
ports: impedance of one | load | (lambda c: np.allclose(c["resistance"][1][1:], 20) and np.allclose(c["reactance"][1][1:], 4 * np.pi * np.linspace(1, 9, 81)[1:]))(curves("Input impedance of port 1")) and shown("Scattering parameter $S_{11}$")
ports: of many a panel each, with the largest | shared | all(len(curves(f"Scattering parameters, port {n} driven")) == 6 and f"$S_{{{n}{n}}}$" in curves(f"Scattering parameters, port {n} driven") for n in range(1, 7)) and not shown("Scattering parameters, port 7 driven")
waves: plane of most energy | em | blocks[0].name == "Ez" and blocks[0].axis == "z" and abs(blocks[0].at) < 1e-9
waves: heading in mm | same | names[0].startswith("Electric field $E_z$ [V m") and "$z$ = 0 mm" in names[0]
waves: times in ps, by numbers | same | blocks[0].titles == ["0 ps", "40 ps", "80 ps", "160 ps", "200 ps"]
waves: symmetric | same | blocks[0].lo == -blocks[0].hi and blocks[0].extend == "both" and blocks[0].signed
waves: medium's edge | same | len(blocks[0].outline) > 8 and all(6e-3 < np.hypot(x - 0.025, y) < 10.5e-3 for s in blocks[0].outline for x, y in s)
waves: the sheet that is cut, the wire that lies in it | same | np.allclose(blocks[0].sheets, [[(-0.02, -0.015), (-0.02, 0.015)], [(-0.01, -0.005), (-0.01, 0.005)]]) and "bold: conducting sheets and wires" in names[0]
waves: sheet drawn | same | all(any(c.get_label() == "sheets" for c in ax.collections) for ax in page.fig.axes[:5])
waves: around cells whose faces conduct, no line of a turned sheet | shells | not blocks[0].sheets and len(blocks[0].shells) > 8 and all(6e-3 < np.hypot(x + 0.02, y) < 14e-3 for s in blocks[0].shells for x, y in s) and "bold: around cells" in names[0]
waves: these are drawn | same | any(c.get_label() == "shells" for c in page.fig.axes[0].collections)
waves: medium drawn | em | all(any(c.get_label() == "media" for c in ax.collections) for ax in page.fig.axes[:5])
waves: probe names by place | same | list(curves("$E_z$ at the probes")) == ["10, 0, 0 mm", "30, 10, 0 mm"]
waves: trace in ps | same | [round(x[np.argmax(y)]) for x, y in curves("$E_z$ at the probes").values()] == [200, 360]
waves: trace on its clock | same | abs(np.ptp(curves("$E_z$ at the probes")["10, 0, 0 mm"][0]) - 1000) < 1 and panel("$E_z$ at the probes").get_xlabel() == "time [ps]"
waves: spectrum's peak | same | [abs(x[np.argmax(y)] - 30) < 1 for x, y in curves("Spectrum of $E_z$ at the probes").values()] == [True, True]
waves: spectrum's heights | same | np.allclose([y.max() for x, y in curves("Spectrum of $E_z$ at the probes").values()], [0, 20 * np.log10(0.4)], atol=0.1)
waves: energy on a logarithm | same | panel("Energy in the domain").get_yscale() == "log" and list(curves("Energy in the domain")) == ["total", "electric"]
waves: energy's decay | same | np.allclose(np.interp([500, 750], *curves("Energy in the domain")["total"]), 3e-12 * np.exp([-10, -15]), rtol=0.01, atol=0)
waves: flux | same | list(curves("Flux through the monitors")) == ["incident", "through", "back"] and abs(curves("Flux through the monitors")["through"][1].max() - 6e-21) < 1e-23
waves: transmission | same | abs(np.interp(30, *curves("Transmission")["through"]) - 0.6) < 1e-3
waves: no quotient of round-off | same | np.isnan(curves("Transmission")["through"][1][[0, -1]]).all()
waves: DFT frequencies | same | blocks[1].titles == ["30 GHz", "45 GHz"] and blocks[1].axis == "z" and blocks[2].axis == "y" and "DFT xz" in names[2]
waves: DFT magnitude | same | (lambda h, v, f: np.allclose(f, 5e-12 / (np.hypot(h[None, :], v[:, None]) + 0.0098), rtol=0.02, atol=0))(*blocks[1].cells[0])
waves: DFT from zero | same | blocks[1].lo == 0 and blocks[1].cmap.name == "viridis"
waves: one variable, one scale | em --var Ex --var E_magnitude --section y=0 --level 0.01 | [b.name for b in blocks[:4]] == ["Ex", "E_magnitude"] * 2 and blocks[0].hi == blocks[2].hi and blocks[1].hi == blocks[3].hi
waves: planes asked for | same | [(b.axis, round(b.at, 3)) for b in blocks[:4]] == [("y", 0), ("y", 0), ("z", 0.01), ("z", 0.01)]
waves: a magnitude | same | blocks[1].lo == 0 and blocks[1].cmap.name == "viridis" and blocks[0].cmap.name == "sferic_diverging"
waves: probes of the variable | same | shown("$E_x$ at the probes") and not shown("$E_z$ at the probes")
waves: H has its own clock | lagging | curves("$H_y$ at the probes")["10, 0, 0 mm"][0][0] < 0
waves: 2-D plane, in micrometres | slice | blocks[0].axis == "y" and page.fig.axes[0].get_xlabel() == "$x$ [µm]" and blocks[0].titles[-1] == "30 fs"
waves: 1-D as curves | line | [round(x[np.argmax(y)]) for x, y in curves("Electric field $E_z$").values()] == [-40, -20, 0, 20, 40] and not blocks
waves: 1-D DFT as curves | same | shown("DFT xy: $|E|$") and list(curves("DFT xy: $|E|$")) == ["20 GHz", "30 GHz"]
colours: equal steps of lightness | bubble | (lambda d: d.max() < 1.05 * d.min())(np.abs(np.diff(lightness(blocks[0].cmap))))
colours: both signs alike | same | np.abs(lightness(blocks[0].cmap) - lightness(blocks[0].cmap)[::-1]).max() < 0.3
extremes of what series.nc has | same | curves(r"Extremes of $w$")["max"][0].size == 200 and panel(r"Extremes of $w$").lines[0].get_linestyle() == "-"
probe of the weather | same | list(curves("$w$ at the probes")) == ["near", "far"] and not shown("Spectrum of $w$ at the probes")
extremes of what it has not | bubble --var u | panel(r"Extremes of $u$ at output times").lines[0].get_linestyle() == "None" and not shown(r"Extremes of $u$")
section and level, one scale | storm --var density --section y=0 --level 3000 | len(blocks) == 2 and (blocks[0].lo, blocks[0].hi, blocks[0].cmap.name) == (blocks[1].lo, blocks[1].hi, blocks[1].cmap.name) and 0.1 < blocks[0].lo < 0.2
two variables on two planes | storm --var w --var u --section y=0 --level 3000 | [b.name for b in blocks] == ["w", "u"] * 2 and blocks[0].hi == blocks[2].hi and blocks[1].hi == blocks[3].hi
a blank first frame gives way | storm | [len(b.cells) for b in blocks] == [5, 5, 4] and blocks[2].axis == "z"
but not one asked for | storm --time 0,3600,7200 | [len(b.cells) for b in blocks] == [3, 3, 3]
theta alone gives theta' | theta | [b.name for b in blocks] == ["w", "theta_p"] and blocks[1].hi == 2 and blocks[0].contour is not None
theta' is theta less its base | same | np.allclose(run.read("theta_p", 3), Run("bubble").read("theta_p", 3), atol=1e-4)
theta' on planes | same | all(np.allclose(run.read("theta_p", 3, a, 100.0), Run("bubble").read("theta_p", 3, a, 100.0), atol=1e-4) for a in "xyz")
nothing but theta | alone | blocks[0].name == "theta_p"
nothing of the usual | thin | [b.name for b in blocks] == ["density"]
hodograph's heights | knotted | [t.get_text() for t in panel("Hodograph, heights in km").texts] == ["0", "1", "3", "6", "10"] and texts_apart(panel("Hodograph, heights in km"))
moist: what is shown | rainy | [(b.name, b.axis, len(b.cells)) for b in blocks] == [("w", "y", 2), ("reflectivity", "y", 2), ("reflectivity", "z", 2), ("theta_p", "z", 2), ("rain", "z", 1)]
moist: section through the strongest updraft | same | block("reflectivity", "y").at == -3000 and run.survey("w").highest[2]["y"] == -3000 and np.allclose(block("reflectivity", "y").cells[-1][2], run.read("reflectivity", 2)[:, 10])
moist: updrafts and cloud over rain | same | (lambda w, c: np.allclose(w.levels, 10 * np.array([-4, -3, -2, -1, 1, 2, 3, 4])) and np.allclose(w.cells[-1][2], run.read("w", 2)[:, 10]) and list(c.levels) == [1e-4] and np.allclose(c.cells[-1][2], run.read("qc", 2)[:, 10]))(*block("reflectivity", "y").over)
moist: plan near 1 km, updrafts near 5 km | same | (lambda b: round(b.at) == 1200 and "at $z$ = 1.2 km; black: $w$ at 5.2 km every 10 " in b.heading and np.allclose(b.cells[-1][2], run.read("reflectivity", 2)[1]) and np.allclose(b.over[0].cells[-1][2], run.read("w", 2)[6]))(block("reflectivity", "z"))
moist: one scale of reflectivity | same | {(b.lo, b.hi, b.signed, b.cmap.name) for b in blocks if b.name == "reflectivity"} == {(0, 70, False, "viridis")}
moist: white where no rain is | same | tuple(block("rain", "z").cmap(-1.0)) == (1, 1, 1, 1) and block("rain", "z").lo == 0 and block("rain", "z").hi == 30 and not block("rain", "z").signed
moist: cold pool and its rain | same | (lambda b: round(b.at) == 400 and b.signed and list(b.over[0].levels) == [1e-3] and np.allclose(b.over[0].cells[-1][2], run.read("qr", 2)[0]) and b.wind is not None)(block("theta_p", "z"))
moist: rain at the end | same | np.allclose(block("rain", "z").cells[0][2], run.read("rain", 2, "z", 0)) and panel("Rain on the ground since the start, 60 min").get_xlabel() == "$x$ [km]"
moist: heights and times | same | (lambda t, z, f: list(t) == [0, 1800, 3600] and f.shape == (20, 3) and np.allclose(f[:, 2], 1e3 * run.read("qr", 2).max(axis=(1, 2))) and not f[:, 0].any())(*storm.heights_levels(run, "qr"))
moist: the largest w of each level | same | np.allclose(storm.heights_levels(run, "w")[2], np.array([run.read("w", f).max(axis=(1, 2)) for f in range(3)]).T) and panel("Largest $w$ of each level").get_ylabel() == "$z$ [km]"
moist: dew point, solved for | same | (lambda e, d: np.allclose(243.5 * np.log(e / 6.112) / (17.67 - np.log(e / 6.112)), d - 273.15) and 17 < d[0] - 273.15 < 19)(run.base["p_0"] * run.base["qv_0"] / (0.622 + run.base["qv_0"]) / 100, sounding.dew_point(run.base["p_0"], run.base["qv_0"]))
moist: dew point drawn | same | (lambda x, h: np.allclose(x - sounding.SKEW * h + 273.15, sounding.dew_point(run.base["p_0"], run.base["qv_0"])[:len(x)]))(*curves("Base state, skew-T")["dew point"])
moist: the parcel keeps theta_e | same | (lambda b, p: (lambda t, low: low < p[0] and np.ptp(sounding.theta_e(p[p < low], t[p < low], sounding.saturation_ratio(p[p < low], t[p < low]), t[p < low])) < 1e-4 and abs(sounding.theta_e(p[-1], t[-1], sounding.saturation_ratio(p[-1], t[-1]), t[-1]) - sounding.theta_e(b["p_0"][0], b["theta_0"][0] * b["pi_0"][0], b["qv_0"][0])) < 1e-3)(*sounding.parcel_lift(p[0], b["theta_0"][0] * b["pi_0"][0], b["qv_0"][0], p)))(run.base, np.geomspace(run.base["p_0"][0], 2e4, 60))
moist: moist adiabat, step by step | same | (lambda p: np.abs(sounding.parcel_lift(p[0], 293.15, sounding.saturation_ratio(p[0], 293.15), p)[0] - pseudoadiabat(p, 293.15)).max() < 0.15)(np.geomspace(1e5, 3e4, 30))
moist: dry adiabat below, to Espy's height | same | (lambda t, low: abs(low - 1e5 * np.exp(-9.81 * 125 * (298 - sounding.dew_point(1e5, 0.012)) / 287 / 293)) < 1e3 and np.allclose(t, 298 * np.array([1, 0.95]) ** sounding.kappa_of(0.012)))(*sounding.parcel_lift(1e5, 298.0, 0.012, np.array([1e5, 9.5e4])))
moist: a row of cells is a section alone | row | [(b.name, b.axis) for b in blocks] == [("w", "y"), ("reflectivity", "y")] and shown("Most rain of each level") and shown("Base state, skew-T")
moist: no reflectivity, no theta', no p_0 | poor | [(b.name, b.axis) for b in blocks] == [("w", "y"), ("qr", "y"), ("qr", "z")] and not shown("Base state, skew-T") and len(block("qr", "y").over) == 1 and block("qr", "y").hi == 0.008
moist: cloud without rain | cloudy | [(b.name, [(o.text, list(o.levels)) for o in b.over]) for b in blocks if b.axis == "y" and b.name == "w"] == [("w", [("pink: edge of cloud", [1e-4])])]
moist: digits that tell neighbours apart | same | [(number_text(v, digits_of(*e))) for v, e in ((300.21, (300.1, 300.3)), (299.8, (299.6, 300.2)), (5, (-5, 5)), (0.25, (0, 1)))] == ["300.21", "299.8", "5", "0.25"]
moist: no w | still | [b.name for b in blocks] == ["reflectivity", "reflectivity", "theta_p", "rain"] and [o.text for o in block("reflectivity", "y").over] == ["pink: edge of cloud"] and not shown("Largest $w$ of each level")
moist: no rain at all | vapour | [b.name for b in blocks] == ["w", "theta_p", "w"] and shown("Base state, skew-T") and not shown("Largest $w$ of each level")
moist: no level near 1 km | high | "largest of each column" in block("reflectivity", "z").heading and np.allclose(block("reflectivity", "z").cells[-1][2], run.read("reflectivity", 2).max(axis=0)) and "theta_p" not in [b.name for b in blocks]
moist: by name | rainy --var cold_pool --time 3600 | [(b.name, len(b.cells)) for b in blocks] == [("theta_p", 1)] and not shown("Base state, skew-T")
moist: frames that are not shown | rainy --var heights | len(texts()) == 2 and not blocks and shown("Most rain of each level")
moist: two by name | rainy --var storm --var skew_t | [(b.name, b.axis) for b in blocks] == [("reflectivity", "y"), ("reflectivity", "z")] and shown("Base state, skew-T") and not shown("Most rain of each level")
moist: a level asked for | rainy --var reflectivity --level 6000 | [(b.name, round(b.at)) for b in blocks] == [("reflectivity", 6000)]
ROWS
look

# What the program itself writes: transmission of the slab of glass beside its formula, names of monitors, no quotient of
# a reference that is round-off, and a DFT plane whose components lie together, or apart.
if [ -n "${SFERIC:-}" ]; then
    run() { "$SFERIC" run "$@" -q >out.txt 2>err.txt || fail "run $1"; }
    run "$root/namelists/slab.nml" --set geometry%shape=none --out glass_free
    run "$root/namelists/slab.nml" --set spectrum%reference=glass_free --out glass
    cat >cut.nml <<'EOF'
&case name = 'cut', model = 'maxwell' /
&grid nx = 18, ny = 14, nz = 16, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 2e-10, output_interval = 5e-11 /
&boundary west = 'pec', east = 'pec', south = 'pec', north = 'pec', bottom = 'pec', top = 'pec' /
&source kind = 'electric', axis = 'z', x = 9e-3, y = 7e-3, z = 8e-3, waveform = 'modulated_gaussian', frequency = 15e9,
        bandwidth = 10e9 /
&monitor name = 'cut', 'point' kind = 2*'fields' west = -1, 4e-3 east = 1, 4e-3 south = 7e-3, 7e-3 north = 7e-3, 7e-3
         bottom = -1, 4e-3 top = 1, 4e-3 /
&spectrum frequencies = 12e9, 15e9, 18e9 /
EOF
    run cut.nml --out cut
    run cut.nml --set output%staggered=.true. --out cut_native
    cat >late.nml <<'EOF'
&case name = 'late', model = 'maxwell' /
&grid nx = 20, ny = 20, nz = 20, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&cpml cells = 6 /
&time duration = 8e-10, series_interval = 1e-11 /
&source kind = 'electric', axis = 'z', x = 10e-3, y = 10e-3, z = 10e-3, waveform = 'ricker', frequency = 10e9 /
EOF
    run late.nml --out late
    run late.nml --out sky --set monitor%name=up --set monitor%kind=far --set monitor%west=7e-3 --set monitor%east=13e-3 --set monitor%south=7e-3 \
        --set monitor%north=13e-3 --set monitor%bottom=7e-3 --set monitor%top=13e-3 --set spectrum%frequencies=5e9,1e10
    run late.nml --set output%region=-1e9,1e9,1e-2,1e-2,-1e9,1e9 --out late_region
    cat >gaps.nml <<'EOF'
&case name = 'gaps', model = 'maxwell' /
&grid nx = 1, ny = 1, nz = 60, dx = 5e-3, dy = 5e-3, dz = 5e-3 /
&time duration = 1.2e-8 /
&boundary west = 'periodic', east = 'periodic', south = 'periodic', north = 'periodic' /
&plane_wave direction = '+z', waveform = 'modulated_gaussian', frequency = 1e9, bandwidth = 4e8 /
&monitor name = 'front' bottom = 0.08 top = 0.08 /
&monitor name = 'behind' bottom = 0.15 top = 0.15 /
&spectrum frequencies = 1e6, 5e8, 1e9, 1.5e9, 4e9, 5e9 /
EOF
    run gaps.nml --out gaps
    cat >matched.nml <<'EOF'
&case name = 'matched', model = 'maxwell' /
&grid nx = 12, ny = 3, nz = 2, dx = 1e-3, dy = 1.5e-3, dz = 0.8e-3 /
&time duration = 4e-9 /
&boundary west = 'pmc', east = 'pmc', south = 'pmc', north = 'pmc', bottom = 'pec', top = 'pec' /
&port kind = 'lumped', axis = 'z', x = 0, y = 2.25e-3, z = 0.8e-3, size_y = 4.5e-3, size_z = 1.6e-3, resistance = 120 /
&element axis = 'z', x = 12e-3, y = 2.25e-3, z = 0.8e-3, size_y = 4.5e-3, size_z = 1.6e-3, resistance = 66.975 /
&excitation port = 1, frequency = 5e9, bandwidth = 6e9 /
&spectrum from = 2e9, to = 8e9, count = 31 /
EOF
    run matched.nml --out matched
    cat >bars.nml <<'EOF'
&case name = 'bars', model = 'maxwell' /
&grid nx = 30, ny = 1, nz = 60, dx = 1e-3, dy = 1e-3, dz = 1e-3 /
&time duration = 6e-10 /
&boundary west = 'periodic', east = 'periodic', south = 'periodic', north = 'periodic' /
&cpml cells = 12 /
&maxwell allow_coarse = .true. /
&medium name = 'glass', epsilon = 4 /
&geometry shape = 'box', medium = 'glass', x = 15e-3, z = 30e-3, size_x = 15e-3, size_z = 6e-3 /
&plane_wave direction = '+z', polarisation = 90, waveform = 'modulated_gaussian', frequency = 1.4e10, bandwidth = 8e9, box = -1, 1, -1, 1, 18e-3, 44e-3 /
&monitor name = 'through', kind = 'orders', bottom = 40e-3, top = 40e-3 /
&spectrum from = 9e9, to = 1.6e10, count = 15 /
EOF
    run bars.nml --out bars
    cat >wet.nml <<'EOF'
&case name = 'wet' /
&grid nx = 16, ny = 16, nz = 20, dx = 2000, dy = 2000, dz = 800 /
&time duration = 1500, dt = 6, output_interval = 500 /
&water scheme = 'kessler' /
&base profile = 'weisman_klemp', wind = 'shear', wind_u_top = 20 /
&initial shape = 'cosine_squared', amplitude = 5, x = 16000, y = 16000, z = 1400, radius_x = 10000, radius_y = 10000, radius_z = 2000 /
EOF
    run wet.nml --out wet
    run wet.nml --out turning --set "output%fields='u','v','w','theta_p','qv','qc','qr','reflectivity','rain','updraft_helicity'"
    run wet.nml --out heavy --set "output%fields='theta_rho','theta_e'"
    run wet.nml --out level --set output%region=-1e9,1e9,-1e9,1e9,1300,1300
    "$SFERIC" check wet.nml 2>&1 | sed -n 's/.*CAPE \([0-9]*\) J.kg, CIN \([-0-9]*\) J.*/CAPE \1, CIN \2/p' >cape.txt
    run "$root/namelists/moist_adiabat.nml" --out swing
    run "$root/namelists/drying_column.nml" --out shaft
    cat >ground.nml <<'EOF'
&case name = 'ground' /
&grid nx = 12, ny = 12, nz = 10, dx = 200, dy = 200, dz = 60 /
&time duration = 60, dt = 0.9, output_interval = 30 /
&turbulence closure = 'smagorinsky' /
&surface drag = 'roughness', heat = 'flux', heat_flux = 0.2 /
&base profile = 'neutral', wind = 'constant', wind_u = 3 /
&initial noise = 0.5, noise_top = 300 /
EOF
    run ground.nml --out given # the same flux everywhere
    run ground.nml --out warm --set "surface%heat='temperature'" --set surface%heat_flux=0 --set surface%temperature=305
    run ground.nml --out sea --set "surface%heat='temperature'" --set surface%heat_flux=0 --set surface%temperature=305 --set surface%wetness=1 --set "water%scheme='kessler'"
    run ground.nml --out humid --set "surface%heat='temperature'" --set surface%heat_flux=0 --set surface%temperature=305 --set surface%wetness=1 --set "water%scheme='kessler'" --set base%relative_humidity=0.5
    run ground.nml --out even --set initial%noise=0
    run ground.nml --out rolls --set case%name=convective_boundary_layer --set statistics%interval=10 --set statistics%average=30
    run ground.nml --out rolls_else --set statistics%interval=10 --set statistics%average=30
    cat >"$ROWS" <<'ROWS'
models: the least flux of theta | rolls | (lambda ax: np.allclose([sorted(p.get_xy()[:4, 0] if hasattr(p.get_xy(), "ndim") else [p.get_x(), p.get_x() + p.get_width()])[n] for p in ax.patches for n in (0, -1)], [-0.04, -0.02]))(panel("Flux of $\\theta$")) and [p.get_label() for p in panel("Flux of $\\theta$").patches] == ["models, Moeng and Sullivan 1994"]
models: of no other case | rolls_else | shown("Flux of $\\theta$") and not any(ax.patches for ax in page.fig.axes if ax.get_title("left").startswith(("Flux", "Variances")))
ground: a flux that is given is no picture | given | [b.name for b in blocks if b.name in run.maps] == ["temperature_2m", "wind_10m"]
ground: all maps are there to ask for | given --var heat_flux --var inverse_obukhov | {b.name for b in blocks} == {"heat_flux", "inverse_obukhov"}
ground: no evaporation in dry air | warm | [b.name for b in blocks if b.name in run.maps] == ["heat_flux", "temperature_2m", "wind_10m"]
ground: what it gave makes the totals whole | humid | (lambda c: list(c) == ["mass", "energy + rain_energy \u2212 ground_energy", "water \u2212 ground_water"] and np.nanmax(c["water \u2212 ground_water"][1]) < 1e-5 and np.nanmax(c["energy + rain_energy \u2212 ground_energy"][1]) < 1e-5 and abs(run.series["water"].values[-1] / run.series["water"].values[0] - 1) > 1e-4)(curves("Drift of the totals"))
ground: evaporation of the sea | sea | [b.name for b in blocks if b.name in run.maps and not b.name.startswith("rain")] == ["heat_flux", "evaporation", "temperature_2m", "wind_10m", "qv_2m"]
ground: the same everywhere | even | not [b.name for b in blocks if b.name in run.maps]
slab: Airy's formula | glass | (lambda f, t: np.abs(t - 1 / (1 + 0.5625 * np.sin(2 * np.pi * 0.2 * f * 1e6 / 299792458) ** 2)).max() < 0.002 and len(t) == 41)(*next(iter(curves("Transmission").values())))
slab: only where the reference has a flux | same | len(curves("Transmission")) == 1 and list(curves("Flux through the monitors")) == ["behind", "before"]
slab: glass shaded | same | [round(float(v), 6) for v in (lambda p: (p.get_extents().x0, p.get_extents().x1))(panel("Electric field $E_x$, media shaded").patches[0].get_path())] in ([0, 100], [0, 1]) and len(panel("Electric field $E_x$, media shaded").patches) == 1
port of a matched line: half of eta0 1.6 / 4.5, and the next is its image | matched | (lambda c: np.allclose(c["resistance"][1], 66.975, atol=0.7) and np.abs(c["reactance"][1]).max() < 1.5)(curves("Input impedance of port 1"))
its reflection | same | np.allclose(curves("Scattering parameter $S_{11}$")["$S_{11}$"][1], 20 * np.log10((120 - 66.975) / (120 + 66.975)), atol=0.15) and shown("Smith chart, 120 Ω")
diffraction orders: three of them, alike to both sides | bars | (lambda c: sorted(c) == ["-1", "0", "1"] and np.allclose(c["1"][1], c["-1"][1], rtol=1e-3, equal_nan=True) and not np.isfinite(c["1"][1][0]) and 0.02 < np.nanmax(c["1"][1]) < 0.6)(curves("Diffraction orders, through"))
far field: cuts of a dipole | sky | (lambda c: list(c) == ["$\\varphi$ 0°", "$\\varphi$ 90°"] and all(abs(y.max() - 1.761) < 0.01 and abs(abs(np.degrees(x[np.argmax(y)])) - 90) < 1 and np.degrees(np.ptp(x)) > 359 for x, y in c.values()))(curves("Far field up, 10 GHz: directivity [dBi]"))
far field: one panel a frequency | same | shown("Far field up, 5 GHz: directivity [dBi]") and panel("Far field up, 5 GHz: directivity [dBi]").name == "polar"
slab: nothing of the reference alone | glass_free | not shown("Transmission") and shown("Power, steady wave of amplitude 1")
gaps where the source has nothing | gaps | all(np.isnan(y[[0, 4, 5]]).all() and np.isfinite(y[1:4]).all() for x, y in curves("Power, steady wave of amplitude 1").values())
waves that passed between frames | late | (lambda e: texts()[2] == f"1 of 2 frames, where the field is above a tenth of its largest; the frames hold {number_text(float(f'{e[-1] / e.max():.1g}'))} of the largest energy: the waves passed between them, set time%output_interval" and e[-1] < 1e-4 * e.max())(run.series["energy"].values)
a region is told as such | late_region | "20 × 1 × 20 cells of the output region" in texts()[1]
a whole domain is not | late | "20 × 20 × 20 cells, " in texts()[1]
frames with nothing in them | cut | texts()[2] == f"{len(blocks[0].cells)} of 5 frames, where the field is above a tenth of its largest"
frames that were asked for | late --time 0 | not any("frames" in t for t in texts())
frames chosen by number alone | em | "5 of 6 frames" in texts()
DFT plane | cut | (blocks[-1].name, blocks[-1].axis, blocks[-1].cells[0][2].shape, round(blocks[-1].at, 6)) == ("|E|", "y", (16, 18), 0.007) and blocks[-1].titles == ["12 GHz", "15 GHz", "18 GHz"]
DFT plane: mirror image | same | all(np.allclose(f[:, 1:-1], f[:, -2:0:-1], rtol=1e-3, atol=0) and f[:, 8].min() > 0 for _, _, f in blocks[-1].cells)
DFT plane: mirror image to the sides | same | all(np.allclose(f, f[:, ::-1], rtol=1e-3, atol=0) for _, _, f in blocks[-1].cells)
DFT plane of staggered components | cut_native | (blocks[-1].name, blocks[-1].axis, blocks[-1].cells[0][2].shape, round(blocks[-1].at, 6)) == ("|E|", "y", (16, 18), 0.007) and all(np.allclose(f[:, 1:-1], f[:, -2:0:-1], rtol=1e-3, atol=0) for _, _, f in blocks[-1].cells)
swing: no pressure, no skew-T; cloud over height | swing | not shown("Base state, skew-T") and shown("Cloud water over time") and len(curves("Cloud water by dry air")) == 7 and max(x.max() for x, y in curves("Cloud water by dry air").values()) > 5e-4
swing: titles apart | same | not any(a.overlaps(b) for t in [[ax._left_title.get_window_extent() for ax in page.fig.axes if ax.get_title("left")]] for n, a in enumerate(t) for b in t[:n])
shaft: profiles, and rain over time | shaft | {"qr", r"$\theta'$"} <= {ax.get_xlabel().split(" [")[0] for ax in page.fig.axes} and panel("Rain on the ground").get_xlabel() == panel("Rain on the ground since the start").get_xlabel() == "time [s]" and panel("Rain on the ground").get_ylabel().startswith("rain_rate [mm h")
shaft: what is conserved | same | list(curves("Drift of the totals")) == ["mass", "energy + rain_energy", "water"] and np.nanmax(curves("Drift of the totals")["energy + rain_energy"][1]) < 3e-6
heavy: theta_rho less its base, plan at the ground | heavy --var theta_rho | [(b.name, b.axis, b.signed) for b in blocks] == [("theta_rho", "y", True), ("theta_rho", "z", True)] and blocks[1].at == 400 and np.abs(run.read("theta_rho", 0)).max() < 8 and np.abs(run.read("theta_rho", 0)[:, 0, 0]).max() < 1e-3 and np.allclose(run.read("theta_rho", 1, "z", 400), run.read("theta_rho", 1)[0], atol=1e-4)
heavy: theta_e at the ground, too | heavy --var theta_e | blocks[1].at == 400 and blocks[1].hi < blocks[0].hi - 20
level: its height, and no largest of each column | level | "at $z$ = 1200 m" in block("reflectivity", "z").heading and "largest" not in block("reflectivity", "z").heading and "at $z$ = 1200 m" in block("w", "z").heading
storm: CAPE and CIN as check has them | wet | (lambda told: len(told) > 10 and told.replace("-", "\u2212") + " J" in panel("Base state, skew-T").get_xlabel())(open("cape.txt").read().strip())
storm: rain stands in mm | same | run.unit("rain") == "mm"
storm: what is shown | wet | [b.name for b in blocks if b.axis == "y"] == ["w", "reflectivity"] and {"theta_p", "rain"} <= {b.name for b in blocks if b.axis == "z"}
storm: reflectivity of rain alone | same | (lambda b: (b.lo, b.hi, b.signed) == (0, 70, False) and 20 < max(c[2].max() for c in b.cells) < 75)(next(b for b in blocks if b.name == "reflectivity"))
storm: cold pool on the ground | same | [round(b.at) for b in blocks if b.name == "theta_p"] == [400]
storm: dew point | same | (lambda x, h, b: np.allclose(611.2 * np.exp(17.67 * (x - 35 * h) / (x - 35 * h + 243.5)), b["p_0"] * b["qv_0"] / (0.622 + b["qv_0"]), rtol=1e-9))(*curves("Base state, skew-T")["dew point"], run.base)
storm: air and parcel | same | (lambda c, b: (lambda t, x, h: np.allclose(t - 35 * h + 273.15, (b["theta_0"] * b["pi_0"])[:len(t)]) and abs(x[0] - t[0]) < 1e-6)(c["$T$"][0], c["parcel"][0], c["$T$"][1]) and (lambda d: 3 < d.max() < 12 and d[-1] < 0)(c["parcel"][0] - np.interp(c["parcel"][1], *c["$T$"][::-1])))(curves("Base state, skew-T"), run.base)
storm: height and time | same | shown("Largest $w$ of each level") and len(run.survey("w").levels) == 4 and run.survey("w").levels[-1].shape == (20,)
storm: how updrafts turn, over the plan | turning | (lambda o: o.text.startswith("orange: updraft helicity every ") and np.allclose(o.cells[-1][2], run.read("updraft_helicity", 3)) and o.is_seen(-1))(next(b for b in blocks if (b.name, b.axis) == ("reflectivity", "z")).over[1]) and "updraft_helicity" not in [b.name for b in blocks]
storm: updraft helicity by name | turning --var updraft_helicity --time 1500 | [(b.name, b.axis, b.signed) for b in blocks] == [("updraft_helicity", "z", True)] and np.allclose(blocks[0].cells[-1][2], run.read("updraft_helicity", 3))
DFT of a point | cut | shown("DFT point: $|E|$") and len(panel("DFT point: $|E|$").lines[0].get_ydata()) == 3
ROWS
    look
fi

# B - A: a shift of w by 0.5 everywhere is found as such; a run is identical to itself.
make_out bubble shifted shift=0.5 frames=6
good "compare: a known difference" '^  w: rms 0\.5, max 0\.5 m s-1$' --compare bubble shifted -o c.png
good "compare: scales" 'c\.png: w -12 to 12 m s-1; B - A of w -0\.5 to 0\.5 m s-1' \
    --compare bubble shifted -o c.png
make_out em moved shift=0.05
good "compare: waves" '^  Ez: rms 0\.05, max 0\.05 V m-1$' --compare em moved -o c.png --dpi 50
good "compare: waves, scales" 'c\.png: Ez -0\.2 to 0\.2 V m-1; B - A of Ez -0\.05 to 0\.05 V m-1$' \
    --compare em moved -o c.png --dpi 50
good "compare: one scale for two planes" '^c\.png: w [^;]*; B - A of w [^;]*$' \
    --compare storm storm --var w --section y=0 --level 3000 -o c.png --dpi 50
good "compare: the rest is identical" '^  theta_p: identical$' --compare bubble shifted -o c.png --dpi 50
good "compare: long planes, last common time" '^15 min|^900 s' --compare current current -o c.png --dpi 50

# Timelines. Of a pass of 6.5 ms each lane is busy for 4 ms, or on odd ranks for 4/3 ms, one after the other. Of 12 ms that are at
# most 8 shorter, 6 are saved by doing it at once: 75 %.
make_out timeline t.json
make_out timeline two.json ranks=2
make_out timeline long.json passes=60 ranks=2
make_out timeline wide.json passes=1 ranks=9
make_out timeline plain.json passes=3 slabs=1
good "timeline" '^t\.png: rank 0: in 62 %, compute 62 %, out 62 %, halo 8 %, 75 % of the transfers hidden$' t.json
picture t.png 'width == 1920 and 300 < height < 700 and 0.3 < white < 0.9'
picture t.png 'share(153, 153, 153) > 0.001 and share(*(int(255 * c) for c in __import__("matplotlib").colormaps["viridis"](0.08)[:3])) > 0.005'
good "timeline: ranks" 'rank 1: in 21 %, compute 21 %, out 21 %, halo 8 %, 0 % of the transfers hidden$' two.json --dpi 50 -o 2.png
good "timeline: other files" '^3\.pdf: rank 0: ' long.json --time 0.1,0.14 -o 3.pdf
magic 3.pdf 0 %PDF
cat >"$ROWS" <<'ROWS'
timeline: a panel a rank | two.json | names == ["rank 0", "rank 1"] and [t.get_text() for t in panel("rank 1").get_yticklabels()] == ["in", "compute", "out", "halo"]
timeline: lanes downwards | same | panel("rank 0").get_ylim() == (3.5, -0.5)
timeline: all of it | same | np.allclose(panel("rank 0").get_xlim(), (0, 6.5)) and panel("rank 1").get_xlabel() == "time [ms]"
timeline: bars | same | (lambda p: [len(c.get_paths()) for c in p] == [4, 4, 4, 1] and np.allclose([q.get_extents().x0 for q in p[1].get_paths()], [1, 2, 3, 4]) and np.allclose([q.get_extents().width for q in p[1].get_paths()], 1))(panel("rank 0").collections)
timeline: a slab has one colour | same | (lambda a, b: len(set(map(tuple, a))) == 4 and np.array_equal(a, b))(*(c.get_facecolors() for c in panel("rank 0").collections[:2]))
timeline: slabs numbered | same | [t.get_text() for t in panel("rank 0").texts] == list("012301230123") and shown("slab")
timeline: rates | same | "in 62 % at 20 GB/s, compute 62 %, out 62 % at 20 GB/s, halo 8 %." in blocks[0].text() and "Hidden behind computing: 75 % of the transfers." in blocks[0].text()
timeline: a few passes of the middle | long.json | panel("rank 1").get_xlabel() == "time after 0.196 s [ms]" and np.allclose(panel("rank 0").get_xlim(), (0, 27)) and len(panel("rank 0").collections[1].get_paths()) == 16
timeline: hidden in the part shown | same | abs(blocks[0].hidden() - (48 - 27) / 32) < 1e-6 and blocks[1].hidden() == 0
timeline: two times | long.json --time 0.0985,0.1005 | np.allclose(panel("rank 0").get_xlim(), (0.5, 2.5)) and panel("rank 1").get_xlabel() == "time after 0.098 s [ms]"
timeline: ends cut off | same | np.allclose(blocks[0].busy, np.array([2, 1.5, 0.5, 0, 0]) * 1e-3) and blocks[0].spans[0].size == 3
timeline: many ranks | wide.json | len(names) == 4 and any("9 ranks, the first 4 drawn" in t.get_text() for t in page.fig.texts)
timeline: colours of lanes without slabs | plain.json | not shown("slab") and not panel("rank 0").texts and len({tuple(c.get_facecolors()[0]) for c in panel("rank 0").collections}) == 4
ROWS
look

# Over terrain: levels rise with the ground. q1 is a thousandth of the height, so that straight lines between levels are exact.
make_out bubble ridge terrain=1500
make_out bubble other terrain=1400 frames=2
make_out bubble raised terrain=1500 theta
make_out storm hills terrain=2000 frames=2
make_out rainy highland terrain=1200
make_out bubble faces terrain=1500 stagger frames=3
make_out bubble cells terrain=1500 frames=2 without=terrain_height
make_out bubble flattened terrain=1500 frames=2 without=height
make_out storm aloft terrain=2000 frames=1 up=6000
make_out storm lid terrain=2000 frames=1 up=17700
good "terrain" 'bubble\.png: w -12 to 12 m s-1; theta_p -2 to 2 K$' ridge
picture ridge/bubble.png 'share(163, 150, 138) > 0.01'
good "terrain: movie" 'm\.gif: 2 frames; w -[0-9.]* to [0-9.]* m s-1$' hills --movie --var w --level 1200 --dpi 40 -o m.gif
good "terrain: compare" '^  w: identical$' --compare hills hills --var w --section y=0 --level 1200 -o c.png --dpi 50
bad "terrain: compare with none" 4 "bubble and ridge: different terrain" --compare bubble ridge -o c.png
bad "terrain: compare with another" 4 "different terrain" --compare other ridge -o c.png
bad "terrain: level out of range" 2 "to 18000 m" hills --level -5
cat >"$ROWS" <<'ROWS'
terrain: the same pictures | ridge | [(b.name, b.axis) for b in blocks] == [("w", "y"), ("theta_p", "y")] and shown("Extremes of $w$")
terrain: corners at the heights of cells, from the ground up | same | (lambda c, h, g: c.shape == (51, 161, 2) and np.allclose((c[1:, 1::2, 1] + c[:-1, 1::2, 1]) / 2, h / 1e3, atol=1e-6) and np.allclose(c[0, 1::2, 1], g / 1e3, atol=1e-6) and np.allclose(c[0, 2:-1:2, 1], (g[1:] + g[:-1]) / 2e3, atol=1e-6) and np.allclose(c[:, 1::2, 0], run.axes["x"] / 1e3))(page.fig.axes[0].collections[0].get_coordinates(), run.read("height", 0, "y", 0), run.read("terrain_height", 0, "y", 0)[0])
terrain: cells keep their values | same | np.array_equal(page.fig.axes[0].collections[0].get_array().reshape(50, 160)[:, ::2], run.read("w", run.times.index(200), "y", 0)) if blocks[0].titles[0] == "200 s" else blocks[0].titles
terrain: contours at the heights of cells | same | all(np.allclose(v, run.read("height", 0, "y", 0)) for b in blocks for _, v, _ in b.cells + (b.contour or [])) and len(blocks[0].contour) == len(blocks[0].cells)
terrain: ground up to its height | same | (lambda ax, g: np.allclose(next(l for l in ax.lines if l.get_label() == "ground").get_ydata()[1::2], g / 1e3) and np.allclose(ax.get_ylim(), (g.min() / 1e3, 10), atol=2e-6) and ax.get_ylabel() == "height [km]" and ax.get_xlabel() == "")(page.fig.axes[0], run.read("terrain_height", 0)[0, 0])
terrain: told beside the cells | same | ", ground 3.38 to 1498 m " in texts()[1]
terrain: profiles over flat ground | same | panel("Base state").get_ylabel() == "height over flat ground [km]"
terrain: theta' of theta less the base state at the height of the cell | raised --var theta_p | np.allclose(blocks[0].cells[-1][2], Run("ridge").read("theta_p", 10, "y", 0), atol=1e-4)
terrain: a plan is of one height | hills --var q1 --level 1200 | (lambda f, h, g: np.allclose(f[h[0] <= 1200], 1.2, rtol=1e-6) and np.array_equal(np.ma.getmaskarray(f), g > 1200) and (g > 1200).any() and ((g < 1200) & (h[0] > 1200)).any() and np.array_equal(f[(g < 1200) & (h[0] > 1200)], run.read("q1", 1)[0][(g < 1200) & (h[0] > 1200)]))(blocks[0].cells[-1][2], run.read("height", 0), run.read("terrain_height", 0)[0])
terrain: its heading | same | "$z$" not in names[0] and " at 1.2 km above sea level; " in names[0] and names[0].endswith("; thin: ground every 500 m")
terrain: its contours, and what is ground | same | (lambda r, g: list(r.levels) == [500, 1000, 1500] and np.array_equal(r.solid.mask, g <= 1200) and np.array_equal(r.ground, g))(blocks[0].relief, run.read("terrain_height", 0)[0]) and panel("0 min").get_ylabel() == "$y$ [km]"
terrain: theta' on a plan | hills --var theta_p --level 3000 | (lambda f, h, t: all(np.isclose(f[j, i], np.interp(3000, h[:, j, i], t[:, j, i]), atol=1e-4) for j in range(0, 60, 7) for i in range(0, 60, 3)))(blocks[0].cells[-1][2], run.read("height", 0), run.read("theta_p", 1))
terrain: unasked the height of the strongest updraft | hills | (lambda b, p: b.at == p[2]["z"] and p[2]["z"] == run.read("height", 0)[np.unravel_index(run.read("w", 1).argmax(), (36, 60, 60))] and [(b.name, b.axis) for b in blocks] == [("w", "y"), ("theta_p", "y"), ("w", "z")])(block("w", "z"), run.survey("w").highest)
terrain: a mean over hills is of heights | same | (lambda z, m: np.allclose(m[z > 2300], 1e-3 * z[z > 2300], rtol=1e-6))(run.axes["z"], run.terrain.means(run.coords["q1"], lambda k: run.read("q1", 0, "z", k)))
terrain: rain and cold pool at heights above the ground | highland | (lambda h, g: all(np.isclose(b.cells[-1][2][j, i], np.interp(g[j, i] + at, h[:, j, i], run.read(b.name, 2)[:, j, i]), atol=1e-3) for b, at in ((block("reflectivity", "z"), 1000), (block("theta_p", "z"), 400)) for j in range(0, 24, 5) for i in range(24)) and block("theta_p", "z").relief.solid is None)(run.read("height", 0), run.read("terrain_height", 0)[0])
terrain: their headings | same | [t in n for n, t in ((block("reflectivity", "z").heading, "at 1 km above the ground; "), (block("theta_p", "z").heading, " at 0.4 km above the ground; "))] == [True, True] and "$w$ at 5 km above the ground every 10 " in block("reflectivity", "z").heading
terrain: maps have contours of the ground | same | (lambda b: len(b.relief.levels) == 5 and b.relief.solid is None)(block("rain", "z")) and not {"height", "terrain_height", "terrain_large", "terrain_small"} & {b.name for b in blocks}
terrain: time and height over flat ground | same | panel("Largest $w$ of each level").get_ylabel() == "height over flat ground [km]"
terrain: heights by name, once | highland --var height --var terrain_small | [(b.name, b.axis, len(b.cells)) for b in blocks] == [("height", "y", 1), ("height", "z", 1), ("terrain_small", "z", 1)] and np.allclose(blocks[0].cells[0][1], blocks[0].cells[0][2])
terrain: levels on faces | faces --var w | (lambda h, g: h.shape == (51, 1, 80) and np.allclose(h[0], g, atol=1e-3) and np.allclose(h[-1], 10e3) and np.allclose(blocks[0].cells[-1][1], h[:, 0]))(run.terrain.heights(run.coords["w"]), run.read("terrain_height", 0))
terrain: ground that only cells tell | cells | np.allclose(run.terrain.ground, Run("ridge").terrain.ground, atol=2e-3)
terrain: cells of unknown height stay on their levels | flattened | run.terrain is None and panel("0 s").get_ylabel() == "height over flat ground [km]"
terrain: levels from aloft on | aloft --var q1 --level 9000 | not run.terrain.stands and np.allclose(blocks[0].cells[-1][2], 9) and run.extent("z")[0] > 5700
terrain: a single level is no height | lid --var q1 | run.place_text("z", 17750, 18e3) == " on the level of 17.75 km over flat ground" and np.array_equal(blocks[0].cells[0][2], run.read("q1", 0)[0])
ROWS
look

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
bad "empty folder" 4 "holds no history" empty
mkdir -p above/below && cp bubble/history_00000000.000.nc above/below/
bad "a folder of runs" 4 "above: holds no history_*.nc: nothing to draw; folders in it do: give one, above/below" above
head -c 9000 bubble/history_00000000.000.nc >torn/history_00000000.000.nc
bad "truncated file" 4 "torn/history_00000000.000.nc: damaged" torn
head -c 9000 /dev/zero >zeros/history_00000000.000.nc
bad "a file of zeros" 4 "damaged" zeros
cp -r one damaged
: >damaged/series.nc
bad "empty series" 4 "damaged/series.nc: damaged" damaged
bad "empty series: advice" 4 "; move it away to see the rest of the run" damaged
mv damaged/series.nc damaged/away
good "without what was damaged" 'w ' damaged
cp bubble/history_00000000.000.nc torn/history_00000001.000.nc
bad "one of two files truncated" 4 "torn/history_00000000.000.nc: damaged, or not written by sferic (NetCDF: HDF error); move it away to see the rest of the run" torn
"$python" -c 'import netCDF4; netCDF4.Dataset("text/history_0.nc", "w").createDimension("x", 3)'
bad "another netCDF file" 4 "not written by sferic" text
mkdir mixed models
cp bubble/history_00000000.000.nc mixed/
make_out bubble wide bare frames=2 nx=40
cp wide/history_00001000.000.nc mixed/
bad "a folder of two grids" 4 "(80 x 1 x 50 cells) and history_00001000.000.nc (40 x 1 x 50) are of different grids" mixed
cp bubble/history_00000000.000.nc em/history_00000001.000.nc models/
bad "a folder of two models" 4 "are without a variable in common: output of two runs in one folder" models
cp -r em halved
"$python" -c 'import netCDF4; netCDF4.Dataset("halved/dft_xy.nc", "a").renameVariable("Ex_im", "Ex_in")
d = netCDF4.Dataset("halved/dft_xz.nc", "a"); [d.renameVariable(n + "_im", n + "_in") for n in ("Ex", "Ez")]'
bad "DFT without its imaginary parts" 4 "halved/dft_xz.nc: damaged, or not written by sferic (no Ex_re and Ex_im" halved
rm halved/dft_*
: >halved/flux.nc
bad "empty flux" 4 "halved/flux.nc: damaged" halved
bad "unknown variable" 2 "did you mean 'theta_p'" bubble --var theta_pp
bad "a movie of a diagram" 2 "a movie shows fields" rainy --movie --var skew_t
bad "a picture without its fields" 2 "no picture 'skew_t': it takes base profiles of moist air" poor --var skew_t
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
bad "compare: grids" 4 "different grids" --compare bubble coarse -o c.png
make_out bubble later frames=2
rm later/history_00000000.000.nc
make_out slice larger frames=5 nx=61
bad "compare: grids of micrometres" 4 "different grids" --compare slice larger
bad "compare: times" 4 "no output time in common" --compare one later

printf '{"traceEvents": [' >torn.json
echo '{"traceEvents": [], "otherData": {"program": "another", "ranks": 1}}' >other.json
echo '{"traceEvents": [], "otherData": {"program": "sferic", "ranks": 1}}' >nothing.json
echo '{"traceEvents": [{"ph": "X", "ts": 1}], "otherData": {"program": "sferic", "ranks": 1}}' >holes.json
bad "timeline: truncated" 4 "torn.json: damaged, or no timeline of" torn.json
bad "a namelist" 4 "a namelist; give the folder" "$root/namelists/rest.nml"
bad "timeline: of another program" 4 "other.json: damaged, or no timeline of" other.json
bad "timeline: a span without times" 4 "holes.json: damaged, or no timeline of" holes.json
bad "timeline: empty" 4 "nothing.json: holds no span" nothing.json
bad "timeline: a file of a run" 4 "nc: damaged, or no timeline of" bubble/history_00000000.000.nc
bad "timeline: one time" 2 "wants two times" t.json --time 0.001
bad "timeline: times out of range" 2 "time 3 s is not between 0 and 0.0065 s" t.json --time 3,4
bad "timeline: movie" 2 "a timeline knows no --movie" t.json --movie
bad "timeline: compare" 2 "a timeline knows no --compare" --compare t.json bubble

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

# Installed: the package is found from the program's own place, also when the tree moves, and goes with uninstall.
# Make's own variables are those of the make that runs this test.
install_to() { env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES make -s -C "$root" "$@" >out.txt 2>err.txt; }
install_to install-plot prefix=/usr DESTDIR="$work/stage" || fail "make install-plot"
mv stage moved_tree
plot=$work/moved_tree/usr/bin/sferic-plot afresh=yes
good "installed" 'i\.png: w -12 to 12 m s-1' bubble --dpi 40 -o i.png
ln -s "$plot" linked && plot=$work/linked
good "installed, by a link" 'i\.png: w -12 to 12 m s-1' bubble --dpi 40 -o i.png
install_to install-plot bindir="$work/a/b/bin" datadir="$work/c/data" || fail "make install-plot with bindir"
plot=$work/a/b/bin/sferic-plot
good "installed elsewhere" 'i\.png: w -12 to 12 m s-1' bubble --dpi 40 -o i.png
rm -r c
bad "its package is gone" 1 "run \`make install\` again" bubble
install_to uninstall prefix=/usr DESTDIR="$work/moved_tree" || fail "make uninstall"
if [ -z "$(find moved_tree -type f)" ]; then echo "ok   uninstall"; else fail "uninstall leaves files"; fi
if [ -z "$(find "$root/tools" -name '*.pyc')" ]; then echo "ok   no byte code left"; else fail "byte code in tools/"; fi

[ $failed = 0 ] || echo "$failed failed"
[ $failed = 0 ]
