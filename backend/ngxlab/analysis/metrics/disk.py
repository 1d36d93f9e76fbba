"""What nginx reads from and writes to the disk. Neutral: a faster arm reads more."""

from ngxlab.analysis.metrics.metric import Metric, keyed_metric

_MEGABYTE = 1_000_000.0
_KIBIBYTE = 1024.0

DISK: tuple[Metric, ...] = (
    keyed_metric(
        "disk_read_bytes_per_s",
        "Read from disk by nginx",
        "bytes/s",
        "bytes/s read from disk",
        group="disk",
        scale="difference",
        margin=_MEGABYTE,
    ),
    keyed_metric(
        "bytes_from_disk_percent",
        "Served from disk, not from memory",
        "%",
        "share of served bytes that came from disk",
        group="disk",
        scale="difference",
        margin=1.0,
    ),
    keyed_metric(
        "disk_written_bytes_per_request",
        "Written to disk by nginx per request",
        "bytes",
        "bytes written to disk per request",
        group="disk",
        scale="difference",
        margin=_KIBIBYTE,
    ),
)
