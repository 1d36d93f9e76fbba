"""The same simulations through `ngxlab judge`: a file of experiments in, a line of claims for each out."""

import csv
import json
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ngxlab_verdict import Experiment, judge

from scripts.paths import BIN
from scripts.simulations.scenario import Scenario

CHECKED = Scenario(5, 5, 0.05, primary=2, effects={(1, 0): 1.1}, seed=77)


def agreement(count: int = 200) -> str:
    """Says for how many experiments the command's claims are those of the function. Raises ValueError if any differ."""
    experiments = list(CHECKED.experiments(count))
    printed = judged_by_command(experiments, list(CHECKED.question.primary or ()))
    for experiment, document in zip(experiments, printed, strict=True):
        expected = [(claim.arm, claim.metric, claim.verdict) for claim in judge(experiment, CHECKED.question)]
        if [(claim["arm"], claim["metric"], claim["verdict"]) for claim in document["claims"]] != expected:
            raise ValueError(f"ngxlab judge says otherwise of {document['experiment']}")
    return f"`ngxlab judge` printed the same claims for {count} experiments in a file."


def judged_by_command(experiments: Iterable[Experiment], primary: Iterable[str]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "values.csv"
        _write(path, experiments)
        options = [word for metric in primary for word in ("--primary", metric)]
        command: list[str | Path] = [BIN / "ngxlab", "judge", path, "--json", *options]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def _write(path: Path, experiments: Iterable[Experiment]) -> None:
    with path.open("w", newline="") as target:
        rows = csv.writer(target)
        rows.writerow(["experiment", "arm", "block", "metric", "value"])
        for number, experiment in enumerate(experiments):
            for metric, of_metric in zip(experiment.metrics, experiment.values, strict=True):
                for arm, of_arm in zip(experiment.arms, of_metric, strict=True):
                    rows.writerows([f"e{number}", arm, block, metric, repr(float(v))] for block, v in enumerate(of_arm))
