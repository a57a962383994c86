"""Media of gprMax: constants, poles, soils by mixing. SPDX-License-Identifier: MIT"""
import math

from .report import NEAR, SAME

MOST = 254  # media, and poles, that sferic takes
WATER = 4.9, 75.2, 9.231e-12  # epsilon above its relaxation, strength, s: gprMax's water


class Lacking(Exception):
    """What a command asks for is not there: it is left out, and its row says so."""


def name_make(c, command, name):
    """A name that sferic's own media do not have."""
    if name in c.media:
        raise c.wrong(command, f"a material '{name}' is there already")
    made = name + "_" if name in ("vacuum", "none") else name
    c.media[name] = made
    return made


def medium_add(c, command, name, said, **keys):
    if len(c.medium_keys) == MOST:
        raise c.wrong(command, f"more than {MOST} materials")
    made = name_make(c, command, name)
    c.medium_keys[name] = keys
    c.deck.entry("medium", name=(made, said), **{k: v for k, v in keys.items() if v != {"epsilon": 1.0, "mu": 1.0}.get(k, 0.0)})
    return made


def material(c, command):
    epsilon, mu, loss = (c.number(command, n, w) for n, w in ((0, "epsilon"), (2, "mu"), (3, "magnetic loss")))
    name = command.words[4]
    if epsilon < 1 or mu < 1 or loss < 0:
        raise c.wrong(command, "epsilon and mu are 1 or more, losses 0 or more")
    if command.words[1].lower() == "inf":
        c.media[name] = "pec"
        c.told(command, SAME, "medium 'pec': a perfect conductor")
        return
    sigma = c.number(command, 1, "sigma")
    if sigma < 0:
        raise c.wrong(command, "sigma is 0 or more")
    made = medium_add(c, command, name, c.text_of(command), epsilon=epsilon, sigma=sigma, mu=mu, sigma_m=loss)
    c.told(command, SAME, f"&medium name = '{made}'")


def poles(c, command, kind, each, keys):
    """`each` numbers a pole; keys(numbers) are those of &pole."""
    count = c.whole(command, 0, "number of poles")
    first = 1 + each * count
    if count < 1 or len(command.words) <= first:
        raise c.wrong(command, f"{count} poles of {each} values and names of materials behind them")
    names = command.words[first:]
    for name in names:
        if name not in c.medium_keys:
            raise c.wrong(command, f"no material '{name}': define it with #material")
        for n in range(count):
            numbers = c.numbers(command, 1 + each * n, each)
            if not all(x > 0 for x in numbers):
                raise c.wrong(command, "values of poles are above 0")
            c.pole_count = getattr(c, "pole_count", 0) + 1
            if c.pole_count > MOST:
                raise c.wrong(command, f"more than {MOST} poles")
            c.deck.entry("pole", medium=(c.media[name], c.text_of(command)), kind=kind, **keys(numbers))
        c.medium_keys[name]["dispersive"] = True
    c.told(command, SAME, f"&pole kind = '{kind}', {count} of {', '.join(names)}")


def debye(c, command):
    poles(c, command, "debye", 2, lambda x: {"strength": x[0], "tau": x[1]})


def lorentz(c, command):
    poles(c, command, "lorentz", 3, lambda x: {"strength": x[0], "omega": float(f"{2 * math.pi * x[1]:.12g}"), "gamma": 2 * x[2]})


def drude(c, command):
    poles(c, command, "drude", 2, lambda x: {"omega": float(f"{2 * math.pi * x[0]:.12g}"), "gamma": x[1]})


def soil_make(sand, clay, bulk, grains, water):
    """(epsilon above its pole, sigma, strength) of soil with a share of water (Peplinski, Ulaby and Dobson 1995, 0.3 to 1.3 GHz), as gprMax has it."""
    alpha, omega = 0.65, 2 * math.pi * 1.3e9
    real_water = WATER[0] + WATER[1] / (1 + (omega * WATER[2]) ** 2)
    solid = (1.01 + 0.44 * grains) ** 2 - 0.062
    beta, beta_loss = 1.2748 - 0.519 * sand - 0.152 * clay, 1.33797 - 0.603 * sand - 0.166 * clay
    sigma_water = 0.0467 + 0.2204 * bulk - 0.411 * sand + 0.6614 * clay
    whole = 1.15 * (1 + bulk / grains * (solid ** alpha - 1) + water ** beta * real_water ** alpha - water) ** (1 / alpha) - 0.68
    share = water ** (beta_loss / alpha)
    return whole - share * WATER[1], max(share * sigma_water * (grains - bulk) / (grains * water), 0.0), share * WATER[1]


def peplinski(c, command):
    """A mixing model: #fractal_box makes a medium of it."""
    sand, clay, bulk, grains, low, high = c.numbers(command, 0, 6, "soil")
    if min(sand, clay, low) < 0 or not high >= low or not high > 0 or not grains > bulk > 0:
        raise c.wrong(command, "shares are 0 or more, the density of grains is above that of the soil, the water from less to more and above 0")
    c.soils[command.words[6]] = sand, clay, bulk, grains, 0.5 * (low + high)
    c.told(command, NEAR, f"one medium with {0.5 * (low + high):g} of water, the mean: a Debye pole and a conductivity")


def soil_medium(c, command, name):
    """The medium of a soil, made where it is first asked for."""
    if name in c.media:
        return c.media[name]
    epsilon, sigma, strength = soil_make(*c.soils[name])
    said = f"Peplinski and others 1995, {c.soils[name][4]:g} of water"
    made = medium_add(c, command, name, said, epsilon=float(f"{max(epsilon, 1.0):.6g}"), sigma=float(f"{sigma:.6g}"), mu=1.0, sigma_m=0.0)
    c.deck.entry("pole", medium=made, kind="debye", strength=float(f"{strength:.6g}"), tau=WATER[2])
    c.medium_keys[name]["dispersive"] = True
    return made


def medium_of(c, command, names):
    """(the medium of one, two or three material names, how it is near or '')."""
    for name in names:
        if name == "pmc" and name not in c.media:
            raise Lacking("no magnetic conductor within the domain: &boundary has it as a side")
        if name not in c.media and name in c.soils:
            raise c.wrong(command, f"'{name}' is a mixing model, of which #fractal_box alone makes a material")
        if name not in c.media:
            raise c.wrong(command, f"no material '{name}': define it with #material")
    if len(set(names)) == 1:
        return c.media[names[0]], ""
    together = "+".join(names)
    if together not in c.media:
        keys = [c.medium_keys.get(n, {"epsilon": 1.0, "sigma": 0.0, "mu": 1.0, "sigma_m": 0.0}) for n in names]
        medium_add(c, command, together, "the mean of three", **{k: sum(x[k] for x in keys) / len(keys) for k in ("epsilon", "sigma", "mu",
                                                                                                                  "sigma_m")})
    return c.media[together], "one medium, the mean of those along x, y and z"
