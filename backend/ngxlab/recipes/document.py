"""``python -m ngxlab.recipes.document docs/recipes.md``: the table of all recipes, from their files."""

import sys
from collections.abc import Iterator
from pathlib import Path

from ngxlab.analysis.metrics import METRICS
from ngxlab.recipes.recipe import COUNTED, KINDS, Recipe, RecipeShown
from ngxlab.recipes.registry import recipes

_HEAD = """\
# Recipes

<!-- Written by `make docs` from backend/ngxlab/recipes: do not edit. -->

Everyday questions as ready experiments, one file each. `ngxlab recipes` lists them, `ngxlab run --recipe KEY --wait`
runs one, and *New experiment* shows them as cards. Each has one outcome that must have a sign. `make test` runs both
arms of it for a second: what is counted (bytes, calls, connections, requests, handshakes) must have the sign there too,
and what is timed must only be measured, since a busy machine decides it.

The last column says what the last recorded run showed; `python -m scripts.recipes KEY ...` records one on the server of
`NGXLAB_URL`. Its times are those of the machine named there, and say nothing of another.
"""
_COLUMNS = ("recipe", "takes", "arms", "what must come out", "what it showed last time")
_METRICS = {metric.info.key: metric for metric in METRICS}


def document() -> str:
    return _HEAD + "".join(_section(kind) for kind in KINDS)


def _section(kind: str) -> str:
    rows = [list(_cells(one)) for one in recipes().values() if one.kind == kind]
    if not rows:
        return ""
    lines = ["| " + " | ".join(cells) + " |" for cells in (_COLUMNS, ["---"] * len(_COLUMNS), *rows)]
    return f"\n## {kind[0].upper()}{kind[1:]}\n\n" + "\n".join(lines) + "\n"


def _cells(recipe: Recipe) -> Iterator[str]:
    arms = [arm.label for arm in recipe.experiment.arms]
    needs = "".join(f"; needs {need.what}" for need in recipe.need_infos)
    yield f"`{recipe.key}`: [{recipe.question}]({recipe.source.url}){needs}"
    yield f"{recipe.seconds / 60:.1f} min"
    yield ", ".join(arms)
    yield _outcome(recipe)
    yield _shown(recipe, recipe.shown) if recipe.shown is not None else "not recorded"


def _outcome(recipe: Recipe) -> str:
    labels = {arm.key: arm.label for arm in recipe.experiment.arms}
    outcome = recipe.outcome
    how = "counted" if outcome.metric in COUNTED else "timed"
    title = _METRICS[outcome.metric].info.title
    return f"{title}: {labels[outcome.arm]} {outcome.sign} than {labels[outcome.against]} ({how})"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _shown(recipe: Recipe, shown: RecipeShown) -> str:
    labels = {arm.key: arm.label for arm in recipe.experiment.arms}
    unit = _METRICS[recipe.outcome.metric].info.unit
    values = ", ".join(f"{labels[arm]} {_figure(value)}" for arm, value in shown.values.items())
    interval = f" ({shown.interval})" if shown.interval else ""
    sign = "" if shown.holds else "; **not the expected sign**"
    where = f"{shown.recorded_on}, nginx {shown.nginx}, {shown.cpus} CPUs"
    return f"{values} ({unit}): {shown.text}{interval}{sign}; {where}, {shown.took_s / 60:.1f} min"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(document(), encoding="utf-8")
