"""``python -m scripts.recipes [KEY ...]``: run recipes, or all, and write into their files what they showed.

They run by the command line on the server of ``NGXLAB_URL``, with the token of ``NGXLAB_TOKEN``, one after the other,
on its only host or on ``--host``. A run that does not complete, or whose outcome a check voids, changes nothing.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import yaml
from ngxlab.analysis.metrics import METRICS
from ngxlab.analysis.verdict.numbers import in_unit
from ngxlab.recipes.recipe import Recipe, RecipeShown
from ngxlab.recipes.registry import recipe, recipes
from ngxlab_cli.access import find_access
from ngxlab_cli.client import LabClient

from scripts.console import Failure, check, main_guard, say
from scripts.paths import ROOT

FOLDER = ROOT / "backend" / "ngxlab" / "recipes"
SHOWN = "\nshown:\n"
_VOID = "not_valid"
_UNITS = {metric.info.key: metric.info.unit for metric in METRICS}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.recipes", description=__doc__)
    parser.add_argument("keys", nargs="*", metavar="KEY")
    parser.add_argument("--host", help="by name, where the server has several")
    parser.add_argument("--nginx", action="append", default=[], metavar="NAME=BINARY", help="as of `ngxlab run`")
    arguments = parser.parse_args()
    for one in [recipe(key) for key in arguments.keys] or recipes().values():
        try:
            shown = _recorded(one, arguments.host, arguments.nginx)
        except Failure as failure:
            say(f"{one.key}: {failure}")
            continue
        _write(one, shown)
        say(f"{one.key}: {shown.text} ({'as expected' if shown.holds else 'NOT the expected sign'})")
    return 0


def _recorded(one: Recipe, host: str | None, builds: Sequence[str]) -> RecipeShown:
    """Raises :class:`Failure` where the run does not say whether the outcome has its sign."""
    place = ["--host", host] if host else []
    place += [word for build in builds for word in ("--nginx", build)]
    order = [sys.executable, "-m", "ngxlab_cli", "run", "--recipe", one.key, *place]
    ran = subprocess.run([*order, "--wait", "--json", "--quiet"], stdout=subprocess.PIPE, text=True, check=False)
    try:
        run_id = json.loads(ran.stdout)["run"]["id"]
    except (ValueError, KeyError) as error:
        raise Failure(f"no run: {ran.stdout[:400]}", "look at the server") from error
    with LabClient(find_access(None, None)) as client:
        run = client.call("GET", f"/runs/{run_id}", dict[str, Any])
        analysis = client.call("GET", f"/runs/{run_id}/report", dict[str, Any])["analysis"]
        cpus = next(known.cpu_logical for known in client.hosts() if known.name in run["hosts"])
    check(run["state"] == "completed", f"run {run_id} is {run['state']}")
    return _shown(one, run, analysis, cpus or 1)


def _shown(one: Recipe, run: dict[str, Any], analysis: dict[str, Any], cpus: int) -> RecipeShown:
    means = {arm["key"]: _metric(arm, one.outcome.metric) for arm in analysis["arms"]}
    compared = means[one.outcome.arm]["comparison"]
    is_valid = compared is not None and compared["verdict"] != _VOID
    check(is_valid, f"run {run['id']} has no valid outcome: {compared and _english(compared['reason'])}")
    began, ended = (datetime.fromisoformat(run[at]) for at in ("started_at", "finished_at"))
    unit = _UNITS[one.outcome.metric]
    change = compared["estimate"] - (1 if compared["scale"] == "ratio" else 0)
    return RecipeShown(
        recorded_on=datetime.now(UTC).date(),
        nginx=analysis["arms"][0]["nginx_build"]["version"].removeprefix("nginx/"),
        cpus=cpus,
        values={arm: float(f"{metric['mean']:.6g}") for arm, metric in means.items()},
        text=str(in_unit(compared["text"], unit)) if compared["scale"] == "difference" else compared["text"],
        interval=_english(compared["ci_text"]),
        holds=(change < 0) == (one.outcome.sign == "lower"),
        took_s=round((ended - began).total_seconds(), 1),
    )


def _english(sentence: Any) -> Any:
    return sentence["text"] if isinstance(sentence, dict) else sentence


def _metric(arm: dict[str, Any], key: str) -> dict[str, Any]:
    found: dict[str, Any] = next(metric for metric in arm["metrics"] if metric["metric"] == key)
    return found


def _write(one: Recipe, shown: RecipeShown) -> None:
    """In the place of what was recorded before, at the end of the file."""
    path = FOLDER / f"{one.key}.yaml"
    text = path.read_text(encoding="utf-8").partition(SHOWN)[0].rstrip("\n")
    block = yaml.safe_dump({"shown": shown.model_dump(mode="json")}, sort_keys=False, allow_unicode=True)
    path.write_text(f"{text}\n{block}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main_guard(main))
