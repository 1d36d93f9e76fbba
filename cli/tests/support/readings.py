"""Runs as the server shows them."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from ngxlab_cli.models import Progress, RunArm, RunDetail, RunPlan

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PROGRESS = Progress(
    trials_done=7,
    trials_total=15,
    fraction=0.5,
    block=2,
    arm="on",
    phase="measuring",
    phase_ends_at=NOW + timedelta(seconds=12),
    ends_at=NOW + timedelta(seconds=754),
    waiting_for=None,
)


def reading(state: str = "running", *, progress: dict[str, Any] | None = None, **changes: Any) -> RunDetail:
    run = RunDetail(
        id=uuid4(),
        experiment_id=uuid4(),
        experiment_name="E",
        version=1,
        number=1,
        state=state,
        state_reason=None,
        note=None,
        created_at=NOW,
        hosts=["a"],
        headline=None,
        verdict=None,
        outcome=None,
        question="",
        paused_at=None,
        plan=RunPlan(blocks=5),
        seed=1,
        server_time=NOW,
        cancel_requested_at=None,
        arms=[RunArm(key="on", label="mutex on")],
        verdict_so_far=None,
        flags=[],
        more_blocks=None,
        progress=PROGRESS.model_copy(update=progress or {}),
    )
    return run.model_copy(update=changes)
