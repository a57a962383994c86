"""The work of sferic-against. SPDX-License-Identifier: MIT"""
import json
import os

from sferic_plot.words import IO, Fail, outcome

from .forecast import Forecast
from .observed import observations_read
from .scores import scores_make


def value_text(value):
    """A number, or a place: '38.50N 82.90W'."""
    if not isinstance(value, tuple):
        return f"{value:.2f}"
    latitude, longitude = value
    return f"{abs(latitude):.2f}{'N' if latitude >= 0 else 'S'} {abs(longitude):.2f}{'E' if longitude >= 0 else 'W'}"


def off_text(row, difference):
    return f"{difference:.0f}" if isinstance(row.observed, tuple) else f"{difference:+.2f}"


def table_print(head, lines, left):
    """Columns as wide as they must be, the first `left` to the left."""
    width = [max(map(len, column)) for column in zip(head, *lines)]
    for line in [head, *lines]:
        print("  ".join(w.ljust(n) if c < left else w.rjust(n) for c, (w, n) in enumerate(zip(line, width))).rstrip())


def rows_print(rows):
    table_print(("station", "time", "quantity", "unit", "observed", "forecast", "off", "persistence", "off"),
                [(r.observation.station, f"{r.observation.time:%Y-%m-%d %H:%M}", r.quantity, r.unit, value_text(r.observed), value_text(r.forecast),
                  off_text(r, r.difference), value_text(r.persistence), off_text(r, r.persistence_difference)) for r in rows], 4)


def scores_print(scores):
    print()
    table_print(("quantity", "unit", "count", "bias", "rms", "bias of persistence", "its rms"),
                [(s.quantity, s.unit, str(s.count), *(f"{v:.2f}" for v in s[3:])) for s in scores], 2)


def json_of(forecast, options, rows, scores):
    def row(r):
        o = r.observation
        about = {"station": o.station, "latitude": o.latitude, "longitude": o.longitude, "time": f"{o.time.isoformat()}Z"}
        return {**about, **r._asdict(), "observation": o.where}
    return {"run": forecast.run.folder, "case": forecast.run.case, "start": f"{forecast.start.isoformat()}Z", "observations": options.observations,
            "rows": [row(r) for r in rows], "scores": [s._asdict() for s in scores]}


def json_write(path, content):
    part = path + ".part"
    try:
        with open(part, "w", encoding="utf-8") as f:
            json.dump(content, f, indent=1)
            f.write("\n")
        os.replace(part, path)
    except OSError as e:
        raise Fail(IO, f"cannot write {path}: {e.strerror or e}") from e
    finally:
        if os.path.exists(part):
            os.remove(part)


def compare(options):
    observations = observations_read(options.observations)
    forecast = Forecast(options.folder)
    rows = [row for o in observations for row in forecast.rows(o)]
    scores = scores_make(rows)
    if options.json:
        json_write(options.json, json_of(forecast, options, rows, scores))
    rows_print(rows)
    scores_print(scores)


def main(options):
    return outcome("sferic-against", compare, options)
