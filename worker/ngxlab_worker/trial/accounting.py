"""nginx's own count of the requests that a stream made, for the comparison of three counts (validity check 23)."""

from ngxlab_worker.collectors import ParseError, Sampler, StubStatus, read_status


class RequestAccounting:
    """Counts between :meth:`begin` (before the generator starts) and :meth:`requests` (after it ended)."""

    def __init__(self, status_address: tuple[str, int], sampler: Sampler) -> None:
        self._address = status_address
        self._sampler = sampler
        self._requests_before: int | None = None
        self._polls_before = 0

    def begin(self) -> None:
        status = self._poll()
        self._requests_before = status.requests if status else None
        self._polls_before = self._sampler.polls

    def requests(self) -> int | None:
        """Requests in between less our own polls; ``None`` where nginx did not answer. Includes those that nginx
        served and the generator did not wait for: one a connection at most."""
        status = self._poll()
        if status is None or self._requests_before is None:
            return None
        own = self._sampler.polls - self._polls_before + 1  # the poll that was just made counts itself
        return status.requests - self._requests_before - own

    def _poll(self) -> StubStatus | None:
        try:
            return read_status(self._address)
        except (OSError, ParseError):
            return None
