"""Follows nginx's workers while perturbations stop or replace them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ngxlab_worker.collectors import Sampler, SampleTargets
from ngxlab_worker.nginx import NginxProcess

Report = Callable[[int, int], None]
"""Called with the worker's index and its process id."""


class WorkerWatch:
    """``targets``: what the sampler reads so far. ``report`` is called for each new worker."""

    def __init__(self, nginx: NginxProcess, targets: SampleTargets, sampler: Sampler, report: Report) -> None:
        self._nginx = nginx
        self._status_address = targets.status_address
        self._targets = targets
        self._sampler = sampler
        self._report = report

    def look(self) -> None:
        """Have the sampler read the present workers, each new one in the place of one that has ended.

        A stopped nginx is not asked for its status, since waiting for its answer would delay all other readings.
        """
        known = self._targets.nginx_workers
        places = successors(known, self._nginx.workers())
        address = None if self._nginx.halts.any else self._status_address
        if (places, address) == (known, self._targets.status_address):
            return
        self._targets = replace(self._targets, nginx_workers=places, status_address=address)
        self._sampler.update(self._targets)
        for index, (before, now) in enumerate(zip(known, places, strict=True)):
            if before != now:
                self._report(index, now)


def successors(known: Sequence[int], living: Sequence[int]) -> list[int]:
    """The workers by place. Those alive keep their places, new ones take the places of those that ended, in order.

    As long as old and new workers run side by side, at the beginning of a reload, nothing changes.
    """
    if len(living) > len(known):
        return list(known)
    new = iter([pid for pid in living if pid not in known])
    return [pid if pid in living else next(new, pid) for pid in known]
