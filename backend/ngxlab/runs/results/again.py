"""Trials for another window, from records that this process or the second one has at hand."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from ngxlab.analysis.records.stream_spans import Span
from ngxlab.runs.models import Trial
from ngxlab.runs.results import one_trial
from ngxlab.runs.results.one_trial import Result
from ngxlab.runs.results.records_at_hand import key_of
from ngxlab.runs.results.second_processor import second_processor
from ngxlab.runs.windows.current import Windows


async def again(trials: Sequence[Trial], chosen: Windows) -> dict[UUID, Result]:
    """Both processes at once: each first its own, then what the other has not begun. What fails in the second process
    is computed here; what none has at hand, or what fails, is left out."""
    keyed = [(trial.id, key) for trial in trials if (key := key_of(trial)) is not None]
    beside = [one for one in keyed if second_processor.has(one[1])]
    here = [one for one in keyed if one not in beside]
    found: dict[UUID, Result | None] = {}

    async def compute_here() -> None:
        while left := here or beside:
            trial_id, key = left.pop(0)
            found[trial_id] = await _here(key, chosen.of(trial_id))

    async def compute_beside() -> None:
        while second_processor.is_ready and (left := beside or here):
            trial_id, key = left.pop()
            window = chosen.of(trial_id)
            found[trial_id] = await _beside(key, window) or await _here(key, window)

    await asyncio.gather(compute_here(), compute_beside())
    return {trial_id: result for trial_id, result in found.items() if result is not None}


async def _here(key: str, window: Span | None) -> Result | None:
    if one_trial.at_hand.get(key) is None:
        return await second_processor.again(key, window, None) if second_processor.has(key) else None
    try:
        return await asyncio.to_thread(one_trial.again, key, window)
    except Exception:  # noqa: BLE001  (it is read again then, and what is wrong with it is named)
        return None


async def _beside(key: str, window: Span | None) -> Result | None:
    has = second_processor.has(key)
    record = None if has else one_trial.at_hand.get(key)
    return await second_processor.again(key, window, record) if has or record is not None else None
