"""What a sampler looks at besides the host itself."""

from dataclasses import dataclass, field

from ngxlab_worker.collectors.generators import Counts


@dataclass(frozen=True)
class SampleTargets:
    """The processes and the status listener of one trial, all as the agent's own pid namespace sees them.

    A worker's ``index`` label is its position in ``nginx_workers`` (``upstream_workers``): keep a dead worker's
    place in the list, or those behind it change their labels. ``generators`` maps a stream's key to its processes,
    ``generator_counts`` to what its engine counts where it tells, and ``upstream_status`` an upstream server's key
    to its status listener. ``helpers`` work for the trial besides the agent.
    ``devices``: block devices of its own, which would be passed over otherwise.
    """

    status_address: tuple[str, int] | None = None
    nginx_master: int | None = None
    nginx_workers: list[int] = field(default_factory=list)
    upstream_workers: list[int] = field(default_factory=list)
    upstream_status: dict[str, tuple[str, int]] = field(default_factory=dict)
    generators: dict[str, list[int]] = field(default_factory=dict)
    generator_counts: dict[str, Counts] = field(default_factory=dict)
    agent: int | None = None
    helpers: list[int] = field(default_factory=list)
    devices: frozenset[str] = frozenset()
