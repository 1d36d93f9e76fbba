"""Create, list, pause, resume and remove schedules."""

import argparse
import re
from collections.abc import Callable
from datetime import date
from typing import Any, Protocol
from uuid import UUID

from ngxlab_cli.client import LabClient
from ngxlab_cli.documents import Command, Shown
from ngxlab_cli.models import OccurrenceOut, ScheduleOut, SchedulePage
from ngxlab_cli.requests import RunCreate, ScheduleCreate, ScheduleUpdate, Timing
from ngxlab_cli.start import assign, binaries


def create(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Raises UsageError for hosts that are not there; the server judges the rest."""
    hosts = assign(client.hosts(), arguments.host)
    run = RunCreate(hosts=hosts.by_slot, host_id=hosts.all_others, nginx=binaries(arguments.nginx))
    if arguments.note:
        run = run.model_copy(update={"note": arguments.note})
    body = ScheduleCreate(timing=_timing(arguments), run=run, last_day=arguments.until, most_runs=arguments.runs)
    return _told(client.call("POST", f"/experiments/{arguments.experiment}/schedules", ScheduleOut, body))


def _timing(arguments: argparse.Namespace) -> Timing:
    when = {"time": arguments.at, "zone": arguments.zone}
    if arguments.once is not None:
        return Timing.model_validate({"repeats": "once", "on": arguments.once, **when})
    if arguments.every == "day":
        return Timing.model_validate({"repeats": "daily", **when})
    return Timing.model_construct(repeats="weekly", weekdays=arguments.every.split(","), **when)


def list_all(client: LabClient, arguments: argparse.Namespace) -> Shown:
    chosen = {} if arguments.experiment is None else {"experiment_id": str(arguments.experiment)}
    return _told(*client.call("GET", "/schedules", SchedulePage, params=chosen).items)


def change(client: LabClient, arguments: argparse.Namespace) -> Shown:
    path = f"/schedules/{arguments.schedule}"
    if arguments.action == "remove":
        client.send("DELETE", path)
        return _told()
    return _told(client.call("PATCH", path, ScheduleOut, ScheduleUpdate(paused=arguments.action == "pause")))


def _told(*schedules: ScheduleOut) -> Shown:
    return Shown({"schedules": [one.model_dump(mode="json") for one in schedules]}, "\n".join(map(_text, schedules)))


def _why(last: OccurrenceOut) -> str:
    return f"{last.outcome}: {last.reason}" if last.reason else "started a run that was deleted"


def _text(schedule: ScheduleOut) -> str:
    """A schedule in two or three lines."""
    following = f"next {schedule.next_at.astimezone():%Y-%m-%d %H:%M %Z}" if schedule.next_at else schedule.state
    lines = [f"{schedule.id}  {schedule.experiment_name}", f"  {schedule.text}; {following}"]
    if schedule.latest:
        last = schedule.latest[0]
        what = f"started run {last.run_number}" if last.run_id else _why(last)
        lines.append(f"  last {last.due_at.astimezone():%Y-%m-%d %H:%M %Z}: {what}")
    return "\n".join(lines)


class Subparsers(Protocol):
    def add_parser(self, *args: Any, **options: Any) -> argparse.ArgumentParser: ...


_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
Add = Callable[[Subparsers, str, Command, str], argparse.ArgumentParser]


def add_schedule(add: Add, parsers: Subparsers) -> None:
    """``add`` makes the parser of a command that talks to a server."""
    text = "have an experiment run by itself: once, every day, or on days of the week"
    schedule = parsers.add_parser("schedule", help=text, description=text)
    actions = schedule.add_subparsers(required=True, metavar="ACTION")
    _add_new(add(actions, "add", create, "create a schedule; its runs are yours, of the then latest version"))
    listed = add(actions, "list", list_all, "list schedules with their next and last times")
    listed.add_argument("--experiment", type=UUID, metavar="ID", help="of this experiment (default: of all)")
    for name, what in (("pause", "start nothing until it is resumed"), ("resume", "continue"), ("remove", "remove it")):
        parser = add(actions, name, change, what)
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
