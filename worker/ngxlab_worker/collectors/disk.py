"""Transfers of whole disks. Source: the kernel's Documentation/admin-guide/iostats.rst, /proc/diskstats.

Left out: partitions (their disk includes them), and loop, RAM, floppy and optical devices other than a trial's own.
"""

import re
from pathlib import Path

from ngxlab_worker.collectors.procfile import FileCollector, Machine, Source
from ngxlab_worker.collectors.reading import Values, counter, parser

_IGNORED = re.compile(r"(loop|z?ram|fd|sr)\d+")
# The file counts sectors of 512 bytes, and milliseconds: divide by this to get our unit.
_PER_UNIT = {"operations": 1, "bytes": 1 / 512, "seconds": 1000}
_FIELDS = (
    # name, unit, column of the file
    ("node_disk_reads_completed_total", "operations", 3),
    ("node_disk_read_bytes_total", "bytes", 5),
    ("node_disk_read_time_seconds_total", "seconds", 6),
    ("node_disk_writes_completed_total", "operations", 7),
    ("node_disk_written_bytes_total", "bytes", 9),
    ("node_disk_write_time_seconds_total", "seconds", 10),
    ("node_disk_io_time_seconds_total", "seconds", 12),
    ("node_disk_io_time_weighted_seconds_total", "seconds", 13),
)
METRICS = tuple(counter(name, unit, "device") for name, unit, _ in _FIELDS)


@parser
def parse(data: bytes, wanted: frozenset[str] = frozenset()) -> dict[str, Values]:
    """/proc/diskstats by device, with partitions, and the devices ``wanted`` of any kind. Further columns of
    later kernels (discards) are ignored."""
    devices: dict[str, Values] = {}
    for line in data.splitlines():
        words = line.split()
        # Kernels before 2.6.25 give partitions four counters only; partitions are left out anyway.
        if len(words) == 7:
            continue
        device = words[2].decode()
        if device in wanted or _IGNORED.fullmatch(device) is None:
            devices[device] = {(name, device): int(words[at]) / _PER_UNIT[unit] for name, unit, at in _FIELDS}
    return devices


class WholeDisks:
    """Tells disks from partitions: only a disk has a folder directly in /sys/block. Each name is looked up once."""

    def __init__(self, sys_block: Path, wanted: frozenset[str] = frozenset()) -> None:
        self._sys_block = sys_block
        self._wanted = wanted
        self._known: dict[str, bool] = {}

    def parse(self, data: bytes) -> Values:
        values: Values = {}
        for device, columns in parse(data, self._wanted).items():
            if self._is_whole(device):
                values |= columns
        return values

    def _is_whole(self, device: str) -> bool:
        if device not in self._known:
            # sysfs writes the "/" of names such as cciss/c0d0 as "!".
            self._known[device] = (self._sys_block / device.replace("/", "!")).exists()
        return self._known[device]


def collector(machine: Machine) -> FileCollector:
    disks = WholeDisks(machine.sys_block, machine.devices)
    return FileCollector("disk", METRICS, [Source(f"{machine.proc}/diskstats", disks.parse)])
