"""The run that an argument means: by its id, by its number as ``#3``, or the newest as ``latest``."""

import argparse
import re
from uuid import UUID

from ngxlab_cli.client import LabClient
from ngxlab_cli.documents import Command, Shown
from ngxlab_cli.errors import UsageError
from ngxlab_cli.models import RunPage

LATEST = "latest"
A_RUN = "its id, latest for the newest, or '#3' for the only one of this number"
_NUMBER = re.compile(r"#\d+")


def run_name(text: str) -> UUID | str:
    """For argparse. Raises ``ArgumentTypeError``."""
    if text == LATEST or _NUMBER.fullmatch(text):
        return text
    try:
        return UUID(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no id of a run, no number such as '#3', and not latest"
        ) from error


def run_of(text: str) -> UUID | str:
    """As :func:`run_name`. Raises ``UsageError``."""
    try:
        return run_name(text)
    except argparse.ArgumentTypeError as error:
        raise UsageError(str(error)) from error


def of_run(command: Command) -> Command:
    """``command`` with the id of the run that its arguments name."""

    def named(client: LabClient, arguments: argparse.Namespace) -> Shown:
        arguments.run = run_id(client, arguments.run)
        return command(client, arguments)

    return named


def run_id(client: LabClient, name: UUID | str) -> UUID:
    """Raises ``UsageError`` where no run, or several, are called so; ``ClientError``."""
    if isinstance(name, UUID):
        return name
    wanted = {} if name == LATEST else {"search": name}
    found = client.call("GET", "/runs", RunPage, params={"limit": 1, **wanted})
    if not found.items:
        raise UsageError("there is no run yet" if name == LATEST else f"no run has the number {name}")
    if name != LATEST and found.total > 1:
        raise UsageError(f"{found.total} runs have the number {name}: give an id, as `ngxlab runs` shows it")
    return found.items[0].id
