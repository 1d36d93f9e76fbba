"""What is kept in files: experiments as YAML, and runs, which ``ngxlab import`` takes in again."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from ngxlab_cli import documents
from ngxlab_cli.client import FILE_TIMEOUT, LabClient
from ngxlab_cli.documents import Shown
from ngxlab_cli.errors import UsageError
from ngxlab_cli.models import ExperimentDetail, RunDetail
from ngxlab_cli.run_names import run_id

_TO_STANDARD_OUTPUT = Path("-")


def export(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """An experiment as YAML, or a run as a file. What breaks off leaves no file behind."""
    if arguments.format is None:
        if not isinstance(arguments.subject, UUID):
            raise UsageError(f"{arguments.subject} names a run: say with --format what to write of it")
        path = f"/experiments/{arguments.subject}"
        version = arguments.version or client.call("GET", path, ExperimentDetail).version
        text = client.send("GET", f"{path}/versions/{version}.yaml").text
        return Shown({"yaml": text}, text.removesuffix("\n"))
    target = _Target(arguments.output)
    with target.kept():
        client.export_run(run_id(client, arguments.subject), arguments.format, target.open)
    return Shown({"file": str(target.path)}, "" if target.path == _TO_STANDARD_OUTPUT else str(target.path))


def import_run(client: LabClient, arguments: argparse.Namespace) -> Shown:
    """Send an archive, and say where its report is."""
    if len(arguments.files) != 1:
        raise UsageError("give one archive of a run, or with --from the results of another tool")
    (file,) = arguments.files
    try:
        archive = Path(file).open("rb")  # noqa: SIM115 (closed below, where it is sent)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    with archive:
        # Sent as it is read, so that a large archive takes no memory.
        headers = {"Content-Type": "application/zip"}
        run = client.call("POST", "/runs/import", RunDetail, content=archive, headers=headers, timeout=FILE_TIMEOUT)
    words = f"{run.experiment_name}, run {run.number}: {client.report_page(run.id)}"
    return Shown(documents.run(client, run), words)


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
            return os.fdopen(sys.stdout.fileno(), "wb", closefd=False)  # whoever closes it leaves standard output open
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
