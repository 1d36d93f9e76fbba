"""From files to claims: each arm's values by block, what may be claimed of them, and what cannot be judged."""

import argparse
import csv
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from ngxlab_cli.errors import Exit, UsageError
from ngxlab_cli.results.arms import Files, files_of
from ngxlab_cli.results.fortio import fortio
from ngxlab_cli.results.h2load import h2load
from ngxlab_cli.results.hyperfine import hyperfine
from ngxlab_cli.results.k6 import k6
from ngxlab_cli.results.measured import ERRORS, ERRORS_MARGIN, REQUESTS, TIME, Measured, NotItsResult, percentile
from ngxlab_cli.results.oha import oha
from ngxlab_cli.results.vegeta import vegeta
from ngxlab_cli.results.wrk import wrk, wrk2
from ngxlab_cli.tables import paragraph

PARSERS: dict[str, Callable[[str], Measured | list[Measured]]] = {
    "wrk": wrk, "wrk2": wrk2, "k6": k6, "h2load": h2load, "oha": oha, "vegeta": vegeta, "fortio": fortio,
    "hyperfine": hyperfine,
}  # fmt: skip
TOOLS = tuple(PARSERS)
_OF_SUCCESSES = {"vegeta"}
"""Their rate leaves out what failed."""
_OTHERWISE = (
    "Whether the generator, the network or another program was the limit: these files do not say it. A run of ngxlab "
    "checks that."
)
_IN_TURN = (
    "What changed on the machine between the arms: {how}, so it counts as a difference between them. Measure the arms "
    "in turns, each once a round."
)


class Taken(NamedTuple):
    """``blocks``: of each arm. ``lacks``: what cannot be judged, in sentences."""

    blocks: dict[str, list[Measured]]
    lacks: list[str]


def judge_results(arguments: argparse.Namespace) -> Exit:
    """``arguments``: ``tool``, ``files``, ``baseline``, ``primary``, ``margin``, ``csv`` and ``json``. Raises
    ``UsageError``."""
    taken = take(arguments.tool, files_of(arguments.files))
    if arguments.csv is not None:
        _write(taken, arguments.csv)
        return Exit.OK
    # Loads numpy and scipy, which --csv does without.
    from ngxlab_cli.judge import judged  # noqa: PLC0415
    from ngxlab_cli.judge.question import baseline_of, question_of  # noqa: PLC0415
    from ngxlab_cli.judge.table import Value, Values  # noqa: PLC0415

    cells = {(metric, arm, str(block)): Value(value, 0) for arm, block, metric, value in rows(taken)}
    values = Values(cells)
    baseline = baseline_of(arguments.baseline, {None: values}, f"these files of {arguments.tool}")
    metrics = values.names(0)
    asked = question_of(_options(arguments, taken, metrics), metrics, f"these files of {arguments.tool}")
    if arguments.json:
        document = json.loads(judged(None, values, baseline, asked, arguments))
        sys.stdout.write(json.dumps({"from": arguments.tool, **document, "not_judged": taken.lacks}) + "\n")
        return Exit.OK
    sys.stdout.write(judged(None, values, baseline, asked, arguments))
    said = "\n".join(paragraph(text, "- ") for text in taken.lacks)
    sys.stdout.write(f"\nWhat these files do not let one judge:\n{said}\n")
    return Exit.OK


def take(tool: str, files: Files) -> Taken:
    """Raises ``UsageError``."""
    blocks: dict[str, list[Measured]] = {}
    for arm, paths in files.items():
        for path in paths:
            for measured in _read(tool, path):
                blocks.setdefault(measured.arm or arm, []).append(measured)
    repeats = tool == "hyperfine" and all(len(of_arm) == 1 for of_arm in blocks.values())
    if repeats:
        blocks = {
            arm: [Measured(values) for values in of_arm[0].repeats] or list(of_arm) for arm, of_arm in blocks.items()
        }
    if len(blocks) < 2:
        raise UsageError(f"all files are of one arm, {next(iter(blocks))}: write ARM=FILE, or give each arm a folder")
    return Taken(blocks, _lacks(blocks, repeats=repeats))


def rows(taken: Taken) -> list[tuple[str, int, str, float]]:
    """Arm, block, metric, value. A metric that an arm's block lacks is not among them; errors that never happened have
    nothing to judge."""
    every = [measured for of_arm in taken.blocks.values() for measured in of_arm]
    idle = {ERRORS} if not any(measured.values.get(ERRORS) for measured in every) else set()
    return [
        (arm, block, metric, value)
        for arm, of_arm in taken.blocks.items()
        for block, measured in enumerate(of_arm, 1)
        for metric, value in measured.values.items()
        if metric not in idle
    ]


def _read(tool: str, path: Path) -> list[Measured]:
    try:
        found = PARSERS[tool](path.read_text(encoding="utf-8"))
    except NotItsResult as error:
        raise UsageError(f"{path} is no result of {tool}: {error}") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no result of {tool}: it is no text in UTF-8") from error
    every = found if isinstance(found, list) else [found]
    return every if tool in _OF_SUCCESSES else [_served(one) for one in every]


def _served(one: Measured) -> Measured:
    """Requests that were served, not those that failed fast. Where connections that failed are counted among the
    errors, it is a lower bound."""
    if REQUESTS not in one.values:
        return one
    rate = one.values[REQUESTS] * (1 - one.values.get(ERRORS, 0.0) / 100)
    return replace(one, values={**one.values, REQUESTS: rate})


def _lacks(blocks: dict[str, list[Measured]], *, repeats: bool) -> list[str]:
    every = [measured for of_arm in blocks.values() for measured in of_arm]
    lacks = [text for measured in every for text in measured.lacks]
    counts = {arm: len(of_arm) for arm, of_arm in blocks.items()}
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{arm} has {count}" for arm, count in counts.items())
        lacks.append(f"Blocks without a partner in the other arm ({said}): the nth file of each arm is block n.")
    if repeats:
        lacks.append(_IN_TURN.format(how="hyperfine repeats one command after the other"))
    elif _one_after_the_other(blocks):
        lacks.append(_IN_TURN.format(how="by the times in the files, each arm was measured as a whole after the other"))
    return [*dict.fromkeys(lacks), _OTHERWISE]


def _one_after_the_other(blocks: dict[str, list[Measured]]) -> bool:
    began: list[tuple[datetime, str]] = []
    for arm, of_arm in blocks.items():
        began += [(measured.started, arm) for measured in of_arm if measured.started is not None]
    if len(began) < sum(map(len, blocks.values())) or len(began) == len(blocks):
        return False
    return len(list(groupby(arm for _, arm in sorted(began)))) == len(blocks)


def _options(arguments: argparse.Namespace, taken: Taken, metrics: Sequence[str]) -> argparse.Namespace:
    """As ``ngxlab judge`` would be asked."""
    has_errors = ERRORS in metrics
    return argparse.Namespace(
        primary=arguments.primary or [_primary(taken, metrics)],
        margin=arguments.margin,
        lower_is_better=[metric for metric in metrics if metric != REQUESTS],
        neutral=[],
        difference=[f"{ERRORS}={ERRORS_MARGIN}"] if has_errors else [],
        range=[f"{ERRORS}=0:100"] if has_errors else [],
    )


def _primary(taken: Taken, metrics: Sequence[str]) -> str:
    """Of a load at a given rate its latency, as its throughput was decided before; of any other its throughput."""
    at_a_rate = all(measured.is_open for of_arm in taken.blocks.values() for measured in of_arm)
    wanted = [percentile(p) for p in (99, 95, 90)] if at_a_rate else []
    return next(metric for metric in [*wanted, REQUESTS, TIME] if metric in metrics)


def _write(taken: Taken, path: Path) -> None:
    """A file for ``ngxlab judge``."""
    try:
        with nullcontext(sys.stdout) if str(path) == "-" else path.open("w", encoding="utf-8", newline="") as file:
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow(["arm", "block", "metric", "value"])
            lines.writerows((arm, block, metric, repr(value)) for arm, block, metric, value in rows(taken))
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    for text in taken.lacks:
        sys.stderr.write(f"{paragraph(f'not judged: {text}')}\n")
