"""The article's six charts, then those that separate the temporary file from the size of the chunks."""

from collections.abc import Iterator

from ngxlab.templates.charts import ArmBars, ChartSpec, LevelLine, TimeSeries
from ngxlab.templates.evidence import metric

CONNECTIONS = "connections"


def _charts(key: str, title: str, why: str) -> Iterator[ChartSpec]:
    """Lines over the connections if they are swept, as in the article; else a bar for each arm."""
    quantity = metric(key)
    yield ArmBars(key=key, title=title, why=why, quantity=quantity, unless_swept=CONNECTIONS)
    yield LevelLine(
        key=f"{key}-by-connections",
        title=title,
        why=why,
        quantity=quantity,
        factor=CONNECTIONS,
        variable=CONNECTIONS,
        x_title="Connections",
    )


CHARTS: tuple[ChartSpec, ...] = (
    *_charts(
        "requests_per_s",
        "Requests per second",
        "In the article its four arms were about equal. They differ if the disk is not the limit.",
    ),
    *_charts(
        "request_time_p50_ms",
        "Request time by nginx, median",
        "The server's own view: from the first byte of the request to the last of the response, in whole milliseconds.",
    ),
    *_charts(
        "iowait_percent",
        "CPUs idle and waiting for the disk (iowait)",
        "The article's argument against buffering: up to 28 % with it, next to none without.",
    ),
    *_charts("load1", "Load average, 1 min", "In the article, more than twice the number of cores with buffering."),
    *_charts(
        "network_in_bits_per_s",
        "Network in",
        "What clients could send. If all roles share one host, both hops of a body count in and out.",
    ),
    *_charts("network_out_bits_per_s", "Network out", "What went to the upstream server; on one host as network in."),
    *_charts(
        "disk_written_bytes_per_request",
        "Written to disk by nginx per request",
        "The temporary file itself: present with buffering in 16k, absent with 640k. Some 30 bytes are nginx's log.",
    ),
    *_charts(
        "write_syscalls_per_request",
        "Write calls of nginx per request",
        "The price of small chunks: each needs a call of its own, to the file or to the upstream server.",
    ),
    *_charts(
        "temp_file_warnings_per_1000_requests",
        "Temporary files per 1000 requests",
        "nginx warns of each body that it writes to a temporary file, which confirms the cause of the bytes to disk.",
    ),
    TimeSeries(
        key="disk",
        title="Disk throughput",
        why="Writes come in bursts, at each sync; the marks show the syncs.",
        series="disk_bytes_per_s",
    ),
    TimeSeries(key="cpu", title="CPU by mode", why="Where time is spent while bodies are written.", series="cpu_share"),
    TimeSeries(
        key="load", title="Load average", why="A minute's damping: short trials show its rise.", series="load_average"
    ),
    TimeSeries(key="network", title="Network", why="Bodies in and out; gaps are stalls.", series="network_bits_per_s"),
)
