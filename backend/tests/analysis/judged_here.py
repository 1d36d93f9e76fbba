"""What this Python says of the example runs and of values that are hard to add, as JSON: run by another Python too."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from analysis import builders
from analysis.scenario import Scenario
from analysis.test_method import RUNS
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab_verdict import Between, Experiment, Looks, MetricRule, Question, Sides, judge, judge_independent_arms
from ngxlab_verdict.factors import Asked, effects_of, factors_of
from ngxlab_verdict.level_shifts import change_points, levels_of, runs_resemble


def said() -> Iterator[tuple[str, Any]]:
    for name, run in RUNS.items():
        yield name, json.loads(run().model_dump_json())
    yield "a trial", json.loads(summarise_trial(builders.trial(Scenario().build())).model_dump_json())
    yield from _procedure()


def _procedure() -> Iterator[tuple[str, Any]]:
    drawn = np.random.default_rng(1)
    values = np.exp(drawn.normal(0, 0.03, (3, 8, 4000)) + drawn.normal(0, 0.1, (3, 1, 4000))) * 1000
    values[:, 3] *= np.exp(drawn.normal(0, 0.1, (3, 4000)))
    values[2] = np.round(values[2])
    names = [f"arm {place}" for place in range(8)]
    rules = {"c": MetricRule("less_is_better", "difference", 5.0)}
    for looks, counts in ((None, (6, 4000)), (Looks(50), (40,))):
        question = Question(["a", "b"], rules, looks=looks)
        for blocks in counts:
            experiment = Experiment(names, ["a", "b", "c"], values[:, :, :blocks])
            yield (
                f"{blocks} blocks, looks {looks}",
                [list(vars(claim).values()) for claim in judge(experiment, question)],
            )
    levels = [{"x": x, "y": y, "z": z} for x in "ab" for y in "ab" for z in "ab"]
    asked = Asked("primary", 0.05, 0.02, "more_is_better")
    yield "factors", effects_of(np.log(values[0][:, :50]), levels, factors_of(levels), asked)
    apart = {
        name: Sides(values[0, place, :7].tolist(), values[0, 0, :9].tolist()) for place, name in enumerate(names[1:], 1)
    }
    claims = judge_independent_arms({"a": apart}, Question(["a"]), {"a": Between(0.02, 5.0)})
    yield "runs", [list(vars(claim).values()) for claim in claims]
    lines = [np.log(line) for line in values[0, :, :60]]
    yield "trends", [change_points(line.tolist(), 0.01) for line in lines]
    spans = list(range(60))
    yield "drift", runs_resemble([levels_of(spans, line.tolist(), []) for line in lines])


if __name__ == "__main__":
    json.dump(dict(said()), sys.stdout, default=str, indent=1)
