"""Commands that other installed packages add to ``ngxlab``: today ``ngxlab host``, which the worker brings.

A package adds a command with an entry point of the group ``ngxlab.commands``. It names a function that takes the
subparsers of ``ngxlab``, adds its parser, and sets ``perform`` to a function from the arguments to an exit code.
"""

import argparse
from importlib.metadata import entry_points
from typing import Any, Protocol

from ngxlab_cli.errors import Exit, UsageError

GROUP = "ngxlab.commands"


class Subparsers(Protocol):
    """The part of argparse's subparsers that commands use."""

    def add_parser(self, *args: Any, **options: Any) -> argparse.ArgumentParser: ...


def add_installed(parsers: Subparsers) -> None:
    """Add the commands of installed packages. Without the worker, ``host`` explains what is missing."""
    installed = entry_points(group=GROUP)
    for entry_point in installed:
        entry_point.load()(parsers)
    if "host" not in installed.names:
        _explain_host(parsers)


def _explain_host(parsers: Subparsers) -> None:
    host = parsers.add_parser("host", help="make this machine a host (needs the worker package)", add_help=False)
    host.add_argument("words", nargs=argparse.REMAINDER)
    host.set_defaults(perform=_refuse_host)


def _refuse_host(_: argparse.Namespace) -> Exit:
    raise UsageError(
        "`ngxlab host join` needs the worker package on this machine: "
        "`pip install ngxlab-worker`, or in a checkout of ngxlab `make setup`"
    )
