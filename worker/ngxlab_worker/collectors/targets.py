"""What a sampler looks at besides the host itself."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SampleTargets:
    """The processes and the status listener of one trial, all as the agent's own pid namespace sees them.

    A worker's ``index`` label is its position in ``nginx_workers`` (``backends``): keep a dead worker's place in the
    list, or those behind it change their labels. ``generators`` maps a stream's key to its process.
    """

    status_address: tuple[str, int] | None = None
    nginx_master: int | None = None
    nginx_workers: list[int] = field(default_factory=list)
    backends: list[int] = field(default_factory=list)
    generators: dict[str, int] = field(default_factory=dict)
    agent: int | None = None
