"""Numbers, units and what goes wrong, as text. SPDX-License-Identifier: MIT"""
import math
import os
import re
import sys

USAGE, INPUT, IO = 2, 4, 6
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"),
            (1e-12, "p"), (1e-15, "f"))
SYMBOL = {"u": "$u$", "v": "$v$", "w": "$w$", "theta_p": r"$\theta'$", "pi_p": r"$\pi'$",
          "theta": r"$\theta$", "E_magnitude": r"$|E|$", "H_magnitude": r"$|H|$"}


class Fail(Exception):
    """What the user is told, and the exit code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def outcome(program, work, *arguments):
    """The exit code of a program's work, whose failure it tells."""
    try:
        work(*arguments)
    except Fail as e:
        print(f"{program}: {e}", file=sys.stderr)
        return e.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read what it says has enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def nice_ceil(x, steps=(1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10)):
    """The next round number."""
    power = 10.0 ** math.floor(math.log10(x))
    return next(float(f"{s * power:.6g}") for s in steps if s * power >= x * (1 - 1e-5))


def power_text(power):
    """'×10⁻⁹'."""
    return "×10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def number_text(x, digits=3):
    """Whole numbers up to a million in full, no negative zero, 1.2×10⁻⁹ for 1.2e-9."""
    digits = max(digits, min(6, 1 + int(math.log10(max(abs(x), 1)))))
    mantissa, _, power = f"{x + 0.0:.{digits}g}".replace("-", "\u2212").partition("e")
    return mantissa + (power_text(int(power.replace("\u2212", "-"))) if power else "")


def digits_of(low, high):
    """As many digits as tell neighbours between low and high apart: 300.2 and 300.4, where all lies near 300."""
    size, span = max(abs(low), abs(high)), abs(high - low)
    return min(7, 3 + max(0, int(math.floor(math.log10(size / span))))) if span > 0 else 3


def power_of(x):
    """The power of ten that numbers up to x are better written without, 0 where they read well as they are."""
    return 0 if x == 0 or 1e-2 <= abs(x) < 1e5 else int(math.floor(math.log10(abs(x)) + 1e-9))


def unit_text(unit):
    """'m s-1' as 'm s⁻¹'; nothing for a pure number."""
    return "" if unit in ("", "1") else re.sub(r"(?<=[A-Za-z])(-?\d+)", r"$^{\1}$", unit)


def bracketed(text, unit):
    return f"{text} [{unit_text(unit)}]" if unit_text(unit) else text


def symbol_text(name):
    return SYMBOL.get(name) or re.sub(r"^([EHBDJ])([xyz])$", r"$\1_\2$", name)


def prefix_of(x):
    """The SI prefix with which x reads as 1 to 999."""
    return next(((s, p) for s, p in PREFIXES if abs(x) >= s * (1 - 1e-9)), (1, ""))


def length_unit(extent):
    return next(((s, u) for s, u in ((1e3, "km"), (1, "m"), (1e-3, "mm"), (1e-6, "µm")) if extent >= 4 * s),
                (1e-9, "nm"))


def length_text(x, extent):
    scale, unit = length_unit(extent)
    return f"{number_text(x / scale, 4)} {unit}"
