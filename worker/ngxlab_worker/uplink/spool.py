"""What a trial reports, kept on disk until the backend has stored it.

Each trial has a folder and each batch a file, which is written under another name and renamed: a batch is complete or
absent. There is no fsync: a killed process loses nothing that it gave to the kernel, a machine that loses power loses
its trial anyway, and waiting for the disk each second would disturb the measurement. A batch that a power cut damaged
is dropped, with all after it, by :meth:`Spool.drop_damaged`.

The backend accepts each sequence number once, so it does no harm to send a batch again after a lost answer.
"""

import fcntl
import os
import re
import shutil
from pathlib import Path
from uuid import UUID

from ngxlab_contracts.telemetry import Batch, TrialEnd
from pydantic import ValidationError

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BATCH = re.compile(r"(\d{8})(\.end)?\.json")


class SpoolBusyError(Exception):
    """Another process has this trial's spool open."""


class Spool:
    """The batches of one trial. It locks the folder, so it is the trial's only writer and uploader.

    One thread may append while another acknowledges.
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
        self._acked = self._read_acked()
        batches = self._batches()
        self._last = max(batches, default=self._acked)
        self.ended = any(map(_ends, batches.values()))

    @staticmethod
    def trials(root: Path) -> list[UUID]:
        """Trials with a spool under ``root``, in use or not. Whatever else lies there is left alone."""
        return [UUID(path.name) for path in root.glob("[!.]*") if _UUID.fullmatch(path.name) and path.is_dir()]

    @staticmethod
    def exists(root: Path, trial_id: UUID) -> bool:
        return (root / str(trial_id)).is_dir()

    @property
    def next_seq(self) -> int:
        return self._last + 1

    def append(self, batch: Batch) -> None:
        """Store ``batch``, whose ``seq`` must be :attr:`next_seq`. Raises ``OSError``, e.g. where the disk is full."""
        if batch.seq != self.next_seq:
            raise ValueError(f"batch {batch.seq} is out of order: {self.next_seq} is next")
        ends = any(isinstance(event, TrialEnd) for event in batch.events)
        temporary = self._folder / "batch.part"
        temporary.write_text(batch.model_dump_json())
        temporary.rename(self._folder / f"{batch.seq:08d}{'.end' if ends else ''}.json")
        self._last = batch.seq
        self.ended = self.ended or ends

    def pending(self) -> list[int]:
        """Sequence numbers that are not acknowledged yet, ascending."""
        return sorted(seq for seq in self._batches() if seq > self._acked)

    def read(self, seq: int) -> bytes:
        """The batch as JSON."""
        return self._batches()[seq].read_bytes()

    def acknowledge(self, seq: int) -> None:
        """Delete the batches up to ``seq``: the backend has stored them."""
        if seq <= self._acked:
            return
        temporary = self._folder / "acked.part"
        temporary.write_text(str(seq))
        temporary.rename(self._folder / "acked")
        self._acked = seq
        for number, path in self._batches().items():
            if number <= seq and not _ends(path):  # the end stays, so that whoever opens the spool again sees it
                path.unlink(missing_ok=True)

    @property
    def finished(self) -> bool:
        """Whether the backend has stored everything, the trial's end included."""
        return self.ended and not self.pending()

    def drop_damaged(self) -> bool:
        """Drop damaged batches and all that follow them; true where any was dropped."""
        batches, sound = self._batches(), self._acked
        for seq in self.pending():
            if seq != sound + 1 or not _is_batch(batches[seq], seq):
                break
            sound = seq
        damaged = [path for seq, path in batches.items() if seq > sound]
        for path in damaged:
            path.unlink()
        self._last = sound
        self.ended = any(map(_ends, self._batches().values()))
        return bool(damaged)

    def remove(self) -> None:
        """Delete the spool, atomically for other processes, and unlock it."""
        grave = self._folder.with_name(f".{self._folder.name}.removed")
        self._folder.rename(grave)
        shutil.rmtree(grave)
        self.close()

    def close(self) -> None:
        """Unlock the folder, and leave it as it is."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _read_acked(self) -> int:
        try:
            return int((self._folder / "acked").read_text())
        except FileNotFoundError:
            return 0

    def _batches(self) -> dict[int, Path]:
        matches = ((path, _BATCH.fullmatch(path.name)) for path in self._folder.iterdir())
        return {int(match[1]): path for path, match in matches if match}


def _ends(path: Path) -> bool:
    return path.name.endswith(".end.json")


def _is_batch(path: Path, seq: int) -> bool:
    try:
        return Batch.model_validate_json(path.read_bytes()).seq == seq
    except ValidationError:
        return False
