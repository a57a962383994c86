"""What other models have of the cases that papers compare them by, beside a run's own profiles. SPDX-License-Identifier: MIT"""
from matplotlib.patches import Rectangle

BEARE = "Beare et al. 2006, ninth hour"
SIEBESMA = "Siebesma et al. 2003, hours 3 to 6"
NIEUWSTADT = "Nieuwstadt et al. 1993"
MOENG = "Moeng and Sullivan 1994"

# (case, panel, along x, up y, source), None: everywhere. Units of the panel: m/s; stress by its value at the ground, 1; hours, 1 and
# g/m2; share of cells, m; w*^2, z_i; flux by that of the ground, 1. What a paper says of a largest value has no place: it is a strip.
BANDS = (
    ("stable_boundary_layer", "speed", (9, 10), None, BEARE),  # the jet
    ("stable_boundary_layer", "stress", (0.26 ** 2, 0.30 ** 2), (0, 20), BEARE),  # friction velocity squared, at the ground
    ("stable_boundary_layer", "stress", None, (150, 200), BEARE),  # where a twentieth of it is left, over 0.95
    ("shallow_cumulus", "cover", (3, 6), (0.10, 0.18), SIEBESMA),
    ("shallow_cumulus", "path", (3, 6), (3, 10), SIEBESMA),
    ("shallow_cumulus", "cloud", (0.05, 0.08), (500, 2100), SIEBESMA),  # the largest fraction
    ("shallow_cumulus", "cloud", None, (500, 600), SIEBESMA),  # base
    ("shallow_cumulus", "cloud", None, (1600, 2100), SIEBESMA),  # top
    ("convective_boundary_layer", "variances", (0.34, 0.46), (0.3, 0.45), NIEUWSTADT),  # the largest <w'w'>
    ("convective_boundary_layer", "flux", (-0.2, -0.1), None, MOENG),  # the least
)


def bands_of(case, panel):
    return [b for b in BANDS if b[:2] == (case, panel)]


def bands_draw(ax, case, panel, x=1, y=1):
    """Shades over a panel where the models lie; x, y: what the panel's units are of those of the table. One label for all."""
    for n, (_, _, along, up, source) in enumerate(bands_of(case, panel)):
        style = {"facecolor": "#7570b3", "alpha": 0.22, "lw": 0, "zorder": 0, "label": f"models, {source}" if n == 0 else None}
        if along is None:
            ax.axhspan(*(y * v for v in up), **style)
        elif up is None:
            ax.axvspan(*sorted(x * v for v in along), **style)
        else:
            (a, b), (c, d) = sorted(x * v for v in along), (y * v for v in up)
            ax.add_patch(Rectangle((a, c), b - a, d - c, **style))
            ax.autoscale_view()
    if bands_of(case, panel):
        ax.legend(fontsize=7, frameon=False, handlelength=1.4, borderaxespad=0.1, labelspacing=0.25)
