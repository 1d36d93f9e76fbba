"""nginx's own count of a load's requests, which the analysis compares with the generators' counts (docs/checks.md)."""

from ngxlab_worker.collectors import ParseError, Sampler, StubStatus, read_status


class RequestAccounting:
    """Counts from the moment it is created, before any generator has started; nothing without an address."""

    def __init__(self, status_address: tuple[str, int] | None, sampler: Sampler) -> None:
        self._address = status_address
        self._sampler = sampler
        self._polls_before = sampler.polls
        self._own_polls = 0
        status = self._poll()
        self._requests_before = status.requests if status else None
        self._own_polls = 0  # that poll is included in what it read
        self.own_calls = 0
        """Requests that our perturbations have made to this nginx since then."""

    def requests(self) -> int | None:
        """Requests so far, without our own; ``None`` where nginx did not answer.

        They include requests whose answers a generator did not wait for, at most one a connection.
        """
        status = self._poll()
        if status is None or self._requests_before is None:
            return None
        own = self._sampler.polls - self._polls_before + self._own_polls + self.own_calls
        return status.requests - self._requests_before - own

    def _poll(self) -> StubStatus | None:
        if self._address is None:
            return None
        self._own_polls += 1
        try:
            return read_status(self._address)
        except (OSError, ParseError):
            return None
