"""The article's six charts, then what tells the temporary file from the size of the chunks."""

from collections.abc import Iterator

from ngxlab.templates.charts import ArmBars, ChartSpec, LevelLine, TimeSeries
from ngxlab.templates.evidence import metric

CONNECTIONS = "connections"


def _charts(key: str, title: str, why: str) -> Iterator[ChartSpec]:
    """Over the connections where they are swept, as in the article; else a bar for each arm."""
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
        "The article found the four of its arms about equal. Where the disk is not the limit, the arms differ.",
    ),
    *_charts(
        "request_time_p50_ms",
        "Request time by nginx, median",
        "The server's own view: from the first byte of the request to the last of the answer. Whole milliseconds.",
    ),
    *_charts(
        "iowait_percent",
        "CPU waiting for the disk",
        "The article's case against buffering: up to 28 % with it, next to none without.",
    ),
    *_charts("load1", "Load average, 1 minute", "Beyond twice the number of cores with buffering, says the article."),
    *_charts(
        "network_in_bits_per_s",
        "Network in",
        "What clients could get rid of. Where all run on one host, both hops of a body count in and out.",
    ),
    *_charts("network_out_bits_per_s", "Network out", "What went to the backend; as network in on one host."),
    *_charts(
        "disk_written_bytes_per_request",
        "Bytes to disk per request",
        "The temporary file itself: there with buffering in 16k, gone with 640k. Some 30 bytes are nginx's log.",
    ),
    *_charts(
        "write_syscalls_per_request",
        "Write calls per request",
        "The price of small chunks: each is a call of its own, to the file or to the backend.",
    ),
    *_charts(
        "temp_file_warnings_per_1000_requests",
        "Temporary files per 1000 requests",
        "nginx warns of each body that it wrote to a temporary file: the proof for the bytes to disk.",
    ),
    TimeSeries(
        key="disk",
        title="Disk throughput",
        why="Writes come in bursts, at each sync; the marks show when.",
        series="disk_bytes_per_s",
    ),
    TimeSeries(key="cpu", title="CPU by mode", why="Where the time goes while bodies are written.", series="cpu_share"),
    TimeSeries(
        key="load_average",
        title="Load average",
        why="A minute's damping: short trials show its rise.",
        series="load_average",
    ),
    TimeSeries(
        key="network", title="Network", why="Bodies in, bodies out; gaps are stalls.", series="network_bits_per_s"
    ),
)
