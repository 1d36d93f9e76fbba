"""The nodes of an upstream group change."""

from ngxlab_contracts.perturbations import Churn

from ngxlab_worker.perturbations.action import ActionError, Cue, Done
from ngxlab_worker.upstream_groups import UpstreamGroupError, UpstreamGroups

FIRST_FAILURE = 400
"""HTTP statuses from here on are failures (RFC 9110, 15)."""


class ChurnAction:
    def __init__(self, spec: Churn, groups: UpstreamGroups | None) -> None:
        self._spec = spec
        self._groups = groups

    def run(self, cue: Cue) -> Done:
        if self._groups is None:
            raise ActionError("the nginx under test has no upstream groups that can change")
        try:
            status, detail = self._groups.change(self._spec.group, self._spec.timeout_s, cue.wait)
        except UpstreamGroupError as error:
            raise ActionError(str(error)) from error
        return Done(ok=status is None or status < FIRST_FAILURE, detail=detail, status=status)
