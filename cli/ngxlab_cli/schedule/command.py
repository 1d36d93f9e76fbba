"""Create, list, pause, resume and remove schedules."""

import argparse
import json
import sys
from collections.abc import Sequence

from ngxlab_cli.access import find_access
from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import Exit
from ngxlab_cli.models import OccurrenceOut, ScheduleOut
from ngxlab_cli.requests import RunCreate, ScheduleCreate, ScheduleUpdate, Timing
from ngxlab_cli.slots import assign, binaries


def add(arguments: argparse.Namespace) -> Exit:
    """Raises UsageError for hosts that are not there; the server judges the rest."""
    with _client(arguments) as client:
        hosts = assign(client.hosts(), arguments.host)
        run = RunCreate(hosts=hosts.by_slot, host_id=hosts.all_others, nginx=binaries(arguments.nginx))
        if arguments.note:
            run = run.model_copy(update={"note": arguments.note})
        body = ScheduleCreate(timing=_timing(arguments), run=run, last_day=arguments.until, most_runs=arguments.runs)
        return _told([client.create_schedule(arguments.experiment, body)], arguments)


def _timing(arguments: argparse.Namespace) -> Timing:
    when = {"time": arguments.at, "zone": arguments.zone}
    if arguments.once is not None:
        return Timing.model_validate({"repeats": "once", "on": arguments.once, **when})
    if arguments.every == "day":
        return Timing.model_validate({"repeats": "daily", **when})
    return Timing.model_construct(repeats="weekly", weekdays=arguments.every.split(","), **when)


def show(arguments: argparse.Namespace) -> Exit:
    with _client(arguments) as client:
        return _told(client.schedules(arguments.experiment), arguments)


def change(arguments: argparse.Namespace) -> Exit:
    """pause, resume and remove."""
    with _client(arguments) as client:
        if arguments.action == "remove":
            client.remove_schedule(arguments.schedule)
            return _told([], arguments)
        body = ScheduleUpdate(paused=arguments.action == "pause")
        return _told([client.update_schedule(arguments.schedule, body)], arguments)


def _client(arguments: argparse.Namespace) -> LabClient:
    return LabClient(find_access(arguments.url, arguments.token))


def _told(schedules: Sequence[ScheduleOut], arguments: argparse.Namespace) -> Exit:
    if arguments.json:
        document = {"exit_code": 0, "schedules": [one.model_dump(mode="json") for one in schedules]}
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.writelines(f"{_text(one)}\n" for one in schedules)
    return Exit.OK


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
