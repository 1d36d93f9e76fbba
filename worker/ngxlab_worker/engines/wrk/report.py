"""wrk's final report (wrk 4.1 ``src/wrk.c`` main, ``src/units.c``), parsed."""

import re

from ngxlab_contracts.telemetry import WrkPrint

_TIME_US = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 60e6, "h": 3600e6}
_BINARY = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}

_NUMBER = r"-?(?:nan|[\d.]+)"
_TIME = rf"({_NUMBER})(us|ms|s|m|h)"
_LATENCY = re.compile(rf"^\s+Latency\s+{_TIME}\s+{_TIME}\s+{_TIME}\s+({_NUMBER})%", re.MULTILINE)
_PERCENTILE = re.compile(rf"^\s+(50|75|90|99)%\s+{_TIME}\s*$", re.MULTILINE)
_TOTAL = re.compile(r"^\s+(\d+) requests in ([\d.]+)(us|ms|s|m|h), ([\d.]+)([KMGTP]?)B read", re.MULTILINE)
_RATE = re.compile(r"^Requests/sec:\s+([\d.]+)", re.MULTILINE)
_SOCKET = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")
_BY_STATUS = re.compile(r"^responses with status (\d{3}): (\d+)$", re.MULTILINE)
_STATUS = re.compile(r"Non-2xx or 3xx responses: (\d+)")


def parse_report(text: str) -> WrkPrint | None:
    """``None`` where ``text`` is not a complete report (wrk was killed, or never started).

    Where wrk recorded no response, it prints zeros and ``-nan``: then every latency is ``None``.
    """
    total, rate, latency = _TOTAL.search(text), _RATE.search(text), _LATENCY.search(text)
    if total is None or rate is None or latency is None:
        return None
    recorded = "nan" not in latency[7]
    percentiles = {row[1]: _time_us(row[2], row[3]) for row in _PERCENTILE.finditer(text)} if recorded else {}
    socket = _SOCKET.search(text)
    connect, read, write, timeout = (int(word) for word in socket.groups()) if socket else (0, 0, 0, 0)
    status = _STATUS.search(text)
    return WrkPrint(
        requests=int(total[1]),
        duration_s=_time_us(total[2], total[3]) / 1e6,
        bytes_read=round(float(total[4]) * _BINARY[total[5]]),
        requests_per_s=float(rate[1]),
        latency_avg_us=_time_us(latency[1], latency[2]) if recorded else None,
        latency_stdev_us=_time_us(latency[3], latency[4]) if recorded else None,
        latency_max_us=_time_us(latency[5], latency[6]) if recorded else None,
        latency_p50_us=percentiles.get("50"),
        latency_p75_us=percentiles.get("75"),
        latency_p90_us=percentiles.get("90"),
        latency_p99_us=percentiles.get("99"),
        errors_connect=connect,
        errors_read=read,
        errors_write=write,
        errors_timeout=timeout,
        errors_status=int(status[1]) if status else 0,
        statuses={row[1]: int(row[2]) for row in _BY_STATUS.finditer(text)},
    )


def _time_us(number: str, unit: str) -> float:
    return float(number) * _TIME_US[unit]
