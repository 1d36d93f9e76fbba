"""Whose profiles a report reads for its whys, and when it waits for them."""

import asyncio
from collections.abc import Collection
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from analysis.run_results import analyse
from ngxlab.analysis.schemas import RunAnalysis, Why
from ngxlab.analysis.why import Measured
from ngxlab.core.jobs.waiting import StillWorking
from ngxlab.definition.schema.clients import StreamClient
from ngxlab.definition.schema.definition import Definition
from ngxlab.profiles import service as profiles
from ngxlab.reports.service import _whys, waits_elsewhere
from ngxlab.templates.registry import template


def run(**means: float) -> RunAnalysis:
    noise = np.exp(0.005 * np.random.default_rng(3).standard_normal((3, 6)))
    rates = {arm: (mean * of_arm).tolist() for (arm, mean), of_arm in zip(means.items(), noise, strict=False)}
    return analyse(rates, primary=("requests_per_s",))


def defined(key: str) -> Definition:
    return template(key).build(template(key).complete({}))


def looked_at(analysis: RunAnalysis, *, is_kept: bool = False) -> list[Why]:
    return asyncio.run(_whys(Mock(), Mock(), analysis, defined("thread-pools"), is_kept=is_kept))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The arms whose profiles were read, and which together."""
    found: list[set[str]] = []

    async def measured(_session: Any, _run: Any, arms: Collection[str]) -> dict[str, Measured]:
        found.append(set(arms))
        return {}

    monkeypatch.setattr(profiles, "measured", measured)
    return found


def test_no_profile_is_read_where_nothing_is_decided(read: list[set[str]]) -> None:
    assert looked_at(run(on=100.0, off=100.0)) == []
    assert read == []


def test_profiles_of_one_arm_after_the_other_are_read(read: list[set[str]]) -> None:
    whys = looked_at(run(on=100.0, off=50.0, rp=200.0))
    assert sorted(one.arm for one in whys) == ["off", "rp"]
    assert read == [{"on"}, *({one.arm} for one in whys)]


def test_what_is_kept_waits_for_profiles_and_a_look_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    async def measured(*_: Any) -> dict[str, Measured]:
        raise StillWorking("This is still being worked out.")

    monkeypatch.setattr(profiles, "measured", measured)
    decided = run(on=100.0, off=50.0)
    assert looked_at(decided) == []
    with pytest.raises(StillWorking):
        looked_at(decided, is_kept=True)


def test_a_proxy_or_a_slow_client_lets_requests_wait_for_something_else_than_their_worker() -> None:
    files = defined("thread-pools")
    assert not waits_elsewhere(files)
    assert waits_elsewhere(defined("request-buffering"))
    slow = files.streams[0].model_copy(update={"client": StreamClient(read_bytes_per_s=1000)})
    assert waits_elsewhere(files.model_copy(update={"streams": [*files.streams, slow]}))
