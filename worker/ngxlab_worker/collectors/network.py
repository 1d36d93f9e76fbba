"""Traffic of each network interface, loopback included. Source: proc(5), /proc/net/dev."""

from ngxlab_worker.collectors.procfile import FileCollector, Machine, Source
from ngxlab_worker.collectors.reading import Values, counter, parser

_FIELDS = (
    # name, unit, column after the interface's name
    ("node_network_receive_bytes_total", "bytes", 0),
    ("node_network_receive_packets_total", "packets", 1),
    ("node_network_receive_errs_total", "packets", 2),
    ("node_network_receive_drop_total", "packets", 3),
    ("node_network_transmit_bytes_total", "bytes", 8),
    ("node_network_transmit_packets_total", "packets", 9),
    ("node_network_transmit_errs_total", "packets", 10),
    ("node_network_transmit_drop_total", "packets", 11),
)
METRICS = tuple(counter(name, unit, "device") for name, unit, _ in _FIELDS)


@parser
def parse(data: bytes) -> Values:
    """/proc/net/dev. Old kernels write no space after the name's colon; an alias (eth0:1) has another colon."""
    values: Values = {}
    for line in data.splitlines()[2:]:
        name, colon, rest = line.rpartition(b":")
        if not colon:
            raise ValueError(line)
        device, words = name.strip().decode(), rest.split()
        for metric, _, at in _FIELDS:
            values[metric, device] = float(int(words[at]))
    if not values:
        raise ValueError(data)
    return values


def collector(machine: Machine) -> FileCollector:
    return FileCollector("network", METRICS, [Source(f"{machine.proc}/net/dev", parse)])
