"""Have a host's own nginx test the configuration of every arm, and lead its findings back to the template."""

import asyncio
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from ngxlab_contracts.config_check import ArmConfig, ArmVerdict, ConfigCheckResult, ConfigCheckSpec, ConfigFinding
from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.queues import TASK_CHECK_CONFIG, host_queue
from ngxlab_contracts.trials import BACKEND_VARIABLE_PREFIX, NginxSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.core.clock import utcnow
from ngxlab.core.database import after_commit, bus_of
from ngxlab.core.errors import Conflict, FieldProblem, Invalid, NotFound
from ngxlab.definition.nginx.config import RenderedConfig, render_config
from ngxlab.definition.nginx.dynamic_upstreams import upstream_spec
from ngxlab.definition.nginx.modules import nginx_modules
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.validation import require
from ngxlab.experiments import repository
from ngxlab.experiments.config_tests.schemas import (
    ArmCheck,
    CheckFinding,
    ConfigCheckCreate,
    ConfigCheckOut,
    ConfigCheckState,
)
from ngxlab.experiments.models import ConfigCheck
from ngxlab.hosts import service as hosts
from ngxlab.hosts.models import Host
from ngxlab.hosts.repository import is_online, leases

ANSWER_WITHIN = timedelta(seconds=30)


async def create(session: AsyncSession, caller: Caller, request: ConfigCheckCreate) -> ConfigCheckOut:
    """Ask the host. Raises Invalid for a broken definition, Conflict where the host cannot answer."""
    definition = await _definition(session, request)
    host = await hosts.get_registered(session, request.host_id)
    await _require_free(session, host)
    binary = _binary(host)
    check_id = uuid4()
    spec = await asyncio.to_thread(_spec, check_id, definition, binary)
    session.add(
        ConfigCheck(
            id=check_id,
            host_id=host.id,
            created_by=caller.account.id,
            state="pending",
            definition=definition.model_dump(mode="json"),
            request=spec.model_dump(mode="json"),
        )
    )
    await session.flush()
    bus = bus_of(session)

    async def hint() -> None:
        await bus.send_task(TASK_CHECK_CONFIG, check_id, host_queue(host.id))

    after_commit(session, hint)
    return await get(session, check_id)


async def _definition(session: AsyncSession, request: ConfigCheckCreate) -> Definition:
    if request.definition is not None:
        return await asyncio.to_thread(require, request.definition)
    assert request.experiment_id is not None  # noqa: S101 (the payload has exactly one of the two)
    if await repository.experiment(session, request.experiment_id) is None:
        raise NotFound("There is no such experiment.")
    version = await repository.latest_version(session, request.experiment_id)
    return await asyncio.to_thread(require, version.definition)


async def _require_free(session: AsyncSession, host: Host) -> None:
    """Testing costs CPU, so never beside a measurement: a host that a run holds is not asked."""
    if not is_online(host.heartbeat_at, utcnow()):
        raise Conflict(f"{host.name} is offline; start its agent first.", code="host-offline")
    if host.draining:
        raise Conflict(f"{host.name} is draining and takes nothing new.", code="host-draining")
    if host.id in await leases(session):
        detail = f"A run is using {host.name}, and a check would disturb what it measures. Check again when it is over."
        raise Conflict(detail, code="host-busy")


def _binary(host: Host) -> str:
    inventory = Inventory.model_validate(host.inventory)
    if "target" not in inventory.caps.roles:
        raise Conflict(f"The owner of {host.name} does not let it be a target.", code="role-not-allowed")
    if not inventory.nginx:
        raise Conflict(f"{host.name} has no nginx. Install it there; the agent finds it.", code="no-nginx")
    return inventory.nginx[0].path


def _spec(check_id: UUID, definition: Definition, binary: str) -> ConfigCheckSpec:
    arms = [
        ArmConfig(arm=arm.key, nginx=_nginx(definition, resolve(definition, arm), binary)) for arm in definition.arms
    ]
    return ConfigCheckSpec(check_id=check_id, arms=arms)


def _nginx(definition: Definition, resolved: ResolvedArm, binary: str) -> NginxSpec:
    return NginxSpec(
        binary=binary,
        config=render_config(definition, resolved.arm).text,
        workers=resolved.workers,
        tls=definition.nginx.tls,
        backends=[f"{BACKEND_VARIABLE_PREFIX}{backend.key}" for backend in definition.backends],
        ports=int(resolved.nginx.ports),
        modules=nginx_modules(resolved.nginx),
        upstreams=upstream_spec(resolved),
    )


async def _of_host(session: AsyncSession, host: Host, check_id: UUID) -> ConfigCheck:
    check = await repository.config_check(session, check_id, lock=True)
    if check is None or check.host_id != host.id:
        raise NotFound("This host has no such check.", code="unknown-check")
    return check


async def request_of(session: AsyncSession, host: Host, check_id: UUID) -> ConfigCheckSpec:
    """What to test. Raises Conflict for a check that is over: nobody waits for it any more."""
    check = await _of_host(session, host, check_id)
    if _state(check).state != "pending":
        raise Conflict("This check is over.", code="check-over")
    return ConfigCheckSpec.model_validate(check.request)


async def accept(session: AsyncSession, host: Host, check_id: UUID, result: ConfigCheckResult) -> None:
    """Store the answer. The first one counts; a repeated one changes nothing."""
    check = await _of_host(session, host, check_id)
    if check.state != "pending":
        return
    asked = {arm["arm"] for arm in check.request["arms"]}
    unknown = [verdict.arm for verdict in result.verdicts if verdict.arm not in asked]
    if unknown:
        problems = [FieldProblem(field="verdicts", message=f"nobody asked about arm {arm}") for arm in unknown]
        raise Invalid("The answer names arms that nobody asked about.", errors=problems)
    check.state = "failed" if result.failure is not None else "done"
    check.result = result.model_dump(mode="json")


class _State(NamedTuple):
    state: ConfigCheckState
    reason: str | None


def _state(check: ConfigCheck) -> _State:
    """An unanswered check reads as failed without anybody writing that down."""
    result: dict[str, Any] = check.result or {}
    if check.state == "failed":
        return _State("failed", result["failure"])
    if check.state == "done":
        return _State("done", None)
    if utcnow() - check.created_at > ANSWER_WITHIN:
        seconds = ANSWER_WITHIN.total_seconds()
        reason = f"The host's agent did not answer within {seconds:g} s. It may be busy with a trial, or be stopped."
        return _State("failed", reason)
    return _State("pending", None)


async def get(session: AsyncSession, check_id: UUID) -> ConfigCheckOut:
    check = await repository.config_check(session, check_id)
    if check is None:
        raise NotFound("There is no such check.")
    await session.refresh(check)
    host = await session.get_one(Host, check.host_id)
    state, reason = _state(check)
    result = ConfigCheckResult.model_validate(check.result) if check.result is not None else None
    arms = await asyncio.to_thread(_arms, check.definition, result) if result is not None else []
    return ConfigCheckOut(
        id=check.id,
        host_id=host.id,
        host_name=host.name,
        state=state,
        reason=reason,
        created_at=check.created_at,
        accepted=all(arm.accepted for arm in arms) if state == "done" else None,
        arms=arms,
    )


def _arms(raw: dict[str, Any], result: ConfigCheckResult) -> list[ArmCheck]:
    definition = Definition.model_validate(raw)
    return [_arm(verdict, render_config(definition, definition.arm(verdict.arm))) for verdict in result.verdicts]


def _arm(verdict: ArmVerdict, config: RenderedConfig) -> ArmCheck:
    findings = [_finding(verdict.arm, finding, config) for finding in verdict.findings]
    return ArmCheck(arm=verdict.arm, accepted=verdict.accepted, findings=findings)


def _finding(arm: str, finding: ConfigFinding, config: RenderedConfig) -> CheckFinding:
    """nginx counts lines as the agent wrote them: a placeholder becomes text on the same line."""
    origin = config.origin(finding.line) if finding.line is not None else None
    field, line = origin if origin is not None else (None, None)
    return CheckFinding(
        arm=arm,
        severity=finding.severity,
        message=finding.message,
        field=field,
        line=line,
        rendered_line=finding.line,
    )
