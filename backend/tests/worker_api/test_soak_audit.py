"""The soak test's audit finds what is missing, doubled or out of order in the stored batches of a trial."""

import asyncio

import pytest
from harness import Backend
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from scripts.soak import audit


@pytest.fixture
def trial_id(backend: Backend) -> str:
    """A trial of six batches: events in the first and the last, readings in the others."""
    agent, _, trial_id = backend.measuring()
    agent.end(trial_id)
    return trial_id


def complaints(backend: Backend, trial_id: str) -> list[str]:
    url = backend.settings.database_url.get_secret_value().replace("+asyncpg", "")
    return asyncio.run(audit.of_data(url, [trial_id]))


def test_a_whole_trial_is_sound(backend: Backend, trial_id: str) -> None:
    assert complaints(backend, trial_id) == []


_LAST = "trial_id = :id AND t_us = (SELECT max(t_us) FROM frame WHERE trial_id = :id)"
_AGAIN = (
    "INSERT INTO trial_event (trial_id, host_id, t_us, event, live_seq) SELECT trial_id, host_id, t_us, event, live_seq"
    " {} FROM trial_event WHERE trial_id = :id AND event->>'phase' = 'warmup'"
)
DAMAGES = {
    "rows are of 5": "DELETE FROM frame WHERE trial_id = :id AND values[8] = 2",
    "rows are of 7": _AGAIN.format("- 1000"),
    "1 phases are stored twice": _AGAIN.format(""),
    "1 rows after its end": f"UPDATE frame SET live_seq = live_seq + 1000 WHERE {_LAST}",
    "1 readings out of order": f"UPDATE frame SET t_us = t_us - 1500000 WHERE {_LAST}",
    "1 frames are stored twice": f"UPDATE frame SET t_us = t_us - 1000000 WHERE {_LAST}",
}
"""What the audit must say, and what somebody did to the data."""


@pytest.mark.parametrize(("found", "damage"), DAMAGES.items(), ids=DAMAGES.keys())
def test_what_is_wrong_is_found(backend: Backend, trial_id: str, found: str, damage: str) -> None:
    async def damaged(session: AsyncSession) -> None:
        await session.execute(text(damage), {"id": trial_id})

    backend.operator(damaged)
    said = complaints(backend, trial_id)
    assert any(found in complaint for complaint in said), said
