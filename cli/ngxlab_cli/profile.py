"""``ngxlab profile``, ``ngxlab run --profile``: where the CPU time of a run's arms goes, and what differs in that."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

from ngxlab_cli import commands, documents, tables
from ngxlab_cli.client import LabClient
from ngxlab_cli.documents import Shown
from ngxlab_cli.errors import ClientError, Exit, UsageError
from ngxlab_cli.follow import how_to_follow
from ngxlab_cli.models import ArmPhasesOut, ArmPhasesPage, ProfileDifference, ProfilePage, ProfileSummary, RunDetail
from ngxlab_cli.progress import is_over
from ngxlab_cli.requests import ProfilesWanted

_MOST_FUNCTIONS = 12
TRIALS = 2
"""Of each arm, unless somebody says otherwise."""


def profile(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Have the arms of a completed run profiled, and show what that gave once it is there."""
    detail = _asked(client, arguments.run, arguments.trials)
    if not is_over(detail) and not arguments.wait:
        name = f"{detail.experiment_name}, run {detail.number}"
        words = f"{name}: each arm is profiled {arguments.trials} times; {how_to_follow(detail.id)}"
        return Shown(documents.run(client, detail), words)
    return _followed(client, detail, arguments, arguments.output)


def _asked(client: LabClient, run_id: UUID, trials: int) -> RunDetail:
    return client.call("POST", f"/runs/{run_id}/profile", RunDetail, ProfilesWanted(trials=trials))


def _followed(client: LabClient, detail: RunDetail, arguments: argparse.Namespace, folder: Path | None = None) -> Shown:
    ended: RunDetail | None = detail if is_over(detail) else commands.follow_run(client, detail, arguments)
    if ended is None:
        return Shown(documents.run(client, detail), "", Exit.RUN_FAILED)
    return shown(client, ended, folder)


def run(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """``ngxlab run``; with ``--profile``, the arms of the completed run are profiled then, and what that gave follows
    the verdict. The exit code is the verdict's, whether there are profiles or not."""
    if arguments.profile and not (arguments.wait or arguments.plan):
        raise UsageError("--profile needs --wait: a completed run is profiled; later by `ngxlab profile RUN`")
    judged = commands.run(client, arguments)
    if not arguments.profile or arguments.plan or judged.code == Exit.RUN_FAILED:
        return judged
    try:
        detail = _asked(client, UUID(judged.document["run"]["id"]), TRIALS)
        found = _followed(client, detail, arguments)
    except ClientError as error:
        sys.stderr.write(f"warning: no profile: {error}\n")
        return judged
    words = "\n\n".join(filter(None, (judged.words, found.words)))
    return Shown({**found.document, **judged.document}, words, judged.code)


def shown(client: LabClient, run: RunDetail, folder: Path | None = None) -> Shown:
    """What a run's profiles say. ``folder``: where each arm's folded stacks are written. Raises ``ClientError``."""
    arms = client.call("GET", f"/runs/{run.id}/profiles", ProfilePage).items
    if not arms:
        raise UsageError("no arm of this run has a profile: its trials that profile say why on its page")
    against = arms[0].arm_key
    found = [_difference(client, run.id, arm.arm_key, against) for arm in arms[1:]]
    phases = client.call("GET", f"/runs/{run.id}/phases", ArmPhasesPage, params={"against": against}).items
    if folder is not None:
        _write(client, run.id, arms, folder)
    document = {
        **documents.run(client, run),
        "profiles": [arm.model_dump(mode="json") for arm in arms],
        "differences": [one.model_dump(mode="json") for one in found],
        "phases": [arm.model_dump(mode="json") for arm in phases],
    }
    words = [_table(arms), *map(_words, found), *map(_phases, phases), f"report: {client.report_page(run.id)}"]
    return Shown(document, "\n\n".join(words))


def _phases(arm: ArmPhasesOut) -> str:
    """Where the time of an arm's requests goes."""
    rows = [[f"{arm.arm_key}: PHASE", "MEAN ms", "p50", "p99", "DIFFERENCE ms"]]
    for one in arm.phases:
        difference = "-"
        if one.difference_ms is not None and one.low_ms is not None and one.high_ms is not None:
            difference = f"{one.difference_ms:+,.2f} ({one.low_ms:+,.2f} to {one.high_ms:+,.2f})"
        rows.append(
            [one.phase, f"{round(one.mean_ms, 2) + 0:,.2f}", f"{one.p50_ms:,.0f}", f"{one.p99_ms:,.0f}", difference]
        )
    table = tables.columns(rows, right=True)
    return f"{tables.paragraph(arm.sentence)}\n{table}" if arm.sentence else table


def _difference(client: LabClient, run_id: UUID, arm: str, against: str) -> ProfileDifference:
    path = f"/runs/{run_id}/profiles/{quote(arm, safe='')}/difference"
    return client.call("GET", path, ProfileDifference, params={"against": against})


_FILES = {"folded": "folded", "pprof": "pb.gz"}
"""What the server calls a form, and how the names of such files end."""


def _write(client: LabClient, run_id: UUID, arms: Sequence[ProfileSummary], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for arm in arms:
            for form, ending in _FILES.items():
                found = client.send("GET", f"/runs/{run_id}/profiles/{quote(arm.arm_key, safe='')}/{form}")
                (folder / f"{arm.arm_key.replace('/', '_')}.{ending}").write_bytes(found.content)
    except OSError as error:
        raise UsageError(f"cannot write the stacks: {error}") from error


def _table(arms: Sequence[ProfileSummary]) -> str:
    rows = [["ARM", "CPU µs/request", "SAMPLES", "TRIALS", "NAMELESS %"]]
    for arm in arms:
        cost = "-" if arm.cpu_us_per_request is None else tables.number(arm.cpu_us_per_request)
        rows.append([arm.arm_key, cost, f"{arm.samples:,}", str(arm.trials), f"{arm.unresolved_percent:.0f}"])
    return tables.columns(rows, right=True)


def _words(found: ProfileDifference) -> str:
    said = [claim for claim in found.claims if claim.claimed]
    head = found.sentence or f"{found.arm_key}: no function is said to differ from {found.against}."
    if not said:
        return tables.paragraph(head)
    rows = [["FUNCTION", "", "µs/request", "INTERVAL"]]
    for claim in said[:_MOST_FUNCTIONS]:
        interval = f"{claim.low:+,.3g} to {claim.high:+,.3g}"
        whose = "with what it calls" if claim.kind == "total" else "alone"
        rows.append([claim.frame, whose, f"{claim.difference:+,.3g}", interval])
    more = f"\n… and {len(said) - _MOST_FUNCTIONS} more" if len(said) > _MOST_FUNCTIONS else ""
    return f"{tables.paragraph(head)}\n{tables.columns(rows)}{more}"
