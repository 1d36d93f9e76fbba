"""Runs and trials as payloads for readers."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, cast, get_args

from ngxlab_contracts.sentences import Sentence

from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import Role
from ngxlab.analysis.gates import Outcome
from ngxlab.analysis.schemas import VerdictState
from ngxlab.core import stored_json
from ngxlab.core.clock import from_us, utcnow
from ngxlab.core.stored_json import read_or_none
from ngxlab.definition.schema.definition import Definition
from ngxlab.runs.choosing import choice_of, is_choosing
from ngxlab.runs.models import Run, RunHost, Trial, definition_of
from ngxlab.runs.preflight.assignment import roles_of
from ngxlab.runs.queue.order import Wait
from ngxlab.runs.schemas import (
    ArmDropped,
    FormerJudgement,
    Judgement,
    Progress,
    RawRemoved,
    RunAnswer,
    RunArm,
    RunAsks,
    RunDetail,
    RunFlag,
    RunHostOut,
    RunOrigin,
    RunPlan,
    RunRevision,
    RunSummary,
    TrialOut,
)
from ngxlab.runs.states import RunState, TrialState


def is_in_queue(run: Run) -> bool:
    """Whether it may wait for other runs and for hosts, so that its reason has to be looked up."""
    return run.state == RunState.queued and run.paused_at is None


def run_summary(run: Run, wait: Wait | None = None) -> RunSummary:
    """A row of a list. ``wait``: what it waits for, if it is queued."""
    return RunSummary(
        id=run.id,
        experiment_id=run.experiment_id,
        experiment_name=run.version.experiment.name,
        version=run.version.number,
        number=run.number,
        state=RunState(run.state),
        state_code=run.state_code,
        state_reason=wait.reason if wait else run.state_reason,
        note=run.note,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        created_by=run.author.email,
        hosts=list(dict.fromkeys(entry.host.name for entry in run.hosts)),
        headline=_headline(run),
        verdict=_verdict(run),
        answers=_answers(run),
        outcome=_outcome(run),
        starred=run.starred,
        tags=run.tags,
        revision=revision(run),
        judged_differently=bool(run.judged_before),
        imported=_origin(run),
    )


def revision(run: Run) -> RunRevision | None:
    return read_or_none(RunRevision, run.revision, "The revision of this run") if run.revision else None


def _said(run: Run, field: str) -> Sentence | None:
    """``said`` is the headline with its template, which runs of earlier versions do not have."""
    return stored_json.sentence((run.analysis or {}).get(field))


def _headline(run: Run) -> Sentence | None:
    return _said(run, "said") or _said(run, "headline")


def judgement(run: Run) -> Judgement | None:
    """What is stored of a run that is over and was judged."""
    if (headline := _headline(run)) is None:
        return None
    return Judgement(
        method=run.method,
        judged_at=run.judged_at,
        headline=headline,
        verdict=_verdict(run),
        answers=_answers(run),
        outcome=_outcome(run),
    )


def judged_before(run: Run) -> list[FormerJudgement]:
    """What earlier versions of the method said of it, the latest first."""
    read = (read_or_none(FormerJudgement, one, "A former judgement of this run") for one in reversed(run.judged_before))
    return [one for one in read if one is not None]


def _origin(run: Run) -> RunOrigin | None:
    found = run.imported
    if found is None:
        return None
    by = found.importer.email
    return RunOrigin(
        origin=found.origin, author=found.author, imported_by=by, imported_at=found.imported_at,
        signed_by=found.signed_by, key_changed=found.key_changed,
    )  # fmt: skip


def _raw_removed(run: Run) -> RawRemoved | None:
    if run.raw_removed_at is None:
        return None
    return RawRemoved(at=run.raw_removed_at, days=run.raw_removed_days)


def _verdict(run: Run) -> VerdictState | None:
    """An analysis that was stored without a verdict tells only whether it is valid."""
    kept = run.analysis or {}
    known: Any = kept.get("verdict")
    if known in get_args(VerdictState):
        return cast("VerdictState", known)
    return "not_valid" if kept.get("trustworthy") is False else None


def _answers(run: Run) -> list[RunAnswer]:
    kept: Any = (run.analysis or {}).get("answers")
    every = kept if isinstance(kept, list) else []
    read = (stored_json.read_or_none(RunAnswer, one, "An answer of this run") for one in every)
    return [one for one in read if one is not None]


def _outcome(run: Run) -> Outcome | None:
    """A run that ended before outcomes were stored has passed or failed."""
    kept: Any = (run.analysis or {}).get("outcome")
    if kept in get_args(Outcome) or run.passed is None:
        return cast("Outcome | None", kept if kept in get_args(Outcome) else None)
    return "pass" if run.passed else "fail"


def trial_out(trial: Trial) -> TrialOut:
    summary = trial.summary or {}
    latency = summary.get("latency")
    return TrialOut(
        id=trial.id,
        position=trial.position,
        block=trial.block,
        heat=trial.heat,
        arm=trial.arm,
        attempt=trial.attempt,
        profile=trial.is_profile,
        state=TrialState(trial.state),
        code=trial.code,
        reason=trial.reason,
        started_at=None if trial.start_at_us is None else from_us(trial.start_at_us),
        phase_at=trial.phase_at,
        finished_at=trial.finished_at,
        requests_per_s=stored_json.number(summary.get("requests_per_s")),
        latency_p99_us=stored_json.number(latency.get("p99_us")) if isinstance(latency, dict) else None,
    )


def may_change(caller: Caller | None, run: Run) -> bool:
    """Whether this person may cancel or share the run."""
    if caller is None:
        return False
    role = caller.role
    return role == Role.administrator or (role == Role.experimenter and caller.account.id == run.created_by)


def _latest_attempts(trials: Sequence[Trial]) -> list[Trial]:
    return list({trial.position: trial for trial in trials}.values())


def _phase_seconds(definition: Definition, state: TrialState) -> float | None:
    plan = definition.plan
    seconds = {
        TrialState.warmup: plan.warmup_s,
        TrialState.measuring: plan.measure_s,
        TrialState.finishing: plan.cooldown_s,
    }
    return seconds.get(state)


def _elapsed(definition: Definition, trial: Trial, now: datetime) -> float:
    """Seconds of the trial's plan that have passed."""
    plan = definition.plan
    in_phase = max(0.0, (now - trial.phase_at).total_seconds()) if trial.phase_at else 0.0
    before = {
        TrialState.warmup: 0.0,
        TrialState.measuring: plan.warmup_s,
        TrialState.finishing: plan.warmup_s + plan.measure_s,
    }
    state = TrialState(trial.state)
    if state not in before:
        return 0.0
    return before[state] + min(in_phase, _phase_seconds(definition, state) or 0.0)


def _waiting_for(run: Run, wait: Wait | None) -> str | None:
    if wait is not None:
        return wait.reason
    return run.state_reason if run.state in {RunState.queued, RunState.running} else None


def progress(run: Run, definition: Definition, trials: Sequence[Trial], wait: Wait | None = None) -> Progress:
    """The run's progress, and when it should end."""
    now = utcnow()
    latest = _latest_attempts(trials)
    done = [trial for trial in latest if trial.is_done]
    current = next((t for t in latest if not TrialState(t.state).final and t.state != TrialState.pending), None)
    one = definition.trial_seconds() or 1.0
    elapsed = _elapsed(definition, current, now) if current else 0.0
    total = definition.trials(run.blocks) if is_choosing(run, definition) else len(latest)
    left_s = (total - len(done)) * one - elapsed
    final = RunState(run.state).final
    phase_s = _phase_seconds(definition, TrialState(current.state)) if current else None
    phase_end = current.phase_at + timedelta(seconds=phase_s) if current and current.phase_at and phase_s else None
    return Progress(
        trials_done=len(done),
        trials_total=total,
        fraction=min(1.0, (len(done) * one + elapsed) / (total * one)) if total else 0.0,
        current_trial_id=current.id if current else None,
        block=current.block if current and not current.is_profile else None,
        heat=current.heat if current else None,
        arm=current.arm if current else None,
        phase=TrialState(current.state) if current else None,
        phase_ends_at=phase_end,
        ends_at=now + timedelta(seconds=max(0.0, left_s)) if run.state == RunState.running and not final else None,
        waiting_for=_waiting_for(run, wait),
        queue_place=wait.place if wait else None,
        held_by=wait.held_by if wait else None,
    )


def _host(definition: Definition, entry: RunHost) -> RunHostOut:
    roles = sorted(roles_of(definition, entry.slot))
    return RunHostOut(id=entry.host_id, name=entry.host.name, slot=entry.slot, roles=roles, address=entry.address)


def run_detail(run: Run, trials: Sequence[Trial], caller: Caller | None, wait: Wait | None = None) -> RunDetail:
    """Everything about a run except the data of its charts. ``caller`` decides ``may_change``."""
    definition = definition_of(run)
    plan = definition.plan
    return RunDetail(
        **run_summary(run, wait).model_dump(),
        question=definition.question,
        template_key=definition.template.key if definition.template else None,
        seed=run.seed,
        cancel_requested_at=run.cancel_requested_at,
        finish_requested_at=run.finish_requested_at,
        paused_at=run.paused_at,
        asks=_asks(run),
        may_change=may_change(caller, run),
        server_time=utcnow(),
        live_seq=run.live_seq,
        arms=_arms(run, definition),
        plan=RunPlan(
            blocks=run.blocks,
            warmup_s=plan.warmup_s,
            measure_s=plan.measure_s,
            cooldown_s=plan.cooldown_s,
            interval_ms=plan.interval_ms,
            trials=definition.trials(run.blocks),
            stop=plan.stop,
            selection=plan.selection,
            searches=any(stream.capacity is not None for stream in definition.streams),
            draws_curve=any(stream.curve is not None for stream in definition.streams),
        ),
        run_hosts=[_host(definition, entry) for entry in run.hosts],
        progress=progress(run, definition, trials, wait),
        trials=[trial_out(trial) for trial in trials],
        verdict_so_far=None if RunState(run.state).final else _said(run, "so_far"),
        most_blocks=plan.most_blocks,
        added_to=run.added_to,
        more_blocks=(run.analysis or {}).get("more_blocks"),
        flags=flags_of([trial for trial in _latest_attempts(trials) if not trial.is_profile]),
        raw_bytes=run.raw_bytes,
        raw_removed=_raw_removed(run),
    )


def _arms(run: Run, definition: Definition) -> list[RunArm]:
    """Those that a heat has dropped say so, and come last: so an arm has one place, and one colour, everywhere."""
    choice = choice_of(run, definition)
    dropped = choice.dropped if choice is not None else {}
    return [
        RunArm(
            key=arm.key,
            label=arm.label,
            is_baseline=arm.key == definition.baseline,
            dropped=ArmDropped(heat=found[0], reason=found[1]) if (found := dropped.get(arm.key)) else None,
        )
        for arm in sorted(definition.arms, key=lambda arm: arm.key in dropped)
    ]


def _asks(run: Run) -> RunAsks | None:
    if run.asks is None or run.asks_until is None or run.paused_at is None:
        return None
    return RunAsks(reason=run.asks, since=run.paused_at, until=run.asks_until)


_SEVERITIES = ("warning", "error")
_TOLD = ("key", "severity", "title", "message", "remedy")


def flags_of(trials: Sequence[Trial]) -> list[RunFlag]:
    """One for each check that warns or fails, errors first. ``trials``: the latest attempts. The message is that of the
    latest trial with the worst severity."""
    flags: dict[str, RunFlag] = {}
    for trial in trials:
        for stored in trial.checks or []:
            if not isinstance(stored, dict) or stored.get("severity") not in _SEVERITIES:
                continue
            told = {name: stored.get(name) for name in _TOLD}
            flag = read_or_none(RunFlag, {**told, "trial_ids": [trial.id]}, "A check of a trial")
            if flag is not None:
                flags[flag.key] = _worse(flags.get(flag.key), flag)
    return sorted(flags.values(), key=lambda flag: flag.severity != "error")


def _worse(known: RunFlag | None, flag: RunFlag) -> RunFlag:
    """The later one, unless an earlier trial had an error and it is a warning; of all their trials."""
    if known is None:
        return flag
    shown = known if (known.severity, flag.severity) == ("error", "warning") else flag
    return shown.model_copy(update={"trial_ids": [*known.trial_ids, *flag.trial_ids]})
