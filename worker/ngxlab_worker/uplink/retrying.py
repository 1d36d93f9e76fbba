"""When to repeat a request that the backend did not answer."""

import random

FIRST_RETRY_S = 0.1
LONGEST_RETRY_S = 2.0


def retry_delay_s(attempt: int) -> float:
    """Exponential with jitter, so that many agents do not all retry at once."""
    longest = min(LONGEST_RETRY_S, FIRST_RETRY_S * 1.6 ** min(attempt, 20))
    return random.uniform(longest / 2, longest)  # noqa: S311 — spread, not secrecy
