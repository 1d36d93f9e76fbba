"""All points of a stored trial at once are those that its readings give one by one."""

import random
from collections.abc import Iterator, Mapping, Sequence

import pytest
from analysis import builders
from ngxlab.analysis.records import HostRecord
from ngxlab.analysis.records.readings import StoredFrame
from ngxlab.analysis.series.catalogue import DERIVATIONS
from ngxlab.analysis.series.derive import SeriesDeriver, Within, derive_all
from ngxlab_contracts.telemetry import Layout, SeriesDef

_WORKERS = [{"role": "nginx-worker", "index": str(index)} for index in range(3)]
_THREADS = [{**worker, "state": state} for worker in _WORKERS for state in "RS"]
_LABELS: Mapping[str, Sequence[Mapping[str, str]]] = {
    "node_cpu_seconds_total": [{"cpu": cpu, "mode": mode} for cpu in "01" for mode in ("user", "idle", "iowait")],
    "node_network_receive_bytes_total": [{"device": "eth0"}, {"device": "lo"}],
    "node_disk_read_bytes_total": [{"device": "sda"}],
    "ngxlab_process_threads": _THREADS,
    "ngxlab_stream_backlog": [{"stream": "main"}],
    "ngxlab_stream_connections": [{"stream": "main"}],
    "ngxlab_stream_handshakes_total": [{"stream": "main"}],
    "ngxlab_stream_handshakes_resumed_total": [{"stream": "main"}],
    "ngxlab_stream_errors_total": [{"stream": "main", "kind": "timeout"}],
}
_OTHERS = ["ngxlab_stub_status_polls_total", "nginx_connections_waiting", "upstream_stub_status_polls_total"]
_PROCESSES = [*_WORKERS, {"role": "generator", "stream": "main"}, {"role": "upstream"}, {"role": "agent"}]
_PATIENCE_US = 1_000_000


def _labels(name: str) -> Sequence[Mapping[str, str]]:
    if name.startswith("upstream"):
        return [{"upstream": "a"}]
    return _LABELS.get(name, _PROCESSES if name.startswith("ngxlab_process") else [{}])


def _layouts(chance: random.Random) -> Iterator[Layout]:
    """The readings of two collectors, each with several layouts: columns leave and move."""
    names = [*dict.fromkeys([*(name for name, _, _ in DERIVATIONS), *_OTHERS])]
    of_host = [name for name in names if name.startswith("node_")]
    halves = {"host": of_host, "nginx": [name for name in names if name not in of_host]}
    for layout_id in range(6):
        collector = ("host", "nginx")[layout_id % 2]
        own = [(name, dict(labels)) for name in halves[collector] for labels in _labels(name)]
        columns = [SeriesDef(name=name, labels=labels, unit="1", kind="gauge") for name, labels in own]
        kept = [column for column in columns if chance.random() < 0.9]
        yield Layout(id=layout_id, collector=collector, series=chance.sample(kept, len(kept)))


def _frames(chance: random.Random, layouts: Sequence[Layout]) -> Iterator[StoredFrame]:
    """With gaps, values that are missing, and counters that start again or do not move."""
    t_us, used = builders.T0_US - 2_000_000, [layouts[0], layouts[1]]
    for _ in range(120):
        t_us += chance.choice([1, 100_000, _PATIENCE_US, _PATIENCE_US, _PATIENCE_US, 5 * _PATIENCE_US])
        if chance.random() < 0.1:
            changed = chance.choice(layouts)
            used[changed.id % 2] = changed
        layout = chance.choice(used)
        values = [chance.choice([0.0, 0.0, t_us / 1e5, chance.random() * 9, None]) for _ in layout.series]
        yield StoredFrame(layout.id, t_us, 50, values)


def _record(seed: int) -> HostRecord:
    chance = random.Random(seed)
    layouts = list(_layouts(chance))
    frames = list(_frames(chance, layouts))
    own = [(layout, [frame for frame in frames if frame.layout == layout.id]) for layout in layouts]
    return builders.host(builders.spec(), own)


def _one_by_one(record: HostRecord, within: Within | None) -> dict[tuple[str, str], list[tuple[float, float | None]]]:
    lines: dict[tuple[str, str], list[tuple[float, float | None]]] = {}
    deriver = SeriesDeriver(record.spec, "gen-a")
    deriver.feed(record.layouts.values(), [], [], record.events)
    for frame in record.frames:
        for point in deriver.feed([], [frame], [], []):
            if within is None or within[0] <= point.t_s <= within[1]:
                lines.setdefault((point.key, point.label), []).append((point.t_s, point.value))
    return lines


@pytest.mark.parametrize("within", [None, (20.0, 45.5)])
@pytest.mark.parametrize("seed", range(8))
def test_the_lines_of_a_trial_at_once_are_those_of_its_readings_one_by_one(seed: int, within: Within | None) -> None:
    record = _record(seed)
    found = {(one.key, one.label): one.points for one in derive_all(record, 1000, "gen-a", within=within)}
    expected = _one_by_one(record, within)
    assert found == expected
    keys = {key for _, key, _ in DERIVATIONS}
    assert len({key for key, _ in found} & keys) > len(keys) / 2
    assert any(value is None for points in found.values() for _, value in points)
    by_key = [key for key, _ in found]
    for key in set(by_key):
        assert [name for name in found if name[0] == key] == [name for name in expected if name[0] == key]
