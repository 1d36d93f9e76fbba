"""nginx's own count of the requests that a load made, to compare three counts (docs/checks.md, accounting)."""

from ngxlab_worker.collectors import ParseError, Sampler, StubStatus, read_status


class RequestAccounting:
    """Counts from its making, when no generator has started yet."""

    def __init__(self, status_address: tuple[str, int], sampler: Sampler) -> None:
        self._address = status_address
        self._sampler = sampler
        self._polls_before = sampler.polls
        self._own_polls = 0
        status = self._poll()
        self._requests_before = status.requests if status else None
        self._own_polls = 0  # what was read includes that poll
        self.own_calls = 0
        """Requests that perturbations of ours made to this nginx since then."""

    def requests(self) -> int | None:
        """Requests so far less our own; ``None`` where nginx did not answer. Includes those that nginx served
        and a generator did not wait for: one a connection at most."""
        status = self._poll()
        if status is None or self._requests_before is None:
            return None
        own = self._sampler.polls - self._polls_before + self._own_polls + self.own_calls
        return status.requests - self._requests_before - own

    def _poll(self) -> StubStatus | None:
        self._own_polls += 1
        try:
            return read_status(self._address)
        except (OSError, ParseError):
            return None
