"""The charts of the thread-pools template: what the bystander feels, then why."""

from ngxlab.templates.charts import ArmBars, ChartSpec, TimeSeries
from ngxlab.templates.thread_pools.quantities import BLOCKED, CONSTANT, FROM_DISK, NETWORK_OUT, P50, P99, RATE

CHARTS: tuple[ChartSpec, ...] = (
    ArmBars(
        key="constant-rate",
        title="Requests per second for the hot file",
        why="The hot file is in memory: whatever keeps it from being served is waiting for other clients' files.",
        quantity=RATE,
    ),
    ArmBars(
        key="constant-p50",
        title="Median latency of the hot file",
        why="Without a pool each request waits for the reads that its worker is in the middle of.",
        quantity=P50,
    ),
    ArmBars(
        key="constant-p99",
        title="p99 of the hot file",
        why="The worst of that waiting.",
        quantity=P99,
    ),
    ArmBars(
        key="blocked",
        title="Workers blocked on the disk",
        why="The cause: a worker's main thread in state D serves nobody. With a pool, other threads wait in its place.",
        quantity=BLOCKED,
    ),
    ArmBars(
        key="network-out",
        title="Network out",
        why="The article's headline of nine times, bounded there by a 10 Gbit/s link.",
        quantity=NETWORK_OUT,
    ),
    ArmBars(
        key="from-disk",
        title="Served from the disk",
        why="The experiment means nothing if files came from memory. The rest of the bytes is the hot file.",
        quantity=FROM_DISK,
    ),
    TimeSeries(
        key="constant-rate-over-time",
        title="Requests per second for the hot file, over a trial",
        why="Whether it is served evenly, or in the gaps that slow reads leave.",
        series="requests_per_s",
        lines=(CONSTANT,),
    ),
    TimeSeries(
        key="constant-latency-over-time",
        title="Latency of the hot file, over a trial",
        why="Each second's percentiles, of the hot file alone.",
        series="latency_ms",
        lines=tuple(f"{CONSTANT} {percentile}" for percentile in ("p50", "p99")),
    ),
    TimeSeries(
        key="threads",
        title="Threads of the workers, by state",
        why="Without a pool the workers themselves are in D; with one, threads of the pool are, and workers are not.",
        series="worker_threads",
    ),
    TimeSeries(
        key="cpu",
        title="CPU by mode",
        why="iowait is idle time during which the disk works. It may rise in the better arm: more reads are under way.",
        series="cpu_share",
    ),
    TimeSeries(
        key="disk",
        title="Disk throughput",
        why="A pool keeps many reads under way at once, which is how a disk gives its best.",
        series="disk_bytes_per_s",
    ),
    TimeSeries(
        key="pressure",
        title="Pressure stall",
        why="Share of the time in which tasks waited for the disk, whoever they were.",
        series="pressure_share",
    ),
    TimeSeries(
        key="load_average",
        title="Load average",
        why="It counts threads that wait for the disk, so a pool raises it. That is neither good nor bad.",
        series="load_average",
    ),
    TimeSeries(
        key="network",
        title="Network",
        why="All that was served, from the disk and from memory.",
        series="network_bits_per_s",
    ),
)
