"""The arguments of the commands that talk to a server."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from uuid import UUID

from ngxlab_worker.run_client import commands
from ngxlab_worker.run_client.errors import Exit

EXIT_CODES = """\
exit codes
  0  done; the run completed and met its thresholds, if it has any
  1  the run completed, and a threshold was not met or could not be judged
  2  a mistake in the arguments or the experiment, or the server refuses: each problem with its field
  3  the run failed or was cancelled, or was left before its end
  4  the server cannot be reached, or does not know you
"""
ENVIRONMENT = """\
settings
  NGXLAB_URL, NGXLAB_TOKEN   the server and a personal API token; --url and --token go before them,
                             and they go before what `ngxlab login` has kept
"""

Command = Callable[[argparse.Namespace], Exit]
Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_commands(parsers: Subparsers) -> None:
    """``ngxlab run`` and all the others that are for people and for continuous integration."""
    _add_run(parsers)
    follow = _add(parsers, "wait", commands.wait, "wait for the end of a run and judge it as `run --wait` does")
    _with_run(follow)
    _with_quiet(follow)
    report = _add(parsers, "report", commands.report, "the verdict of a run")
    _with_run(report)
    report.add_argument("--share", action="store_true", help="make a link that shows the report without an account")
    _add(parsers, "hosts", commands.hosts, "the registered hosts")
    runs = _add(parsers, "runs", commands.runs, "the latest runs")
    runs.add_argument("--limit", type=int, default=20, help="how many (default: %(default)s)")
    validate = _add(parsers, "validate", commands.validate, "find what is wrong with an experiment, and run nothing")
    validate.add_argument("file", type=Path, metavar="FILE.yaml")
    for action, text in (
        ("cancel", "end a run; what was measured is kept"),
        ("pause", "let a run finish its trial and begin no other"),
        ("resume", "go on with a paused run"),
        ("retry", "try a failed run's missing trials again"),
    ):
        steer = _add(parsers, action, commands.steer, text)
        _with_run(steer)
        steer.set_defaults(action=action)
    export = _add(parsers, "export", commands.export, "print an experiment as YAML")
    export.add_argument("experiment", type=UUID, metavar="EXPERIMENT", help="its id")
    export.add_argument("--version", type=int, help="default: the latest")
    _add_login(parsers)


def _add_run(parsers: Subparsers) -> None:
    run = _add(parsers, "run", commands.run, "run an experiment")
    run.add_argument("file", type=Path, nargs="?", metavar="FILE.yaml", help="an experiment, saved as a new one")
    run.add_argument("--experiment", type=UUID, metavar="ID", help="the latest version of a saved experiment")
    run.add_argument("--template", metavar="KEY", help="a built-in template, saved as a new experiment")
    run.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the template")
    run.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="[SLOT=]HOST",
        help="who plays a slot (by name or id), e.g. --host target=a --host generator=b; without SLOT: all others",
    )
    run.add_argument("--name", help="of the new experiment")
    run.add_argument("--seed", type=int, help="decides the order of trials (default: drawn at random)")
    run.add_argument("--note", help="kept with the run")
    run.add_argument(
        "--wait", action="store_true", help="until its end; Ctrl-C cancels it, a second one leaves without waiting"
    )
    _with_quiet(run)


def _add_login(parsers: Subparsers) -> None:
    text = "keep a personal API token, which is asked for without echo (or read from standard input)"
    login = parsers.add_parser("login", help=text, description=text)
    login.add_argument("--url", required=True, help="the server, e.g. http://lab:8400")
    login.set_defaults(command=commands.login, action=None, json=False, perform=commands.perform)


def _add(parsers: Subparsers, name: str, command: Command, text: str) -> argparse.ArgumentParser:
    parser = parsers.add_parser(
        name,
        help=text,
        description=text,
        epilog=f"{EXIT_CODES}\n{ENVIRONMENT}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(command=command, perform=commands.perform)
    parser.add_argument("--url", help="the server (default: NGXLAB_URL)")
    parser.add_argument("--token", help="a personal API token (default: NGXLAB_TOKEN, which other users cannot see)")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    return parser


def _with_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=UUID, metavar="RUN", help="its id")


def _with_quiet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quiet", action="store_true", help="no progress")
