"""What the engines together report of a host."""

import ssl
from pathlib import Path

import pytest
from ngxlab_contracts import engines
from ngxlab_contracts.engines import CAPABILITY_FOR, CAPABILITY_FOR_HYBRID, NATIVE_ENGINES
from ngxlab_worker.engines import engines_inventory
from ngxlab_worker.engines.native import find_program
from ngxlab_worker.engines.open_loop import OpenLoopEngine
from ngxlab_worker.engines.registry import ENGINES


def test_every_described_engine_can_run() -> None:
    assert ENGINES.keys() == engines.ENGINES.keys()


def test_engines_that_share_a_capability_have_one_entry() -> None:
    inventory = engines_inventory()
    names = [entry.name for entry in inventory.capabilities]
    spoken = [CAPABILITY_FOR["http/2"], CAPABILITY_FOR["http/3"]]
    assert names == ["wrk", "wrk-memory", NATIVE_ENGINES, *spoken, CAPABILITY_FOR_HYBRID]
    native, http2, http3, hybrid = inventory.capabilities[-4:]
    assert native.available
    assert "ngxlab-openloop" in native.detail
    assert "ngxlab-hold" in native.detail
    assert (http2.available, http2.detail) == (True, "libnghttp2, priorities off, windows of 1 GiB")
    assert http3.available or "HTTP/3: it needs libngtcp2" in http3.detail
    new = ssl.OPENSSL_VERSION_INFO >= (3, 5)  # of the same library as the program's
    assert hybrid.available == new
    assert new or hybrid.detail.endswith("lacks X25519MLKEM768")


def test_a_host_where_the_engines_were_not_built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    for missing in engines_inventory().capabilities[-4:]:
        assert not missing.available
        assert "ngxlab-openloop is not built on this host" in missing.detail


def test_a_host_without_the_library_of_http2(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the loader does not find is said, and the other capability stays."""
    program, empty = find_program("ngxlab-openloop"), tmp_path / "empty.so"
    empty.touch()  # an empty file of its name stands before the real one
    empty.rename(tmp_path / "libnghttp2.so.14")
    wrapper = tmp_path / "bin" / program.name
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={tmp_path} exec {program} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    native, http2, *_ = OpenLoopEngine().inventory().capabilities
    assert native.available
    assert not http2.available
    assert "libnghttp2-14" in http2.detail
