"""What the article published in curves and words, beside the run's own values."""

from ngxlab.templates.evidence import metric
from ngxlab.templates.figures import Figure, by_level

_WITHOUT = ("off-8k", "off-64k", "off-640k")
_ALL = ("on-16k", *_WITHOUT)


def _all(text: str) -> dict[str, str]:
    return dict.fromkeys(_ALL, text)


def _with_and_without(buffering: str, none: str) -> dict[str, str]:
    return {"on-16k": buffering, **dict.fromkeys(_WITHOUT, none)}


FIGURES = (
    Figure(
        label="Requests per second",
        where="figure 1 and the text below it; no number is given",
        article=by_level("buffering", _all("about equal")),
        yours=metric("requests_per_s"),
        note="In the article, a 10 Gbit/s link and a disk that is synced each second limit all arms alike.",
    ),
    Figure(
        label="Request time by nginx, median",
        where="figure 2",
        article=by_level("buffering", _all("about equal")),
        yours=metric("request_time_p50_ms"),
        note="The article shows means; yours is the median of nginx's own log.",
    ),
    Figure(
        label="CPUs idle and waiting for the disk (iowait)",
        where="figure 3 and the text",
        article=by_level("buffering", _with_and_without("up to 28 %", "little")),
        yours=metric("iowait_percent"),
    ),
    Figure(
        label="Load average, 1 min",
        where="figure 4 and the text; 8 cores",
        article=by_level("buffering", _with_and_without("more than 16", "little")),
        yours=metric("load1"),
    ),
    Figure(
        label="Network in",
        where="figure 5; curves only",
        article=(),
        yours=metric("network_in_bits_per_s"),
    ),
    Figure(
        label="Network out",
        where="figure 6; curves only",
        article=(),
        yours=metric("network_out_bits_per_s"),
    ),
    Figure(
        label="Written to disk by nginx per request",
        where="not measured in the article",
        article=(),
        yours=metric("disk_written_bytes_per_request"),
        note="About 30 bytes of each are the log of nginx's own times.",
    ),
    Figure(
        label="Write calls of nginx per request",
        where="not measured in the article",
        article=(),
        yours=metric("write_syscalls_per_request"),
    ),
)
