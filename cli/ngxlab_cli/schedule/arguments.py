"""The arguments of ``ngxlab schedule``."""

import argparse
import re
from collections.abc import Callable
from datetime import date
from typing import Any
from uuid import UUID

from ngxlab_cli.plugins import Subparsers
from ngxlab_cli.schedule import command

_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
Add = Callable[[Subparsers, str, Callable[[argparse.Namespace], Any], str], argparse.ArgumentParser]


def add_schedule(add: Add, parsers: Subparsers) -> None:
    """``add`` makes the parser of a command that talks to a server."""
    text = "have an experiment run by itself: once, every day, or on days of the week"
    schedule = parsers.add_parser("schedule", help=text, description=text)
    actions = schedule.add_subparsers(required=True, metavar="ACTION")
    _add_new(add(actions, "add", command.add, "create a schedule; its runs are yours, of the then latest version"))
    listed = add(actions, "list", command.show, "list schedules with their next and last times")
    listed.add_argument("--experiment", type=UUID, metavar="ID", help="of this experiment (default: of all)")
    for name, what in (("pause", "start nothing until it is resumed"), ("resume", "continue"), ("remove", "remove it")):
        parser = add(actions, name, command.change, what)
        parser.add_argument("schedule", type=UUID, metavar="SCHEDULE", help="its id, from `ngxlab schedule list`")
        parser.set_defaults(action=name)


def _add_new(new: argparse.ArgumentParser) -> None:
    new.add_argument("--experiment", type=UUID, required=True, metavar="ID", help="a saved experiment")
    when = new.add_mutually_exclusive_group(required=True)
    when.add_argument("--every", metavar="DAYS", help="day, or days of the week such as mon,thu")
    when.add_argument("--once", type=date.fromisoformat, metavar="DATE", help="a day such as 2030-12-31")
    new.add_argument("--at", required=True, type=_time, metavar="HH:MM", help="the time of day")
    new.add_argument("--zone", default="UTC", help="a time zone such as Europe/Berlin (default: %(default)s)")
    new.add_argument("--runs", type=int, metavar="N", help="end after so many runs")
    new.add_argument("--until", type=date.fromisoformat, metavar="DATE", help="the last day")
    new.add_argument("--host", action="append", default=[], metavar="[SLOT=]HOST", help="as for `ngxlab run`")
    new.add_argument("--nginx", action="append", default=[], metavar="[NAME=]BINARY", help="as for `ngxlab run`")
    new.add_argument("--note", help="a text that is stored with each run")


def _time(text: str) -> str:
    if not _TIME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 02:00")
    return text
