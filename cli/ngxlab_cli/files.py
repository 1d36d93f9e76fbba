"""Runs as files: ``ngxlab export RUN --format`` and ``ngxlab import``."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ngxlab_cli import documents
from ngxlab_cli.access import find_access
from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import Exit, UsageError

_TO_STANDARD_OUTPUT = Path("-")


def export_run(arguments: argparse.Namespace) -> Exit:
    """Write a run to a file. What breaks off leaves no file behind."""
    target = _Target(arguments.output)
    with LabClient(find_access(arguments.url, arguments.token)) as client, target.kept():
        client.export_run(arguments.subject, arguments.format, target.open)
    if arguments.json:
        sys.stdout.write(json.dumps({"exit_code": 0, "file": str(target.path)}) + "\n")
    elif target.path != _TO_STANDARD_OUTPUT:
        sys.stdout.write(f"{target.path}\n")
    return Exit.OK


def import_run(arguments: argparse.Namespace) -> Exit:
    """Send an archive, and say where its report is."""
    try:
        archive = arguments.file.open("rb")
    except OSError as error:
        raise UsageError(f"cannot read {arguments.file}: {error.strerror}") from error
    with archive, LabClient(find_access(arguments.url, arguments.token)) as client:
        run = client.import_run(archive)
        if arguments.json:
            sys.stdout.write(json.dumps(documents.run(client, run), indent=2, ensure_ascii=False) + "\n")
        else:
            sys.stdout.write(f"{run.experiment_name}, run {run.number}: {client.report_page(run.id)}\n")
    return Exit.OK


class _Target:
    """The place of a file that is written under another name first, so that only a whole one has its own."""

    def __init__(self, chosen: Path | None) -> None:
        self.path = chosen or Path()
        self._is_chosen = chosen is not None
        self._part: Path | None = None

    def open(self, name: str) -> BinaryIO:
        if not self._is_chosen:
            self.path = Path(name)
        if self.path == _TO_STANDARD_OUTPUT:
            return sys.stdout.buffer
        self._part = self.path.with_name(f".{self.path.name}.part")
        try:
            return self._part.open("wb")
        except OSError as error:
            raise UsageError(f"cannot write {self.path}: {error.strerror}") from error

    @contextmanager
    def kept(self) -> Iterator[None]:
        try:
            yield
            if self._part is not None:
                self._part.replace(self.path)
        finally:
            if self._part is not None:
                self._part.unlink(missing_ok=True)
