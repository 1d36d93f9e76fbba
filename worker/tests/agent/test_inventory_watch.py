"""When the agent notices that its host has changed."""

from uuid import uuid4

import pytest
from ngxlab_contracts.hosts import Capability, HostCaps, Inventory
from ngxlab_worker.agent.caps import CapsError
from ngxlab_worker.agent.shared_state import SharedState
from ngxlab_worker.agent.this_host import InventoryWatch
from ngxlab_worker.inventory import gather


class Host:
    """Answers with ``inventory``, or fails with ``error``."""

    def __init__(self) -> None:
        self.inventory = gather("1", [Capability(name="isolation", available=True, detail="works")])
        self.error: Exception | None = None
        self.looks = 0
        self.told: list[Inventory] = []
        self.shared = SharedState()
        self.watch = InventoryWatch(self.inventory, self.describe, self.told.append, self.shared)

    def describe(self) -> Inventory:
        self.looks += 1
        if self.error is not None:
            raise self.error
        return self.inventory

    def change(self) -> Inventory:
        self.inventory = self.inventory.model_copy(update={"caps": HostCaps(max_connections=self.looks)})
        return self.inventory


@pytest.fixture
def host() -> Host:
    return Host()


def test_it_looks_when_asked_and_then_not_for_a_minute(host: Host) -> None:
    host.watch.round()
    assert host.looks == 0
    host.watch.look_now()
    host.watch.round()
    host.watch.round()
    assert (host.looks, host.told) == (1, [])


def test_it_looks_every_minute(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    now_us = 10**12
    monkeypatch.setattr("ngxlab_worker.agent.this_host.monotonic_us", lambda: now_us)
    host.watch.look_now()
    for seconds, looks in ((0, 1), (59, 1), (60, 2), (61, 2), (120, 3)):
        now_us = 10**12 + seconds * 1_000_000
        host.watch.round()
        assert host.looks == looks


def test_a_change_is_told_once(host: Host) -> None:
    changed = host.change()
    for _ in range(2):
        host.watch.look_now()
        host.watch.round()
    assert host.told == [changed]


def test_never_inside_a_trial(host: Host) -> None:
    changed = host.change()
    host.shared.set_active_trial(uuid4())
    host.watch.look_now()
    host.watch.round()
    assert host.looks == 0
    host.shared.set_active_trial(None)
    host.watch.round()
    assert host.told == [changed]


def test_a_broken_file_changes_nothing_until_it_is_fixed(host: Host) -> None:
    changed = host.change()
    host.error = CapsError("line 1")
    host.watch.look_now()
    host.watch.round()
    assert host.told == []
    host.error = None
    host.watch.look_now()
    host.watch.round()
    assert host.told == [changed]
