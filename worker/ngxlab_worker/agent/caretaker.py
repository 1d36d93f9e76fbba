"""Uploads what trials left in the spool, and removes their folders and processes.

A trial uploads its own data. What is still on disk afterwards (the backend could not be reached, or the trial's
process was killed) is uploaded from the agent's main process; a trial that never reported its end is ended here.
"""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import structlog
from ngxlab_contracts.telemetry import Batch, TrialEnd

from ngxlab_worker.agent.shared_state import SharedState
from ngxlab_worker.core.clock import HostClock, monotonic_us
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.sandbox.process import end_processes
from ngxlab_worker.storage import StorageError, release
from ngxlab_worker.trial.folder import remove_folder
from ngxlab_worker.uplink.api_client import AgentClient, ApiRefusedError, ApiUnavailableError
from ngxlab_worker.uplink.spool import Spool, SpoolBusyError
from ngxlab_worker.uplink.uploader import is_unwanted, send_oldest

REFUSED_PAUSE_S = 30.0

REASON = "the agent's process ended during this trial"
STALLED = "the agent stood still during this trial"

log = structlog.get_logger(__name__)


class Caretaker:
    """Call :meth:`round` every few seconds. A long upload ends early once ``stopping`` is true."""

    def __init__(
        self, settings: AgentSettings, client: AgentClient, shared: SharedState, stopping: Callable[[], bool]
    ) -> None:
        self._settings = settings
        self._client = client
        self._shared = shared
        self._stopping = stopping
        self._refused_until_us: dict[UUID, int] = {}

    def round(self) -> None:
        """Remove and upload whatever belongs to no running trial. One trial's error keeps no other waiting."""
        reap(self._settings.trials_root, self._shared.active_trial)
        for trial_id in Spool.trials(self._settings.spool_root):
            due = monotonic_us() >= self._refused_until_us.get(trial_id, 0)
            if due and trial_id != self._shared.active_trial():
                try:
                    self._settle(trial_id)
                except OSError as error:
                    log.error("cannot settle a trial's data", trial=str(trial_id), error=str(error))
                except Exception:
                    log.exception("cannot settle a trial's data", trial=str(trial_id))

    def _settle(self, trial_id: UUID) -> None:
        try:
            spool = Spool(self._settings.spool_root, trial_id)
        except SpoolBusyError:
            return
        try:
            if self._upload_all(spool):
                spool.remove()
                self._refused_until_us.pop(trial_id, None)
        except ApiUnavailableError:
            pass  # the next round tries again
        except ApiRefusedError as error:
            # In the end the backend gives the trial up, and the data may be deleted, or it accepts the data again.
            self._refused_until_us[trial_id] = monotonic_us() + round(REFUSED_PAUSE_S * 1e6)
            log.error("the backend refused a trial's data; trying again later", trial=str(trial_id), error=str(error))
        finally:
            spool.close()

    def _upload_all(self, spool: Spool) -> bool:
        """True where the spool may be deleted. Raises ``ApiError``."""
        try:
            damaged = spool.drop_damaged()
            if not spool.ended:
                if self._client.control(spool.trial_id).command == "discard":
                    return True
                if not self._caught_up(spool):
                    return False
                self._append_end(spool, damaged=damaged)
            self._send_all(spool)
        except ApiRefusedError as error:
            if is_unwanted(self._client, spool, error):
                return True
            raise
        return spool.finished

    def _caught_up(self, spool: Spool) -> bool:
        """Send what there is, an empty batch at least, so that the receipt tells how far the backend is.

        After a power cut it may have stored more than the spool remembers. It would take an end with a number that it
        knows for a repetition. Raises ``ApiError``.
        """
        if spool.oldest() is None:
            spool.append(Batch(seq=spool.next_seq, clock_offset_us=self._shared.offset_us(HostClock.anchored_now())))
        self._send_all(spool)
        return spool.oldest() is None

    def _send_all(self, spool: Spool) -> None:
        while spool.oldest() is not None and not self._stopping():
            send_oldest(self._client, spool)

    def _append_end(self, spool: Spool, *, damaged: bool) -> None:
        clock = HostClock.anchored_now()
        code, reason = _cause(spool)
        reason = f"{reason}, and its last data was damaged" if damaged else reason
        end = TrialEnd(t_us=clock.now_us(), outcome="failed", code=code, reason=reason)
        spool.append(Batch(seq=spool.next_seq, clock_offset_us=self._shared.offset_us(clock), events=[end]))
        log.warning("ended a trial that had not reported its end", trial=str(spool.trial_id))


def _cause(spool: Spool) -> tuple[str, str]:
    """Code and reason of the end of a trial that did not report one itself."""
    try:
        return "agent-stalled", spool.stall_report.read_text() or STALLED
    except FileNotFoundError:
        return "agent-restarted", REASON


def reap(trials_root: Path, active: Callable[[], UUID | None] = lambda: None) -> None:
    """End and remove what earlier instances of the agent left: processes, devices and folders of every trial under
    ``trials_root`` but the one that is ``active``. Normally there is nothing: the kernel or the guardian has ended the
    processes together with the agent.

    ``active`` is called after the folders are listed. A trial becomes active before it has a folder, so one that begins
    meanwhile is never taken for a leftover. What cannot be removed is logged and tried again the next time.
    """
    folders = list(trials_root.glob("*"))
    spared = active()
    for folder in folders:
        if folder.name == str(spared):
            continue
        try:
            end_processes(folder)
            release(folder)
            remove_folder(folder)
        except (OSError, StorageError) as error:
            log.error("cannot remove what an earlier agent left", folder=str(folder), error=str(error))
        except Exception:
            log.exception("cannot remove what an earlier agent left", folder=str(folder))
        else:
            log.info("removed what an earlier agent left", folder=str(folder))
