"""What the engines together report of a host."""

from pathlib import Path

import pytest
from ngxlab_contracts import engines
from ngxlab_contracts.engines import NATIVE_ENGINES
from ngxlab_worker.engines import engines_inventory
from ngxlab_worker.engines.registry import ENGINES


def test_every_described_engine_can_run() -> None:
    assert ENGINES.keys() == engines.ENGINES.keys()


def test_engines_that_share_a_capability_have_one_entry() -> None:
    inventory = engines_inventory()
    assert [entry.name for entry in inventory.capabilities] == ["wrk", "wrk-memory", NATIVE_ENGINES]
    native = inventory.capabilities[-1]
    assert native.available
    assert "ngxlab-openloop" in native.detail
    assert "ngxlab-hold" in native.detail


def test_a_host_where_the_engines_were_not_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    native = engines_inventory().capabilities[-1]
    assert not native.available
    assert "ngxlab-openloop is not built on this host" in native.detail
