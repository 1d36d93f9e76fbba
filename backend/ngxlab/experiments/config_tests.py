"""Let a host's own nginx test the configuration of every arm, map its messages to the definition's lines, and see its
first answers."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from ngxlab_contracts.answers import FirstAnswer
from ngxlab_contracts.broker import TASK_TEST_CONFIG, host_queue
from ngxlab_contracts.config_test import ArmConfig, ArmVerdict, ConfigFinding, ConfigTestResult, ConfigTestSpec
from ngxlab_contracts.hosts import NginxBinary
from ngxlab_contracts.protocol import FIRST_ANSWERS, Protocol
from ngxlab_contracts.sentences import say
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import Role
from ngxlab.analysis import first_answers
from ngxlab.configurations.schemas import ConversionRequest
from ngxlab.core.clock import utcnow
from ngxlab.core.database import after_commit, bus_of
from ngxlab.core.errors import Conflict, FieldProblem, Invalid, NotFound, existing
from ngxlab.core.stored_json import read, text
from ngxlab.definition.nginx.config import RenderedConfig, render_config
from ngxlab.definition.preview.schemas import RawDefinition
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments import repository, service
from ngxlab.experiments.models import ConfigTest
from ngxlab.experiments.preview_process import PreviewProcess
from ngxlab.experiments.preview_work import (
    ConfigTestJob,
    ConversionJob,
    RenderedTest,
    TargetNginx,
    render_config_test,
)
from ngxlab.experiments.schemas import (
    ArmConfigFinding,
    ArmConfigTest,
    ConfigTestCreate,
    ConfigTestOut,
    ConfigTestState,
    FirstAnswerOut,
)
from ngxlab.hosts import availability
from ngxlab.hosts import service as hosts
from ngxlab.hosts.models import Host, inventory_of
from ngxlab.hosts.repository import is_online, leases

ANSWER_WITHIN = timedelta(seconds=30)
_TOO_OLD = "The host's agent is too old to send requests. Upgrade it: its page says how."


async def create(
    session: AsyncSession, caller: Caller, previews: PreviewProcess, request: ConfigTestCreate
) -> ConfigTestOut:
    """Ask the host. Raises Invalid for a broken definition, Conflict if the host cannot do the test."""
    definition = await _definition(session, caller, request)
    host = await hosts.usable(session, caller, request.host_id)
    await _require_free(session, host)
    test_id = uuid4()
    target = TargetNginx(host=host.name, registered=_registered(host), chosen=request.nginx)
    with_answers = Protocol.parse(host.protocol).understands(FIRST_ANSWERS)
    job = ConfigTestJob(test_id=test_id, definition=definition, target=target, with_answers=with_answers)
    rendered = RenderedTest.model_validate_json(await previews.run(caller, render_config_test.__name__, job))
    availability.require(host, rendered.spec.requires)
    session.add(
        ConfigTest(
            id=test_id,
            host_id=host.id,
            created_by=caller.account.id,
            state="pending",
            definition=rendered.definition.model_dump(mode="json"),
            request=rendered.spec.model_dump(mode="json"),
        )
    )
    await session.flush()
    bus = bus_of(session)

    async def hint() -> None:
        await bus.send_task(TASK_TEST_CONFIG, test_id, host_queue(host.id))

    after_commit(session, hint)
    return await get(session, test_id)


async def conversion_job(session: AsyncSession, caller: Caller, request: ConversionRequest) -> ConversionJob:
    """With what is known of the host. Raises NotFound, and Forbidden for a host of another team."""
    if request.host_id is None:
        return ConversionJob(request=request, nginx=None, cpus=None)
    inventory = inventory_of(await hosts.usable(session, caller, request.host_id))
    nginx = next(iter(inventory.nginx), None)
    caps = inventory.caps
    return ConversionJob(
        request=request,
        nginx=nginx,
        cpus=inventory.cpu.logical,
        allow_directives=caps.allow_directives,
        code_files=caps.code_files,
    )


async def _definition(session: AsyncSession, caller: Caller, request: ConfigTestCreate) -> RawDefinition:
    if request.definition is not None:
        return request.definition
    assert request.experiment_id is not None  # noqa: S101 (the payload has exactly one of the two)
    await service.require_readable(session, caller, request.experiment_id)
    await service.get(session, request.experiment_id)
    version = await repository.latest_version(session, request.experiment_id)
    return version.definition


async def _require_free(session: AsyncSession, host: Host) -> None:
    """A test costs CPU, so a host that a run holds is not asked: the test would disturb its measurement."""
    if not is_online(host.heartbeat_at, utcnow()):
        raise Conflict("{host} is offline. Start its agent first.", host=host.name, code="host-offline")
    if trouble := availability.trouble(host):
        raise Conflict(
            "{host} {trouble}.",
            host=host.name,
            trouble=trouble,
            code="host-conflict" if host.conflict else "protocol-skew",
        )
    if reason := availability.deafness(host):
        raise Conflict("{host} {reason}.", host=host.name, reason=reason, code="host-no-redis")
    if reason := availability.hindrance(host):
        raise Conflict("{host} {reason}.", host=host.name, reason=reason, code="host-no-room")
    if host.draining:
        raise Conflict("{host} is draining and accepts no new tasks.", host=host.name, code="host-draining")
    if host.id in await leases(session):
        raise Conflict(
            "A run is using {host}, and a test would disturb its measurement. Test again after the run.",
            host=host.name,
            code="host-busy",
        )


def _registered(host: Host) -> list[NginxBinary]:
    inventory = inventory_of(host)
    if "target" not in inventory.caps.roles:
        raise Conflict(
            "The owner of {host} does not allow it the role target.", host=host.name, code="role-not-allowed"
        )
    isolation = next((one for one in inventory.capabilities if one.name == "isolation"), None)
    if isolation is not None and not isolation.available and not inventory.caps.allow_unsandboxed_nginx:
        raise availability.unsandboxed(host.name, isolation.detail)
    if not inventory.nginx:
        raise Conflict("{host} has no nginx. Install it there; the agent detects it.", host=host.name, code="no-nginx")
    return inventory.nginx


async def _of_host(session: AsyncSession, host: Host, test_id: UUID) -> ConfigTest:
    test = await repository.config_test(session, test_id, lock=True)
    if test is None or test.host_id != host.id:
        raise NotFound("This host has no such test.", code="unknown-test")
    return test


async def request_of(session: AsyncSession, host: Host, test_id: UUID) -> ConfigTestSpec:
    """The configurations to test. Raises Conflict for a test that is over, because nobody waits for its result."""
    test = await _of_host(session, host, test_id)
    if _state(test).state != "pending":
        raise Conflict("This test is over.", code="test-over")
    return read(ConfigTestSpec, test.request, "What is to be tested")


async def accept(session: AsyncSession, host: Host, test_id: UUID, result: ConfigTestResult) -> None:
    """Store the host's answer. Only the first one counts; a repeated one changes nothing."""
    test = await _of_host(session, host, test_id)
    if test.state != "pending":
        return
    asked = {arm.arm for arm in read(ConfigTestSpec, test.request, "What is to be tested").arms}
    unknown = [verdict.arm for verdict in result.verdicts if verdict.arm not in asked]
    if unknown:
        problems = [
            FieldProblem(field="verdicts", message=say("arm {arm} is not part of this test", arm=arm))
            for arm in unknown
        ]
        raise Invalid("The answer names arms that are not part of this test.", errors=problems)
    test.state = "failed" if result.failure is not None else "done"
    test.result = result.model_dump(mode="json")


class _State(NamedTuple):
    state: ConfigTestState
    reason: str | None


def _state(test: ConfigTest) -> _State:
    """A test without an answer reads as failed after a while, although nothing is stored about that."""
    result: dict[str, Any] = test.result or {}
    if test.state == "failed":
        return _State("failed", text(result.get("failure")) or "The host gave no reason.")
    if test.state == "done":
        return _State("done", None)
    if utcnow() - test.created_at > ANSWER_WITHIN:
        seconds = ANSWER_WITHIN.total_seconds()
        reason = f"The host's agent did not answer within {seconds:g} s. It may be stopped, or busy with a trial."
        return _State("failed", reason)
    return _State("pending", None)


async def own(session: AsyncSession, caller: Caller, test_id: UUID) -> ConfigTestOut:
    """Raises NotFound for somebody else's, which shows lines of a configuration that may be a team's."""
    test = existing(await repository.config_test(session, test_id), "test")
    if test.created_by != caller.account.id and caller.account.role != Role.administrator:
        existing(None, "test")
    return await get(session, test_id)


async def get(session: AsyncSession, test_id: UUID) -> ConfigTestOut:
    test = existing(await repository.config_test(session, test_id), "test")
    await session.refresh(test)
    host = await session.get_one(Host, test.host_id)
    state, reason = _state(test)
    result = read(ConfigTestResult, test.result, "The answer of the host") if test.result is not None else None
    arms = await asyncio.to_thread(_arms, test, result) if result is not None else []
    return ConfigTestOut(
        id=test.id,
        host_id=host.id,
        host_name=host.name,
        state=state,
        reason=reason,
        created_at=test.created_at,
        accepted=all(arm.accepted for arm in arms) if state == "done" else None,
        arms=arms,
    )


def _arms(test: ConfigTest, result: ConfigTestResult) -> list[ArmConfigTest]:
    definition = read(Definition, test.definition, "The tested definition")
    asked = {arm.arm: arm for arm in read(ConfigTestSpec, test.request, "What is to be tested").arms}
    baseline = next((one for one in result.verdicts if one.arm == definition.baseline), None)
    compared = {(one.stream, one.path): one for one in baseline.answers} if baseline is not None else {}
    return [
        _arm(verdict, asked[verdict.arm], render_config(definition, definition.arm(verdict.arm)), compared)
        for verdict in result.verdicts
    ]


def _arm(
    verdict: ArmVerdict, asked: ArmConfig, config: RenderedConfig, baseline: Mapping[tuple[str, str], FirstAnswer]
) -> ArmConfigTest:
    streams = {stream.key: stream for stream in asked.streams}
    answers = [
        FirstAnswerOut(
            **answer.model_dump(),
            text=first_answers.line(answer),
            departures=first_answers.departures(answer, streams[answer.stream], asked.nginx.files),
            differences=first_answers.differences(answer, baseline.get((answer.stream, answer.path))),
        )
        for answer in verdict.answers
        if answer.stream in streams
    ]
    return ArmConfigTest(
        arm=verdict.arm,
        nginx=asked.nginx.binary,
        accepted=verdict.accepted,
        findings=[_finding(verdict.arm, finding, config) for finding in verdict.findings],
        answers=answers,
        unanswered=verdict.unanswered if asked.streams else _TOO_OLD,
    )


def _finding(arm: str, finding: ConfigFinding, config: RenderedConfig) -> ArmConfigFinding:
    """nginx's line numbers fit the rendered text, because the agent replaces each placeholder within its line."""
    origin = config.origin(finding.line) if finding.line is not None else None
    field, line = origin if origin is not None else (None, None)
    return ArmConfigFinding(
        arm=arm,
        severity=finding.severity,
        message=finding.message,
        field=field,
        line=line,
        rendered_line=finding.line,
    )
