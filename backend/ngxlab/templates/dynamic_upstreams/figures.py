"""The article prints its results as pictures only: its words stand here, beside the run's own figures."""

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
        label="p99 before the churn",
        where="background load: a service of 0.1 s",
        article=(Said(levels={}, text="about 0.1 s"),),
        yours=P99_BEFORE,
    ),
    Figure(
        label="p99 during the churn",
        where="result 1, in pictures only",
        article=(Said(levels={}, text="rises steeply with the changed nodes"),),
        yours=P99_DURING,
    ),
    Figure(
        label="Median during the churn",
        where="scenarios 2 and 3, in words only",
        article=(Said(levels={}, text="more and more workers stand still, in the end all of them"),),
        yours=P50_DURING,
    ),
    Figure(
        label="Update against threshold",
        where="scenario 2: longer than dyups_read_msg_timeout / workers",
        article=(Said(levels={}, text="blocking is certain beyond it"),),
        yours=_threshold,
        note="Of one worker's update of one change, by the simulated lock.",
    ),
    Figure(
        label="Time of a call",
        where="not published",
        article=(),
        yours=CALL,
    ),
    Figure(
        label="Recovery",
        where="not published",
        article=(),
        yours=RECOVERY,
    ),
)
