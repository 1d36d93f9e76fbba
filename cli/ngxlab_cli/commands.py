"""The commands. Results go to standard output, everything else to standard error."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from ngxlab_cli import documents, tables
from ngxlab_cli.access import Access, ask_token, normal_url, save
from ngxlab_cli.client import LabClient
from ngxlab_cli.documents import OUTCOMES, Shown
from ngxlab_cli.errors import ClientError, Exit, UsageError
from ngxlab_cli.follow import Follower, how_to_follow
from ngxlab_cli.models import Me, NoteOut, NotePage, RecipePage, Report, RunDetail, RunPage, RunTags, WindowChoice
from ngxlab_cli.progress import choose
from ngxlab_cli.requests import NoteCreate, TagChange
from ngxlab_cli.revision import chosen
from ngxlab_cli.start import Order, planned_power, power, prepare, read_document, start
from ngxlab_cli.start import calibrate as start_calibration


def perform(arguments: argparse.Namespace) -> int:
    try:
        code: int = arguments.perform(arguments)
    except ClientError as error:
        if getattr(arguments, "json", False):
            documents.say_document(documents.failure(error))
        sys.stderr.write(f"ngxlab: {error}\n")
        if error.problems:
            sys.stderr.write(tables.problems(error.problems) + "\n")
        return error.exit
    return code


def login(arguments: argparse.Namespace) -> Exit:
    url = normal_url(arguments.url)
    access = Access(url, ask_token(url))
    with LabClient(access) as client:
        me = client.call("GET", "/auth/me", Me)
    try:
        path = save(access)
    except OSError as error:
        raise UsageError(f"cannot save the token: {error}") from error
    token = "" if me.token is None else f", to {me.token.scope} until {me.token.expires_at.astimezone():%Y-%m-%d}"
    sys.stdout.write(f"signed in at {url} as {me.account.email} ({me.account.role}){token}; the token is in {path}\n")
    return Exit.OK


def run(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Say what the plan can find, start the run, and follow it where ``--wait`` is given."""
    order = _order(
        arguments, seed=arguments.seed, note=arguments.note, tags=arguments.tag, revision=chosen(arguments, os.environ)
    )
    if arguments.plan:
        planned = planned_power(client, order, arguments.effect)
        return Shown({"power": planned}, tables.paragraph(planned["text"]))
    prepared = prepare(client, order)
    found = power(client, prepared, arguments.effect)
    if not arguments.quiet:
        sys.stderr.write(f"{tables.paragraph(found['text'])}\n")
        for warning in found.get("warnings", []):
            sys.stderr.write(f"warning: {warning['field']}: {warning['message']}\n")
    return begun(client, start(client, prepared, order), arguments)


def calibrate(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Run one arm against itself, and follow it where ``--wait`` is given."""
    prepared = prepare(client, _order(arguments))
    return begun(client, start_calibration(client, prepared, arguments.blocks, arguments.arm), arguments)


def _order(arguments: argparse.Namespace, **others: Any) -> Order:
    return Order(
        file=arguments.file,
        experiment=arguments.experiment,
        template=arguments.template,
        recipe=arguments.recipe,
        settings=arguments.set,
        new=arguments.new,
        hosts=arguments.host,
        nginx=arguments.nginx,
        name=arguments.name,
        **others,
    )


def begun(client: LabClient, started: RunDetail, arguments: argparse.Namespace) -> Shown:
    """Say where the run is, and follow it where ``wait`` is among the arguments."""
    if not arguments.quiet:
        sys.stderr.write(f"{started.experiment_name}, run {started.number}: {client.run_page(started.id)}\n")
    if arguments.wait:
        return _follow(client, started, arguments, cancels_asking=not sys.stdin.isatty())
    if not (arguments.quiet or arguments.json):
        sys.stderr.write(f"{how_to_follow(started.id)}\n")
    return Shown(documents.run(client, started), str(started.id))


def wait(client: LabClient, arguments: argparse.Namespace) -> Shown:
    return _follow(client, client.run(arguments.run), arguments)


def follow_run(
    client: LabClient, started: RunDetail, arguments: argparse.Namespace, *, cancels_asking: bool = False
) -> RunDetail | None:
    """The run at its end; ``None`` where somebody stopped waiting."""
    display = choose(sys.stderr, quiet=arguments.quiet)
    return Follower(client, started.id, display, cancels_asking=cancels_asking).follow()


def _follow(
    client: LabClient, started: RunDetail, arguments: argparse.Namespace, *, cancels_asking: bool = False
) -> Shown:
    ended = follow_run(client, started, arguments, cancels_asking=cancels_asking)
    if ended is None:
        left = documents.run(client, client.run(started.id)) if arguments.json else {}
        return Shown(left, "", Exit.RUN_FAILED)
    verdict = client.report(ended.id)
    return _judged(client, ended, verdict, client.report_page(ended.id), exit_code(ended, verdict))


def _judged(client: LabClient, run: RunDetail, verdict: Report, link: str, code: Exit = Exit.OK) -> Shown:
    return Shown(documents.result(client, run, verdict), f"{tables.verdict(run, verdict)}\n\nreport: {link}", code)


def exit_code(run: RunDetail, report: Report) -> Exit:
    """The exit code of a run at its end: what its thresholds came to, and without any whether it is valid."""
    if run.state != "completed":
        return Exit.RUN_FAILED
    if report.outcome is None:
        return Exit.NOT_VALID if report.analysis.verdict == "not_valid" else Exit.OK
    return OUTCOMES[report.outcome]


def report(client: LabClient, arguments: argparse.Namespace) -> Shown:
    detail, verdict = client.run(arguments.run), client.report(arguments.run)
    if not arguments.share:
        return _judged(client, detail, verdict, client.report_page(detail.id))
    link = client.share(arguments.run).url
    shown = _judged(client, detail, verdict, link)
    return shown._replace(document=shown.document | {"share_url": link})


def window(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Compute a finished run for another measured window, and show its verdict."""
    choice = None
    if not arguments.restore:
        if arguments.start is None or arguments.end is None:
            raise UsageError("give both ends, --from and --to, or --restore")
        choice = WindowChoice(start_s=arguments.start, end_s=arguments.end, reason=arguments.reason)
    path = f"/runs/{arguments.run}/window"
    client.send("DELETE" if choice is None else "PUT", path, choice)
    return report(client, arguments)


def hosts(client: LabClient, _: argparse.Namespace) -> Shown:
    registered = client.hosts()
    return Shown({"hosts": _dumped(registered)}, tables.hosts(registered))


def recipes(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Those that have every word somewhere, and whether this server's hosts can run them."""
    every = client.call("GET", "/recipes", RecipePage).items
    found = [one for one in every if tables.is_about(one, arguments.words)]
    return Shown({"recipes": _dumped(found)}, tables.recipes(found))


def runs(client: LabClient, arguments: argparse.Namespace) -> Shown:
    params = {"limit": arguments.limit, "tag": arguments.tag}
    params |= {"branch": arguments.branch} if arguments.branch else {}
    latest = client.call("GET", "/runs", RunPage, params=params).items
    return Shown({"runs": _dumped(latest)}, tables.runs(latest))


def validate(client: LabClient, arguments: argparse.Namespace) -> Shown:
    preview = client.preview(read_document(arguments.file))
    if preview.problems:
        raise UsageError(f"{arguments.file} cannot be run", preview.problems)
    return Shown(preview.model_dump(mode="json"), tables.valid(str(arguments.file), preview))


def steer(client: LabClient, arguments: argparse.Namespace) -> Shown:
    detail = client.steer(arguments.run, arguments.action)
    name = f"{detail.experiment_name}, run {detail.number}"
    return Shown(documents.run(client, detail), f"{name}: {arguments.action} requested, the run is {detail.state}")


_MOST_BLOCKS = 100
"""The most blocks of a run, as the API has it."""


def add_blocks(client: LabClient, arguments: argparse.Namespace) -> Shown:
    detail = client.run(arguments.run)
    more, most = arguments.more or detail.more_blocks, _MOST_BLOCKS - detail.plan.blocks
    if more is None:
        raise UsageError("the report recommends no number, as nothing is open or no number is known: give --more N")
    if more > most:
        raise UsageError(f"{more} more are too many, as a run has at most {_MOST_BLOCKS}: give --more {most} or less")
    detail = client.add_blocks(arguments.run, detail.plan.blocks + more)
    name = f"{detail.experiment_name}, run {detail.number}"
    words = f"{name}: {more} blocks added, {detail.plan.blocks} in all; the run is {detail.state}"
    return Shown(documents.run(client, detail), words)


_CHANGES = {"+": "--add", "-": "--remove"}


def star(client: LabClient, arguments: argparse.Namespace) -> Shown:
    starred = not arguments.remove
    client.send("PUT" if starred else "DELETE", f"/runs/{arguments.run}/star")
    return _changed(arguments, "starred" if starred else "no longer starred", starred=starred)


def tag(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Add and remove tags; without any, show those that there are."""
    change = TagChange(add=arguments.add, remove=arguments.remove)
    tags = client.call("PATCH", f"/runs/{arguments.run}/tags", RunTags, change).tags
    return _changed(arguments, ", ".join(tags) or "no tags", tags=tags)


def with_named_changes(words: list[str]) -> list[str]:
    """``+a`` and ``-b`` of ``ngxlab tag`` as options with names: argparse would take ``-b`` for an option itself."""
    if words[:1] != ["tag"]:
        return words
    return [f"{_CHANGES[word[0]]}={word[1:]}" if _is_change(word) else word for word in words]


def _is_change(word: str) -> bool:
    return len(word) > 1 and word[0] in _CHANGES and word[1] != "-" and word != "-h"


def note(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Write a note; without a text, show those that there are."""
    path = f"/runs/{arguments.run}/notes"
    if arguments.text is not None:
        body = NoteCreate(text=arguments.text, trial_id=arguments.trial, t_s=arguments.at)
        added = client.call("POST", path, NoteOut, body)
        return _changed(arguments, "note added", note=added.model_dump(mode="json"))
    notes = client.call("GET", path, NotePage).items
    return _changed(arguments, "\n\n".join(map(_written, notes)) or "no notes", notes=_dumped(notes))


def _written(note: NoteOut) -> str:
    place = f", trial {note.trial_id}" if note.trial_id else ""
    moment = f" at {note.t_s:g} s" if note.t_s is not None else ""
    return f"{note.author}, {note.created_at:%Y-%m-%d %H:%M} UTC{place}{moment}:\n{note.text}"


def delete(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """The server refuses a run that goes on, and one whose links work unless ``--end-links`` says that they end."""
    client.send("DELETE", f"/runs/{arguments.run}", params={"end_links": arguments.end_links})
    return _changed(arguments, "deleted", deleted=True)


def _changed(arguments: argparse.Namespace, words: str, **what: Any) -> Shown:
    return Shown({"run": {"id": str(arguments.run), **what}}, f"run {arguments.run}: {words}")


def _dumped(items: Sequence[BaseModel]) -> list[dict[str, Any]]:
    return [item.model_dump(mode="json") for item in items]
