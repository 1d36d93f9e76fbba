"""Looks, while a trial runs, whether it has hit one of the owner's caps, and ends it there and then."""

import threading
from collections.abc import Callable
from types import TracebackType

import structlog

from ngxlab_worker.confinement.confinement import Confinement

log = structlog.get_logger(__name__)


class CapWatch:
    """A context manager. ``tell`` is called once, from another thread, with the cap in words, before the children are
    killed."""

    def __init__(self, confinement: Confinement, tell: Callable[[str], None]) -> None:
        self._confinement = confinement
        self._tell = tell
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="caps", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(self._confinement.pause_s()):
            try:
                if reason := self._confinement.exceeded():
                    self._tell(reason)
                    self._confinement.kill()
                    return
            except Exception:  # a cap that is not looked at binds nobody
                log.exception("caps could not be looked at; trying again")
