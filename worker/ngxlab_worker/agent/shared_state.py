"""A page of memory that the agent's main process shares with the process that runs trials, forked from it."""

import mmap
import struct
from uuid import UUID

from ngxlab_worker.core.clock import HostClock, Offset

_VERSION = struct.Struct("<Q")
_OFFSET = struct.Struct("<qq")
_OFFSET_AT = _VERSION.size
_TRIAL_AT = _OFFSET_AT + _OFFSET.size
_STOPPING_AT = _TRIAL_AT + 16
_COLLECT_AT = _STOPPING_AT + 1
_NO_TRIAL = bytes(16)


class SharedState:
    """Each field has one writer: the heartbeat (offset, collecting), the trial's process (active trial), or shutdown
    (stopping)."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, mmap.PAGESIZE)

    def set_offset(self, offset: Offset) -> None:
        version = _VERSION.unpack_from(self._page)[0]
        # Odd while writing, so that no reader combines half of the old offset with half of the new one.
        _VERSION.pack_into(self._page, 0, version + 1)
        _OFFSET.pack_into(self._page, _OFFSET_AT, offset.backend_minus_monotonic_us, offset.rtt_us)
        _VERSION.pack_into(self._page, 0, version + 2)

    def offset(self) -> Offset | None:
        """``None`` before the first exchange with the backend."""
        while True:
            version = _VERSION.unpack_from(self._page)[0]
            known = Offset(*_OFFSET.unpack_from(self._page, _OFFSET_AT))
            if version % 2 == 0 and _VERSION.unpack_from(self._page)[0] == version:
                return known if version else None

    def offset_us(self, clock: HostClock) -> int:
        """Backend's clock minus ``clock``; 0 while that is unknown."""
        known = self.offset()
        return known.against(clock) if known else 0

    def set_active_trial(self, trial_id: UUID | None) -> None:
        self._page[_TRIAL_AT : _TRIAL_AT + 16] = trial_id.bytes if trial_id else _NO_TRIAL

    def active_trial(self) -> UUID | None:
        content = self._page[_TRIAL_AT : _TRIAL_AT + 16]
        return None if content == _NO_TRIAL else UUID(bytes=content)

    def set_collect_s(self, seconds: float) -> None:
        """For how long readings may be collected before they are sent; whole seconds, in one byte."""
        self._page[_COLLECT_AT] = min(int(seconds), 255)

    def collect_s(self) -> int:
        return self._page[_COLLECT_AT]

    def stop(self) -> None:
        """Tell a running trial to end: the agent is shutting down."""
        self._page[_STOPPING_AT] = 1

    def stopping(self) -> bool:
        return bool(self._page[_STOPPING_AT])
