"""``ngxlab profile``: where the CPU time of a run's arms goes, and which functions differ from the baseline's."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

from ngxlab_cli import documents, tables
from ngxlab_cli.client import LabClient
from ngxlab_cli.commands import follow_run
from ngxlab_cli.documents import Shown
from ngxlab_cli.errors import Exit, UsageError
from ngxlab_cli.follow import how_to_follow
from ngxlab_cli.models import ArmPhasesOut, ArmPhasesPage, ProfileDifference, ProfilePage, ProfileSummary, RunDetail
from ngxlab_cli.progress import is_over
from ngxlab_cli.requests import ProfilesWanted

_MOST_FUNCTIONS = 12


def profile(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Have the arms of a completed run profiled, and show what that gave once it is there."""
    wanted = ProfilesWanted(trials=arguments.trials)
    detail = client.call("POST", f"/runs/{arguments.run}/profile", RunDetail, wanted)
    if not is_over(detail) and not arguments.wait:
        name = f"{detail.experiment_name}, run {detail.number}"
        words = f"{name}: each arm is profiled {arguments.trials} times; {how_to_follow(detail.id)}"
        return Shown(documents.run(client, detail), words)
    ended: RunDetail | None = detail if is_over(detail) else follow_run(client, detail, arguments)
    if ended is None:
        return Shown(documents.run(client, detail), "", Exit.RUN_FAILED)
    return shown(client, ended, arguments.output)


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


def _write(client: LabClient, run_id: UUID, arms: Sequence[ProfileSummary], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for arm in arms:
            text = client.send("GET", f"/runs/{run_id}/profiles/{quote(arm.arm_key, safe='')}/folded").text
            (folder / f"{arm.arm_key.replace('/', '_')}.folded").write_text(text, encoding="utf-8")
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
