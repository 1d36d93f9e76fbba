"""Parsers of the host's files: on real files, on those of older kernels, and on anything at all."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab_worker.collectors import ParseError, cpu, disk, loadavg, memory, network, pressure, softnet, tcp
from ngxlab_worker.collectors.procfile import PAGE_BYTES, Machine
from ngxlab_worker.collectors.reading import Values
from ngxlab_worker.collectors.sampler import host_collectors

Golden = Callable[[str], bytes]

parse_snmp = partial(tcp.parse_counters, protocol="Tcp", fields=tcp.TCP_FIELDS)
parse_netstat = partial(tcp.parse_counters, protocol="TcpExt", fields=tcp.TCP_EXT_FIELDS)

SOURCES = {
    "_".join(Path(source.path).relative_to("/proc").parts): source
    for collector in host_collectors(Machine())
    for source in collector.sources
    if not source.optional
}
"""By the name of the real file that ``golden/linux-6.18`` has of each: ``net_dev`` of ``/proc/net/dev``."""


def test_cpu(golden: Golden) -> None:
    values = cpu.parse(golden("linux-6.18/stat"))
    modes = {mode: values["node_cpu_seconds_total", "0", mode] for mode in cpu.MODES}
    assert modes == {
        "user": 37.45,
        "nice": 0.0,
        "system": 27.29,
        "idle": 1562.98,
        "iowait": 0.58,
        "irq": 0.0,
        "softirq": 0.64,
        "steal": 0.16,
    }
    assert values["node_cpu_seconds_total", "1", "system"] == 39.36
    assert not [key for key in values if key[0] == "node_cpu_seconds_total" and key[1] == ""], "the sum is left out"
    assert values["node_context_switches_total",] == 1_737_879
    assert values["node_intr_total",] == 671_620
    assert values["node_forks_total",] == 19_877
    assert (values["node_procs_running",], values["node_procs_blocked",]) == (1, 0)


def test_cpu_of_a_kernel_with_four_modes(golden: Golden) -> None:
    values = cpu.parse(golden("awkward/stat_linux_2_4"))
    assert [values["node_cpu_seconds_total", "0", mode] for mode in cpu.MODES] == [0.1, 0.2, 0.3, 0.4, *[None] * 4]
    assert values["node_procs_blocked",] is None


def test_load(golden: Golden) -> None:
    assert loadavg.parse(golden("linux-6.18/loadavg")) == {
        ("node_load1",): 0.06,
        ("node_load5",): 0.11,
        ("node_load15",): 0.09,
    }


def test_pressure(golden: Golden) -> None:
    assert pressure.parse(golden("linux-6.18/pressure_io"), resource="io") == {
        ("node_pressure_io_waiting_seconds_total",): 6.262839,
        ("node_pressure_io_stalled_seconds_total",): 5.694063,
    }
    assert list(pressure.parse(golden("linux-6.18/pressure_cpu"), resource="cpu")) == [
        ("node_pressure_cpu_waiting_seconds_total",)
    ]


def test_memory(golden: Golden) -> None:
    values = memory.parse(golden("linux-6.18/meminfo"))
    assert len(values) == len(memory.FIELDS)
    assert values["node_memory_MemTotal_bytes",] == 24_684_092 * 1024
    assert values["node_memory_AnonPages_bytes",] == 20_576 * 1024


def test_memory_before_linux_3_14(golden: Golden) -> None:
    values = memory.parse(golden("awkward/meminfo_before_3_14"))
    assert values["node_memory_MemFree_bytes",] == 512_000 * 1024
    assert values["node_memory_MemAvailable_bytes",] is None


def test_disk(golden: Golden) -> None:
    devices = disk.parse(golden("linux-6.18/diskstats"))
    assert list(devices) == ["vda"], "loop and zram are left out"
    assert devices["vda"] == {
        ("node_disk_reads_completed_total", "vda"): 93_172,
        ("node_disk_read_bytes_total", "vda"): 5_510_490 * 512,
        ("node_disk_read_time_seconds_total", "vda"): 24.2,
        ("node_disk_writes_completed_total", "vda"): 70_696,
        ("node_disk_written_bytes_total", "vda"): 6_413_376 * 512,
        ("node_disk_write_time_seconds_total", "vda"): 19.394,
        ("node_disk_io_time_seconds_total", "vda"): 11.62,
        ("node_disk_io_time_weighted_seconds_total", "vda"): 44.769,
    }


def test_only_whole_disks_are_kept(golden: Golden, tmp_path: Path) -> None:
    for name in ("hda", "cciss!c0d0"):
        (tmp_path / name).mkdir()
    values = disk.WholeDisks(tmp_path).parse(golden("awkward/diskstats_linux_2_6"))
    assert {device for _, device in values} == {"hda", "cciss/c0d0"}


def test_network(golden: Golden) -> None:
    values = network.parse(golden("linux-6.18/net_dev"))
    assert {device for _, device in values} == {"lo", "ifb0", "ifb1", "eth0"}
    assert [values[metric.name, "eth0"] for metric in network.METRICS] == [
        1_110_616_952, 39_658, 0, 0, 2_149_593, 20_875, 0, 0,
    ]  # fmt: skip


def test_network_with_glued_numbers_and_aliases(golden: Golden) -> None:
    values = network.parse(golden("awkward/net_dev_glued"))
    assert [values[metric.name, "eth0:1"] for metric in network.METRICS] == [100, 2, 3, 4, 200, 5, 6, 7]
    assert values["node_network_receive_bytes_total", "eth0"] == 1_234_567_890


def test_tcp(golden: Golden) -> None:
    assert list(tcp.parse_sockstat(golden("linux-6.18/net_sockstat")).values()) == [3, 0, 258, 3, 26 * PAGE_BYTES]
    assert list(parse_snmp(golden("linux-6.18/net_snmp")).values()) == [629, 297, 2, 561_994, 543_203, 0]
    netstat = parse_netstat(golden("linux-6.18/net_netstat"))
    assert list(netstat) == [(f"node_netstat_TcpExt_{field}",) for field in tcp.TCP_EXT_FIELDS]
    assert None not in netstat.values()


def test_tcp_of_a_kernel_with_fewer_columns(golden: Golden) -> None:
    values = parse_snmp(golden("awkward/snmp_few_columns"))
    assert values["node_netstat_Tcp_PassiveOpens",] == 6
    assert values["node_netstat_Tcp_CurrEstab",] is None


def test_conntrack() -> None:
    assert tcp.parse_scalar(b"262144\n", name="node_nf_conntrack_entries_limit") == {
        ("node_nf_conntrack_entries_limit",): 262_144
    }


def test_softnet_is_summed_over_cpus(golden: Golden) -> None:
    assert list(softnet.parse(golden("linux-6.18/net_softnet_stat")).values()) == [0, 1]
    assert list(softnet.parse(golden("awkward/softnet_stat_dropping")).values()) == [12, 4]


@pytest.mark.parametrize("name", SOURCES)
@given(data=st.binary(max_size=300))
def test_anything_is_a_parse_error_or_values(name: str, data: bytes) -> None:
    with suppress(ParseError):
        SOURCES[name].parse(data)


@pytest.mark.parametrize("name", SOURCES)
@given(cut=st.integers(min_value=0), at=st.integers(min_value=0), byte=st.integers(0, 255))
def test_a_damaged_file_is_a_parse_error_or_values(name: str, cut: int, at: int, byte: int) -> None:
    real = (Path(__file__).parent / "golden/linux-6.18" / name).read_bytes()
    data = bytearray(real[: cut % len(real) + 1])
    data[at % len(data)] = byte
    with suppress(ParseError):
        SOURCES[name].parse(bytes(data))


@pytest.mark.parametrize("name", SOURCES)
def test_an_empty_file_is_an_error(name: str) -> None:
    if name == "diskstats":
        assert SOURCES[name].parse(b"") == {}, "a host may have no disk"
        return
    with pytest.raises(ParseError):
        SOURCES[name].parse(b"")


def test_collectors_declare_every_series_they_give(golden: Golden) -> None:
    modules = {"stat": cpu, "loadavg": loadavg, "meminfo": memory, "net_dev": network, "net_softnet_stat": softnet}
    for name, module in modules.items():
        values: Values = module.parse(golden(f"linux-6.18/{name}"))
        assert {key[0] for key in values} == {metric.name for metric in module.METRICS}
