"""The inventory of this host, and of a host that reveals nothing."""

import os
import platform
import resource
from pathlib import Path

import pytest
from ngxlab_contracts.hosts import Capability, Inventory
from ngxlab_worker.inventory import capabilities, gather, hardware
from ngxlab_worker.inventory.hardware import fingerprint, limits

ISOLATION = Capability(name="isolation", available=True, detail="bwrap works")
EVERY_CAPABILITY = {
    "isolation", "nginx", "wrk", "wrk-memory", "drop-privileges", "process-io", "psi", "cpufreq", "conntrack", "nofile",
    "ktls", "throttled-disk", "native-engines", "http2-load", "http3-load", "hybrid-tls", "profile",
}  # fmt: skip


def test_this_host() -> None:
    inventory = gather("1.2.3", [ISOLATION])
    assert inventory.agent_version == "1.2.3"
    assert inventory.kernel == platform.release()
    assert len(inventory.boot_id) == 36
    assert inventory.cpu.logical == os.cpu_count()
    assert inventory.memory_bytes > 2**28
    assert any("127.0.0.1" in nic.addresses for nic in inventory.nics)
    assert inventory.limits["nofile_hard"] == str(resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    assert inventory.wrk is not None
    assert inventory.nginx
    assert {entry.name for entry in inventory.capabilities} == EVERY_CAPABILITY
    assert all(entry.detail for entry in inventory.capabilities)
    assert ISOLATION in inventory.capabilities


def test_it_travels_and_does_not_change_by_itself() -> None:
    inventory = gather("1.2.3", [ISOLATION])
    assert Inventory.model_validate_json(inventory.model_dump_json()) == inventory
    assert gather("1.2.3", [ISOLATION]) == inventory


def test_a_host_without_nginx_and_wrk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("ngxlab_worker.inventory.nginx._USUAL", ())
    inventory = gather("1.2.3", [ISOLATION], ["/nowhere/nginx"])
    assert (inventory.nginx, inventory.wrk) == ([], None)
    details = {entry.name: entry.detail for entry in inventory.capabilities if not entry.available}
    assert details["nginx"] == "/nowhere/nginx refused: no such file"
    assert details["wrk"] == "no wrk on PATH: install the package wrk"


def test_a_host_that_tells_nothing(tmp_path: Path) -> None:
    assert limits(tmp_path)["somaxconn"] == "unavailable: No such file or directory"
    assert set(fingerprint(tmp_path, tmp_path).values()) == {"unavailable: No such file or directory"}
    cpu = hardware.cpu(tmp_path / "cpuinfo", tmp_path)
    assert (cpu.model, cpu.mhz, cpu.governor) == (platform.machine(), None, None)


def test_settings_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "net/core/somaxconn").mkdir(parents=True)
    assert limits(tmp_path)["somaxconn"] == "unavailable: Is a directory"


def test_of_a_choice_only_what_is_chosen(tmp_path: Path) -> None:
    enabled = tmp_path / "kernel/mm/transparent_hugepage/enabled"
    enabled.parent.mkdir(parents=True)
    enabled.write_text("always [madvise] never\n")
    assert fingerprint(tmp_path, tmp_path)["transparent_hugepage"] == "madvise"


def test_cpu_with_frequencies(tmp_path: Path) -> None:
    for number, governor in enumerate(("powersave", "performance", "powersave")):
        folder = tmp_path / f"devices/system/cpu/cpu{number}/cpufreq"
        folder.mkdir(parents=True)
        (folder / "scaling_governor").write_text(f"{governor}\n")
        (folder / "cpuinfo_max_freq").write_text("3600000\n")
    cpu = hardware.cpu(tmp_path / "cpuinfo", tmp_path)
    assert (cpu.mhz, cpu.governor) == (3600.0, "performance,powersave")


@pytest.mark.parametrize(("governor", "available"), [(None, False), ("powersave", True), ("performance", True)])
def test_cpufreq(governor: str | None, *, available: bool) -> None:
    capability = capabilities.cpufreq(governor)
    assert capability.available is available
    assert ("set it to performance" in capability.detail) is (governor == "powersave")
