"""The catalogue of derived series, as data. No series has a key that is not listed here."""

from ngxlab.analysis.series.schemas import Direction, SeriesInfo

MORE: Direction = "more_is_better"
LESS: Direction = "less_is_better"
NEUTRAL: Direction = "neutral"

_ROWS: tuple[tuple[str, str, str, Direction, bool, float | None, str], ...] = (
    # key, title, unit, direction, stacked, y_max, description
    (
        "requests_per_s", "Requests per second", "requests/s", MORE, True, None,
        "Requests served in each interval, as the generator counts them. One line for each stream.",
    ),
    (
        "rejected_per_s", "Rejected requests per second", "requests/s", NEUTRAL, True, None,
        "Responses in each interval whose status serves nobody, such as 429. They are in no other rate or latency.",
    ),
    (
        "latency_ms", "Latency", "ms", LESS, False, None,
        ("Percentiles of the requests served in each interval: for wrk the service time under its closed loop, for "
         "an open loop the time from the instant at which the request was due. p99.9 needs 10,000 responses."),
    ),
    (
        "rejected_ms", "Latency of rejected requests", "ms", NEUTRAL, False, None,
        "Percentiles of the responses whose status serves nobody. wrk cannot tell them from the others.",
    ),
    (
        "service_ms", "Service time", "ms", LESS, False, None,
        ("Percentiles of the time from the first write of a request to its response. If it stays low while latency "
         "rises, requests waited for a free connection."),
    ),
    (
        "schedule_ms", "Lateness of the generator", "ms", LESS, False, None,
        "How much later than due the open loop sent requests although a connection was free.",
    ),
    (
        "request_time_ms", "Request time, logged by nginx", "ms", LESS, False, None,
        ("Percentiles of nginx's own $request_time: from the first byte read of a request to the last byte sent of "
         "its response, in whole milliseconds."),
    ),
    (
        "upstream_time_ms", "Upstream time, logged by nginx", "ms", LESS, False, None,
        "Percentiles of nginx's own $upstream_response_time, in whole milliseconds.",
    ),
    (
        "stream_backlog", "Requests waiting for a connection", "requests", LESS, False, None,
        "Requests of an open loop that were due, but found no free connection.",
    ),
    (
        "stream_connections", "Connections of the generators", "connections", NEUTRAL, False, None,
        "Open connections of each stream, as the generator counts them.",
    ),
    (
        "stream_errors_per_s", "Errors of the generators", "errors/s", LESS, False, None,
        "Failed connects, resets, timeouts, invalid responses and reconnects. Kinds that never occurred are left out.",
    ),
    (
        "requests_per_s_nginx", "Requests per second, counted by nginx", "requests/s", MORE, False, None,
        "Increase of stub_status requests, without the agent's own polls.",
    ),
    (
        "nginx_connections", "nginx connections", "connections", NEUTRAL, False, None,
        "Connections by state from stub_status, without the poll itself. Writing includes waiting for an upstream.",
    ),
    (
        "accepts_per_s", "Connections accepted per second", "connections/s", NEUTRAL, False, None,
        "Increase of stub_status accepts. With keep-alive it should be near zero.",
    ),
    (
        "upstream_requests_per_s", "Requests per second of upstream servers", "requests/s", NEUTRAL, False, None,
        "Increase of each upstream server's own count, without the agent's polls.",
    ),
    (
        "upstream_connections", "Connections of upstream servers", "connections", NEUTRAL, False, None,
        "Connections by state as each upstream server's nginx counts them, without the poll itself.",
    ),
    (
        "worker_cpu_share", "CPU per nginx worker", "%", NEUTRAL, False, None,
        "CPU time of each worker's main thread, percent of one core.",
    ),
    (
        "worker_connections", "Connections per nginx worker", "connections", NEUTRAL, False, None,
        "Open descriptors of each worker, less those before the load.",
    ),
    (
        "run_delay_ms_per_s", "Run-queue delay per nginx worker", "ms/s", LESS, False, None,
        "Time that each worker was ready to run but waited for a CPU, per second.",
    ),
    (
        "worker_threads", "Threads of nginx workers by state", "threads", NEUTRAL, True, None,
        ("Threads of all workers: R running or ready, S sleeping, D blocked in the kernel (disk), at the instant "
         "of each reading."),
    ),
    (
        "worker_memory_bytes", "Memory per nginx worker", "bytes", NEUTRAL, False, None,
        "Resident memory of each worker, shared pages included.",
    ),
    (
        "cpu_share", "CPU by mode", "%", NEUTRAL, True, 100.0,
        "Share of all CPUs' time by mode. Waiting for the disk (iowait) is idle time; it may rise in the better arm.",
    ),
    (
        "cpu_busy_share", "Load of each CPU", "%", NEUTRAL, False, 100.0,
        "Share of each CPU's time that was not idle. Waiting for the disk (iowait) is idle time.",
    ),
    (
        "generator_cpu_share", "CPU of the load generators", "%", NEUTRAL, False, None,
        "CPU time of each stream's generator over all its threads, percent of one core.",
    ),
    (
        "upstream_cpu_share", "CPU of the upstream servers", "%", NEUTRAL, False, None,
        "CPU time of all upstream servers of a host, percent of one core.",
    ),
    (
        "network_bits_per_s", "Network", "bit/s", NEUTRAL, False, None,
        "Received and transmitted bits of each device; devices without traffic are left out.",
    ),
    (
        "pressure_share", "Pressure stall", "%", NEUTRAL, False, 100.0,
        "Share of the time in which some tasks (waiting) or all of them (stalled) lacked CPU, memory or I/O.",
    ),
    (
        "load_average", "Load average", "tasks", NEUTRAL, False, None,
        "Tasks running, ready or blocked on the disk, as moving averages. It may rise in the better arm.",
    ),
    (
        "memory_available_bytes", "Memory available", "bytes", NEUTRAL, False, None,
        "The kernel's estimate of the memory that can be used without swapping.",
    ),
    (
        "disk_bytes_per_s", "Disk throughput", "bytes/s", NEUTRAL, False, None,
        "Bytes read and written by each disk; disks without traffic are left out.",
    ),
    (
        "tcp_sockets", "TCP sockets", "sockets", NEUTRAL, False, None,
        "Sockets in use and in TIME-WAIT on the host.",
    ),
    (
        "tcp_problems_per_s", "TCP problems", "events/s", LESS, False, None,
        ("Listen-queue overflows and drops, timeouts, retransmissions, aborts for lack of memory, and "
         "packets that the kernel's backlog dropped or deferred. Kinds that never occurred are left out."),
    ),
    (
        "agent_cpu_share", "CPU of the measuring agent", "%", LESS, False, None,
        "CPU time of ngxlab's agent on this host, percent of one core.",
    ),
)  # fmt: skip

CATALOGUE: tuple[SeriesInfo, ...] = tuple(
    SeriesInfo(
        key=key,
        title=title,
        unit=unit,
        direction=direction,
        stacked=stacked,
        y_max=y_max,
        description=description,
        order=order,
    )
    for order, (key, title, unit, direction, stacked, y_max, description) in enumerate(_ROWS)
)

UNIT_BY_KEY: dict[str, str] = {info.key: info.unit for info in CATALOGUE}
