"""A chart needs few columns of what is stored: the others change nothing in it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from analysis import builders
from analysis.builders import line
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.series.catalogue import DERIVATIONS, UNIT_BY_KEY, columns_for
from ngxlab.analysis.series.derivations import latency
from ngxlab.analysis.series.derive import derive_all
from ngxlab.metrics.sparse import Narrow

_OF_A_PROCESS = (
    {"role": "nginx-worker", "index": "0"},
    {"role": "nginx-worker", "index": "1", "state": "R"},
    {"role": "generator", "index": "0", "stream": "main"},
    {"role": "upstream", "index": "0"},
    {"role": "agent", "index": "0"},
)
_LABELS = {
    "node_cpu_seconds_total": [{"cpu": cpu, "mode": mode} for cpu in "01" for mode in ("user", "idle", "iowait")],
    "node_network_receive_bytes_total": [{"device": "eth0"}, {"device": "lo"}],
    "node_network_transmit_bytes_total": [{"device": "eth0"}],
    "node_disk_read_bytes_total": [{"device": "sda"}],
    "ngxlab_stream_backlog": [{"stream": "main"}],
    "ngxlab_stream_connections": [{"stream": "main"}],
    "ngxlab_stream_handshakes_total": [{"stream": "main"}],
    "ngxlab_stream_handshakes_resumed_total": [{"stream": "main"}],
    "ngxlab_stream_errors_total": [{"stream": "main", "kind": "timeout"}],
}
_BESIDE = [
    "ngxlab_stub_status_polls_total", "nginx_connections_waiting", "nginx_connections_writing", "node_load5",
    "node_sockstat_TCP_tw", "node_network_transmit_bytes_total", "node_netstat_TcpExt_TCPTimeouts",
    "upstream_connections_waiting", "upstream_stub_status_polls_total", "unknown_total",
]  # fmt: skip


def _labels(name: str) -> Sequence[Mapping[str, str]]:
    if name.startswith("upstream"):
        return [{"upstream": "a"}]
    return _OF_A_PROCESS if name.startswith("ngxlab_process") else _LABELS.get(name, [{}])


def _everything() -> HostRecord:
    """A reading with all that any derivation looks for, in one layout."""
    names = [*dict.fromkeys([*(name for name, _, _ in DERIVATIONS), *_BESIDE])]
    pairs = [(name, labels) for name in names for labels in _labels(name)]
    columns = [(name, labels, line(1 + number / 7)) for number, (name, labels) in enumerate(pairs)]
    return builders.host(builders.spec(), [builders.collector(builders.spec(), columns)])


@pytest.mark.parametrize("key", sorted(UNIT_BY_KEY.keys() - latency.KEYS))
def test_a_chart_is_the_same_without_the_columns_that_it_does_not_need(key: str) -> None:
    record = _everything()
    (layout,) = record.layouts.values()
    narrow = Narrow.of(layout, columns_for(layout, {key}))
    assert 0 < len(narrow.layout.series) < len(layout.series)
    few = replace(record, layouts={layout.id: narrow.layout}, frames=[narrow.frame(one) for one in record.frames])
    whole = derive_all(record, keys={key})
    assert derive_all(few, keys={key}) == whole
    assert {one.key for one in whole} == {key}
