"""What a trial reports, kept on disk until the backend has stored it.

Each trial has a folder and each batch a file, which is written under another name and renamed: a batch is complete or
absent. The last one that the backend has stored is renamed once more, to mark how far it is, and those before it are
deleted. So a full disk can be drained, and there is no file whose content a power cut could spoil but the batches.

There is no fsync: a killed process loses nothing that it gave to the kernel, a machine that loses power loses its
trial anyway, and waiting for the disk each second would disturb the measurement. A power cut may therefore damage the
last batches, which :meth:`Spool.drop_damaged` drops with all after them, and bring back an earlier state of the
folder. The backend knows better then: its receipts carry the spool forward (:meth:`Spool.acknowledge`).

The backend accepts each sequence number once, so it does no harm to send a batch again after a lost answer.
"""

import fcntl
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from ngxlab_contracts.telemetry import Batch, TrialEnd
from pydantic import ValidationError

_RESERVED_BYTES = 64 << 10
"""For the trial's end, so that it can be told where others have filled the disk."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BATCH = re.compile(r"(\d{8})(\.end)?\.json")
_STORED = re.compile(r"(\d{8})(\.end)?\.stored")


class SpoolBusyError(Exception):
    """Another process has this trial's spool open."""


class Spool:
    """The batches of one trial. It locks the folder, so it is the trial's only writer and uploader.

    One thread may append while another acknowledges. The folder is listed once: a backlog has thousands of files.
    """

    def __init__(self, root: Path, trial_id: UUID) -> None:
        """Open the spool or create it. Raises ``SpoolBusyError`` while another process has it open."""
        self.trial_id = trial_id
        self._folder = root / str(trial_id)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise SpoolBusyError(str(trial_id)) from None
        self._reserve = self._folder / "reserve"
        batches, stored = self._named(_BATCH), self._named(_STORED)
        self._batches, self._marks = batches, stored
        if not batches and not stored:
            with suppress(OSError):
                self._reserve.write_bytes(bytes(_RESERVED_BYTES))
        # Batches are deleted in order, so whatever came before the first one that is left was stored.
        self._acked = max([*stored, min(batches, default=1) - 1])
        self._last = max([*batches, self._acked])
        self.ended = any(map(_ends, [*batches.values(), *stored.values()]))

    @staticmethod
    def trials(root: Path) -> list[UUID]:
        """Trials with a spool under ``root``, in use or not. Whatever else lies there is left alone."""
        return [UUID(path.name) for path in root.glob("[!.]*") if _UUID.fullmatch(path.name) and path.is_dir()]

    @staticmethod
    def exists(root: Path, trial_id: UUID) -> bool:
        return (root / str(trial_id)).is_dir()

    @property
    def stall_report(self) -> Path:
        """Says what happened where the trial's process was ended because it stood still (``sandbox.lifeline``)."""
        return self._folder / "stalled.txt"

    @property
    def next_seq(self) -> int:
        return self._last + 1

    def append(self, batch: Batch) -> None:
        """Store ``batch``, whose ``seq`` must be :attr:`next_seq`. Raises ``OSError``, e.g. where the disk is full."""
        if batch.seq != self.next_seq:
            raise ValueError(f"batch {batch.seq} is out of order: {self.next_seq} is next")
        ends = any(isinstance(event, TrialEnd) for event in batch.events)
        temporary = self._folder / "batch.part"
        if ends:
            self._reserve.unlink(missing_ok=True)
        try:
            temporary.write_text(batch.model_dump_json())
        except OSError:
            temporary.unlink(missing_ok=True)  # half a batch must not keep the space
            raise
        whole = self._folder / f"{batch.seq:08d}{'.end' if ends else ''}.json"
        temporary.rename(whole)
        self._batches[batch.seq] = whole
        self._last = batch.seq
        self.ended = self.ended or ends

    def pending(self) -> list[int]:
        return sorted(seq for seq in list(self._batches) if seq > self._acked)

    def oldest(self) -> int | None:
        """The first of :meth:`pending`."""
        return next((seq for seq in range(self._acked + 1, self._last + 1) if seq in self._batches), None)

    def read(self, seq: int) -> bytes:
        return self._batches[seq].read_bytes()

    def acknowledge(self, seq: int) -> None:
        """The backend has stored everything up to ``seq``, even what this spool knows nothing of."""
        if seq <= self._acked:
            return
        sent = sorted(number for number in list(self._batches) if number <= seq)
        marks = dict(self._marks)
        for number in sent[-1:]:
            path = self._batches[number]
            self._marks[number] = path.rename(path.with_suffix(".stored"))
            del self._batches[number]
        if sent[-1:] != [seq]:
            self._marks[seq] = self._folder / f"{seq:08d}.stored"
            self._marks[seq].touch()
        self._acked, self._last = seq, max(self._last, seq)
        needless = [*(self._batches.pop(n) for n in sent[:-1]), *(self._marks.pop(n) for n in marks)]
        for path in needless:
            path.unlink(missing_ok=True)

    @property
    def finished(self) -> bool:
        return self.ended and self.oldest() is None

    def drop_damaged(self) -> bool:
        """Drop damaged batches and all that follow them; true where any was dropped."""
        sound = self._acked
        for seq in self.pending():
            if seq != sound + 1 or not _is_batch(self._batches[seq], seq):
                break
            sound = seq
        damaged = [seq for seq in self._batches if seq > sound]
        for seq in damaged:
            self._batches.pop(seq).unlink()
        self._last = sound
        self.ended = any(map(_ends, [*self._batches.values(), *self._marks.values()]))
        return bool(damaged)

    def remove(self) -> None:
        """Delete the spool, atomically for other processes, and unlock it."""
        grave = self._folder.with_name(f".{self._folder.name}.removed")
        self._folder.rename(grave)
        shutil.rmtree(grave)
        self.close()

    def close(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _named(self, pattern: re.Pattern[str]) -> dict[int, Path]:
        matches = ((path, pattern.fullmatch(path.name)) for path in self._folder.iterdir())
        return {int(match[1]): path for path, match in matches if match}


def _ends(path: Path) -> bool:
    return ".end." in path.name


def _is_batch(path: Path, seq: int) -> bool:
    try:
        return Batch.model_validate_json(path.read_bytes()).seq == seq
    except ValidationError:
        return False
