"""Who nginx's workers are, when a reload or a signal may have replaced them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ngxlab_worker.collectors import Sampler, SampleTargets

Report = Callable[[int, int], None]
"""Worker's index and process id."""


class WorkerWatch:
    """``workers`` tells the living ones in the order of their start; ``report`` is called for each new one."""

    def __init__(
        self, workers: Callable[[], Sequence[int]], targets: SampleTargets, sampler: Sampler, report: Report
    ) -> None:
        self._workers = workers
        self._targets = targets
        self._sampler = sampler
        self._report = report

    def look(self) -> None:
        """Have the sampler follow the workers there are now, each new one in the place of one that has ended."""
        known = self._targets.nginx_workers
        places = successors(known, self._workers())
        if places == known:
            return
        self._targets = replace(self._targets, nginx_workers=places)
        self._sampler.update(self._targets)
        for index, (before, now) in enumerate(zip(known, places, strict=True)):
            if before != now:
                self._report(index, now)


def successors(known: Sequence[int], living: Sequence[int]) -> list[int]:
    """The workers by place: whoever lives keeps theirs, new ones take those of the ended in order.

    While old and new ones work side by side, in the first moments of a reload, nothing changes yet.
    """
    if len(living) > len(known):
        return list(known)
    new = iter([pid for pid in living if pid not in known])
    return [pid if pid in living else next(new, pid) for pid in known]
