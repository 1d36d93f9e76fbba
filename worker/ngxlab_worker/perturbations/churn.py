"""The nodes of an upstream group change."""

from ngxlab_contracts.perturbations import Churn

from ngxlab_worker.perturbations.action import ActionError, Done, Upstreams
from ngxlab_worker.perturbations.cue import Cue

FIRST_FAILURE = 400


class ChurnAction:
    def __init__(self, spec: Churn, upstreams: Upstreams | None) -> None:
        self._spec = spec
        self._upstreams = upstreams

    def run(self, cue: Cue) -> Done:
        if self._upstreams is None:
            raise ActionError("this nginx has no dynamic upstreams")
        status, detail = self._upstreams.change(self._spec.group, self._spec.timeout_s, cue.wait)
        return Done(ok=status is None or status < FIRST_FAILURE, detail=detail, status=status)
