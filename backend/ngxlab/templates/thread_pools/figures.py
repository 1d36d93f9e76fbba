"""What the article published, beside the run's own values. Its pool is nginx's default of 32 threads."""

from collections.abc import Mapping

from ngxlab.templates.figures import Figure, by_level
from ngxlab.templates.thread_pools.quantities import BLOCKED, CPU_IDLE, IOWAIT, LOAD, MAX, MEAN, NETWORK_OUT, RATE


def _texts(without: str, pool: str) -> Mapping[str, str]:
    return {"off": without, "threads-32": pool}


FIGURES = (
    Figure(
        label="Network out",
        where="ifstat on the server",
        article=by_level("aio", _texts("about 1 Gbit/s", "9.5 Gbit/s, all of the link")),
        yours=NETWORK_OUT,
    ),
    Figure(
        label="Requests per second for the hot file",
        where="wrk's print, constant load",
        article=by_level("aio", _texts("8.08 requests/s", "250.57 requests/s")),
        yours=RATE,
    ),
    Figure(
        label="Mean latency of the hot file",
        where="wrk's print, constant load",
        article=by_level("aio", _texts("7.42 s", "226.32 ms")),
        yours=MEAN,
    ),
    Figure(
        label="Greatest latency of the hot file",
        where="wrk's print, constant load",
        article=by_level("aio", _texts("24.41 s", "1.72 s")),
        yours=MAX,
    ),
    Figure(label="CPU idle", where="top", article=by_level("aio", _texts("67.7 %", "34.8 %")), yours=CPU_IDLE),
    Figure(
        label="CPUs idle and waiting for the disk (iowait)",
        where="top",
        article=by_level("aio", _texts("31.9 %", "61.5 %")),
        yours=IOWAIT,
        note="It rises in the better arm, which is no sign of trouble.",
    ),
    Figure(
        label="Load average, 1 min",
        where="top",
        article=by_level("aio", _texts("49.6", "172.7")),
        yours=LOAD,
        note="It counts the pool's threads; trials shorter than some minutes do not reach its final level.",
    ),
    Figure(
        label="Workers blocked on the disk",
        where="top: the state of the worker processes",
        article=by_level("aio", _texts("state D, nearly all", "state S")),
        yours=BLOCKED,
        note="Yours is the share of readings with a worker's main thread in D.",
    ),
)
