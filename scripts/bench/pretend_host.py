"""A second host whose agent is the benchmark itself: it enrols, claims a trial and reports arbitrary batches."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID, uuid4

from ngxlab_contracts.hosts import EnrolRequest, Heartbeat
from ngxlab_contracts.telemetry import Batch, PhaseEvent, TrialEnd
from ngxlab_worker.agent.this_host import describe_this_host, identify_agent
from ngxlab_worker.uplink.api_client import AgentClient, ApiRefusedError, EnrolClient

from scripts.bench.lab import Lab
from scripts.bench.results import NotMeasuredError
from scripts.stack import backend
from scripts.stack.waiting import wait_healthy

DISPATCH_PATIENCE_S = 20


@dataclass
class PretendTrial:
    """A claimed trial in its measured window. ``next_seq`` is the next batch's number."""

    client: AgentClient
    trial_id: UUID
    host_id: UUID
    next_seq: int = 1

    def report(self, batch: Batch) -> None:
        self.client.send_batch(self.trial_id, batch.model_dump_json().encode())
        self.next_seq = batch.seq + 1


@asynccontextmanager
async def pretend_trial(lab: Lab) -> AsyncIterator[PretendTrial]:
    """A trial whose only data come from this benchmark. It is cancelled at the end."""
    host_id, credential = enrol(lab)
    experiment = await lab.one_arm_experiment(warmup_s=0, measure_s=3600)
    with AgentClient(lab.settings.url, credential) as client:
        instance = uuid4()
        _beat(client, instance)
        run_id = await lab.start_run(experiment, str(host_id))
        run = await lab.get(f"/runs/{run_id}")
        trial = PretendTrial(client, UUID(run["trials"][0]["id"]), host_id)
        complaint = wait_healthy(lambda: _claim_complaint(trial, instance), DISPATCH_PATIENCE_S)
        if complaint is not None:
            raise NotMeasuredError(f"the trial was not dispatched: {complaint}")
        trial.report(Batch(seq=1, clock_offset_us=0, events=[PhaseEvent(t_us=_now_us(), phase="measure")]))
        try:
            yield trial
        finally:
            await lab.post(f"/runs/{run_id}/cancel", {})
            end = TrialEnd(t_us=_now_us(), outcome="cancelled", code="cancelled", reason="the benchmark is over")
            trial.report(Batch(seq=trial.next_seq, clock_offset_us=0, events=[end]))


def enrol(lab: Lab) -> tuple[UUID, str]:
    token = backend.server_command(lab.settings, lab.environment, "enrolment-token", "--minutes", "5")
    inventory = describe_this_host(lab.settings.passed_on.get("NGXLAB_RUN_AS"))
    request = EnrolRequest(token=token, name=f"bench-{uuid4().hex[:8]}", inventory=inventory, agent=identify_agent())
    with EnrolClient(lab.settings.url) as client:
        answer = client.enrol(request)
    return answer.host_id, answer.credential


def _beat(client: AgentClient, instance: UUID) -> None:
    client.heartbeat(
        Heartbeat(
            agent_instance=instance,
            sent_at_us=_now_us(),
            clock_offset_us=0,
            clock_rtt_us=0,
            active_trial=None,
            agent=identify_agent(),
        )
    )


def _claim_complaint(trial: PretendTrial, instance: UUID) -> str | None:
    try:
        trial.client.claim(trial.trial_id, instance)
    except ApiRefusedError as error:
        return str(error)
    return None


def _now_us() -> int:
    return time.time_ns() // 1000
