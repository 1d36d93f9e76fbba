"""What a sampler reads besides the host itself."""

from dataclasses import dataclass, field

from ngxlab_worker.collectors.generators import Counts


@dataclass(frozen=True)
class SampleTargets:
    """The processes and the status listener of one trial, with ids as the agent's own PID namespace sees them.

    A worker's ``index`` label is its position in ``nginx_workers`` (or ``upstream_workers``), so the place of a worker
    that has ended must be kept: otherwise those behind it change their labels. ``upstream_status``: the status listener
    of each upstream server by its key. ``generators``: the processes of each stream by its key; ``generator_counts``:
    what its engine counts, where it reports that. ``helpers``: processes that work for the trial besides the agent.
    ``devices``: block devices of the trial's own, which are left out otherwise.
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
