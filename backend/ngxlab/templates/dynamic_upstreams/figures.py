"""The article prints its results only as pictures: what its text says stands here, beside the run's own values."""

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.dynamic_upstreams.model import LockModel
from ngxlab.templates.dynamic_upstreams.quantities import CALL, P50_DURING, P99_BEFORE, P99_DURING, RECOVERY
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.figures import Figure, Said
from ngxlab.templates.saying import said


def _threshold(evidence: Evidence, arm: ArmAnalysis) -> str | None:
    if evidence.parameters.get("through") != "lua":
        return None
    model = LockModel.of(evidence.parameters, evidence.variables(arm))
    side = "beyond" if model.is_beyond else "within"
    return f"{said(model.update_ms, 'ms')}, {side} {said(model.threshold_ms, 'ms')} (simulated)"


FIGURES = (
    Figure(
        label="Latency before the churn, p99",
        where="background load: a service of 0.1 s",
        article=(Said(levels={}, text="about 0.1 s"),),
        yours=P99_BEFORE,
    ),
    Figure(
        label="Latency during the churn, p99",
        where="result 1, only in pictures",
        article=(Said(levels={}, text="rises steeply with the changed nodes"),),
        yours=P99_DURING,
    ),
    Figure(
        label="Latency during the churn, median",
        where="scenarios 2 and 3, only in words",
        article=(Said(levels={}, text="more and more workers stand still, finally all of them"),),
        yours=P50_DURING,
    ),
    Figure(
        label="Update compared with the threshold",
        where="scenario 2: longer than dyups_read_msg_timeout / workers",
        article=(Said(levels={}, text="blocking is certain above it"),),
        yours=_threshold,
        note="Time of one worker's update for one change, with the simulated lock.",
    ),
    Figure(
        label="Duration of a churn call",
        where="not published",
        article=(),
        yours=CALL,
    ),
    Figure(
        label="Recovery time after the churn",
        where="not published",
        article=(),
        yours=RECOVERY,
    ),
)
