"""The commands. Results go to standard output, everything else to standard error."""

import argparse
import json
import sys
from datetime import timedelta
from typing import Any

from ngxlab_cli import documents, files, tables
from ngxlab_cli.access import Access, ask_token, find_access, normal_url, save
from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import ClientError, Exit, UsageError
from ngxlab_cli.follow import Follower, how_to_follow
from ngxlab_cli.models import Report, RunDetail, WindowChoice
from ngxlab_cli.progress import choose, duration
from ngxlab_cli.start import Order, planned_power, power, prepare, read_document, start
from ngxlab_cli.start import calibrate as start_calibration

_OUTCOMES = {
    "pass": Exit.OK,
    "fail": Exit.THRESHOLD_FAILED,
    "undecided": Exit.UNDECIDED,
    "not_valid": Exit.NOT_VALID,
}


def perform(arguments: argparse.Namespace) -> int:
    """Run the chosen command. A ``ClientError`` becomes a message and its exit code."""
    try:
        code: int = arguments.perform(arguments)
    except ClientError as error:
        if getattr(arguments, "json", False):
            _document(documents.failure(error))
        sys.stderr.write(f"ngxlab: {error}\n")
        if error.problems:
            sys.stderr.write(tables.problems(error.problems) + "\n")
        return error.exit
    return code


def login(arguments: argparse.Namespace) -> Exit:
    url = normal_url(arguments.url)
    access = Access(url, ask_token(url))
    with LabClient(access) as client:
        me = client.me()
    try:
        path = save(access)
    except OSError as error:
        raise UsageError(f"cannot save the token: {error}") from error
    token = "" if me.token is None else f", to {me.token.scope} until {me.token.expires_at.astimezone():%Y-%m-%d}"
    _say(f"signed in at {url} as {me.account.email} ({me.account.role}){token}; the token is in {path}")
    return Exit.OK


def run(arguments: argparse.Namespace) -> Exit:
    """Say what the plan can find, start the run, and follow it where ``--wait`` is given."""
    order = _order(arguments, seed=arguments.seed, note=arguments.note)
    with _client(arguments) as client:
        if arguments.plan:
            return _told(planned_power(client, order, arguments.effect), arguments)
        prepared = prepare(client, order)
        found = power(client, prepared, arguments.effect)
        if not arguments.quiet:
            sys.stderr.write(f"{tables.paragraph(found['text'])}\n")
        return _started(client, start(client, prepared, order), arguments)


def _told(found: dict[str, Any], arguments: argparse.Namespace) -> Exit:
    if arguments.json:
        _document({"exit_code": 0, "power": found})
    else:
        _say(tables.paragraph(found["text"]))
    return Exit.OK


def calibrate(arguments: argparse.Namespace) -> Exit:
    """Run one arm against itself, and follow it where ``--wait`` is given."""
    with _client(arguments) as client:
        prepared = prepare(client, _order(arguments))
        return _started(client, start_calibration(client, prepared, arguments.blocks, arguments.arm), arguments)


def _order(arguments: argparse.Namespace, **others: Any) -> Order:
    return Order(
        file=arguments.file,
        experiment=arguments.experiment,
        template=arguments.template,
        settings=arguments.set,
        hosts=arguments.host,
        nginx=arguments.nginx,
        name=arguments.name,
        **others,
    )


def _started(client: LabClient, started: RunDetail, arguments: argparse.Namespace) -> Exit:
    if not arguments.quiet:
        sys.stderr.write(f"{started.experiment_name}, run {started.number}: {client.run_page(started.id)}\n")
    if arguments.wait:
        return _follow(client, started, arguments)
    if arguments.json:
        _document(documents.run(client, started))
    else:
        _say(str(started.id))
        sys.stderr.write("" if arguments.quiet else f"{how_to_follow(started.id)}\n")
    return Exit.OK


def wait(arguments: argparse.Namespace) -> Exit:
    with _client(arguments) as client:
        return _follow(client, client.run(arguments.run), arguments)


def report(arguments: argparse.Namespace) -> Exit:
    with _client(arguments) as client:
        detail, verdict = client.run(arguments.run), client.report(arguments.run)
        link = client.share(arguments.run).url if arguments.share else None
        if arguments.json:
            extra = {"share_url": link} if link else {}
            _document(documents.result(client, detail, verdict, Exit.OK) | extra)
        else:
            _say(tables.verdict(detail, verdict))
            _say(f"\nreport: {link or client.report_page(detail.id)}")
    return Exit.OK


def window(arguments: argparse.Namespace) -> Exit:
    """Compute a finished run for another measured window, and show its verdict."""
    choice = None
    if not arguments.restore:
        if arguments.start is None or arguments.end is None:
            raise UsageError("give both ends, --from and --to, or --restore")
        choice = WindowChoice(start_s=arguments.start, end_s=arguments.end, reason=arguments.reason)
    with _client(arguments) as client:
        client.choose_window(arguments.run, choice)
    return report(arguments)


def hosts(arguments: argparse.Namespace) -> Exit:
    with _client(arguments) as client:
        registered = client.hosts()
    if arguments.json:
        _document({"exit_code": 0, "hosts": [host.model_dump(mode="json") for host in registered]})
    else:
        _say(tables.hosts(registered))
    return Exit.OK


def runs(arguments: argparse.Namespace) -> Exit:
    with _client(arguments) as client:
        page = client.runs(arguments.limit, arguments.tag)
    if arguments.json:
        _document({"exit_code": 0, "runs": [item.model_dump(mode="json") for item in page.items]})
    else:
        _say(tables.runs(page.items))
    return Exit.OK


def validate(arguments: argparse.Namespace) -> Exit:
    with _client(arguments) as client:
        preview = client.preview(read_document(arguments.file))
    if preview.problems:
        raise UsageError(f"{arguments.file} cannot be run", preview.problems)
    if arguments.json:
        _document({"exit_code": 0, **preview.model_dump(mode="json")})
        return Exit.OK
    _say(f"{arguments.file} is valid: {len(preview.arms)} arms, slots: {', '.join(s.slot for s in preview.slots)}")
    if preview.plan:
        _say(f"{preview.plan.trials} trials in about {duration(timedelta(seconds=preview.plan.total_s))}")
    return Exit.OK


def steer(arguments: argparse.Namespace) -> Exit:
    """cancel, finish, pause, resume and retry."""
    with _client(arguments) as client:
        detail = client.steer(arguments.run, arguments.action)
        if arguments.json:
            _document(documents.run(client, detail))
        else:
            name = f"{detail.experiment_name}, run {detail.number}"
            _say(f"{name}: {arguments.action} requested, the run is {detail.state}")
    return Exit.OK


def export(arguments: argparse.Namespace) -> Exit:
    """An experiment as YAML, or a run as a file."""
    if arguments.format is not None:
        return files.export_run(arguments)
    with _client(arguments) as client:
        version = arguments.version or client.experiment(arguments.subject).version
        sys.stdout.write(client.export(arguments.subject, version))
    return Exit.OK


def exit_code(run: RunDetail, report: Report) -> Exit:
    """The exit code of a run at its end: what its thresholds came to, and without any whether it is valid."""
    if run.state != "completed":
        return Exit.RUN_FAILED
    if report.outcome is None:
        return Exit.NOT_VALID if report.analysis.verdict == "not_valid" else Exit.OK
    return _OUTCOMES[report.outcome]


def _follow(client: LabClient, started: RunDetail, arguments: argparse.Namespace) -> Exit:
    ended = Follower(client, started.id, choose(sys.stderr, quiet=arguments.quiet)).follow()
    if ended is None:
        if arguments.json:
            _document(documents.run(client, client.run(started.id), Exit.RUN_FAILED))
        return Exit.RUN_FAILED
    verdict = client.report(ended.id)
    code = exit_code(ended, verdict)
    if arguments.json:
        _document(documents.result(client, ended, verdict, code))
    else:
        _say(tables.verdict(ended, verdict))
        _say(f"\nreport: {client.report_page(ended.id)}")
    return code


def _client(arguments: argparse.Namespace) -> LabClient:
    return LabClient(find_access(arguments.url, arguments.token))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _document(document: dict[str, Any]) -> None:
    _say(json.dumps(document, indent=2, ensure_ascii=False))
