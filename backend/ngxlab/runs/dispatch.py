"""Give a trial to its hosts: each host's exact spec is created here and stored with the trial."""

import re
from uuid import UUID, uuid4

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.perturbations import PerturbationSpec
from ngxlab_contracts.protocol import CURRENT, PHASES, SERVED, Protocol, needed
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.trials import (
    UPSTREAM_VARIABLE_PREFIX,
    NginxSpec,
    ProfileSpec,
    SamplingSpec,
    TimingSpec,
    TrialSpec,
    UpstreamServerSpec,
)
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.core.stored_json import read, text
from ngxlab.definition.nginx import config as nginx_config
from ngxlab.definition.nginx.config import nginx_modules
from ngxlab.definition.nginx.dynamic_upstreams import upstream_spec
from ngxlab.definition.nginx.upstream_server import upstream_server_spec
from ngxlab.definition.resolve import ResolvedArm, resolve
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.definition.schema.plan import ProfilePlan
from ngxlab.hosts import availability
from ngxlab.runs.models import PROFILE_BLOCK, Run, Trial, TrialHost, definition_of
from ngxlab.runs.preflight.assignment import cpus_of_slots
from ngxlab.runs.states import TrialState
from ngxlab.runs.transitions import move_trial

_START_WITHIN_S = 60.0
_LONGEST_START_S = 86_400.0
_FILES_BYTES_PER_S = 100e6
"""With a slower disk the trial's files are not written in time: the trial fails with that reason."""


_TELLS_CONNECTION_TIME = (1, 19, 10)
"""The version of nginx that ``$connection_time`` came with."""


class Casting:
    """Which host does what in one arm of a run."""

    def __init__(self, definition: Definition, arm: ResolvedArm, run: Run) -> None:
        hosts = run.hosts
        self._definition = definition
        self._arm = arm
        self._build = text(run.builds.get(definition.build(arm.arm) or ""))
        self._by_slot = {entry.slot: entry for entry in hosts}
        self._inventories = {
            entry.slot: read(Inventory, entry.inventory, f"The inventory of {entry.host.name} in this run")
            for entry in hosts
        }
        self._cpus = cpus_of_slots(
            definition.placement,
            {slot: str(entry.host_id) for slot, entry in self._by_slot.items()},
            {str(entry.host_id): self._inventories[entry.slot].cpu.logical for entry in hosts},
        )

    @property
    def host_ids(self) -> list[UUID]:
        """Each host once, the target first."""
        slots = [TARGET_SLOT, *(slot for slot in self._by_slot if slot != TARGET_SLOT)]
        return list(dict.fromkeys(self._by_slot[slot].host_id for slot in slots))

    def _binary(self, slot: str) -> str:
        return self._inventories[slot].nginx[0].path

    def nginx(self, host_id: UUID, *, phases: bool = False) -> NginxSpec | None:
        """The nginx under test, on the target. ``phases``: it logs the parts of each request's time, if the agent knows
        of them: an older one profiles without. So it is with what nginx did with requests, beside their times."""
        target = self._by_slot[TARGET_SLOT]
        if target.host_id != host_id:
            return None
        template = self._arm.nginx
        binary = self._build or self._binary(TARGET_SLOT)
        protocol = Protocol.parse(target.host.protocol)
        phases = phases and not template.tcp and protocol.understands(PHASES)
        logged = self._phases(binary) if phases else None
        config = nginx_config.render(self._definition, self._arm.arm, logged)
        served = template.request_times and protocol.understands(SERVED)
        return NginxSpec(
            binary=binary,
            config=config if served else nginx_config.without_served(config),
            phases=logged is not None,
            served=served,
            workers=self._arm.workers,
            address=target.address,
            tls=template.tls,
            tcp=template.tcp,
            files=template.files,
            cpus=self._cpus[TARGET_SLOT],
            upstream_servers=[
                f"{UPSTREAM_VARIABLE_PREFIX}{upstream.key}" for upstream in self._definition.upstream_servers
            ],
            ports=int(template.ports),
            request_times=template.request_times,
            cold_files=template.cold_files,
            modules=nginx_modules(template),
            upstreams=upstream_spec(self._arm),
            watches_tls=template.tls,
            certificate_key=self._arm.certificate_key,
            certificate_chain=int(template.certificate_chain),
        )

    def _phases(self, binary: str) -> nginx_config.Phases:
        """A build that does not say which nginx it is made of is taken for a newer one."""
        known = (one.version for one in self._inventories[TARGET_SLOT].nginx if one.path == binary)
        numbers = re.search(r"(?:nginx|openresty)/(\d+)\.(\d+)\.(\d+)", next(known, ""))
        is_old = numbers is not None and tuple(map(int, numbers.groups())) < _TELLS_CONNECTION_TIME
        return "without-opening" if is_old else "whole"

    def upstream_servers(self, host_id: UUID) -> list[UpstreamServerSpec]:
        return [
            upstream_server_spec(
                self._definition,
                upstream,
                self._arm.arm,
                binary=self._binary(upstream.slot),
                address=self._by_slot[upstream.slot].address,
                cpus=self._cpus[upstream.slot],
            )
            for upstream in self._definition.upstream_servers
            if self._by_slot[upstream.slot].host_id == host_id
        ]

    def streams(self, host_id: UUID) -> list[StreamSpec]:
        slots = {stream.key: stream.slot for stream in self._definition.streams}
        return [
            stream.model_copy(update={"tls": self._definition.nginx.tls, "cpus": self._cpus[slots[stream.key]]})
            for stream in self._arm.streams
            if self._by_slot[slots[stream.key]].host_id == host_id
        ]

    def perturbations(self, host_id: UUID) -> list[PerturbationSpec]:
        slots = {one.key: one.slot for one in self._definition.perturbations}
        return [one for one in self._arm.perturbations if self._by_slot[slots[one.key]].host_id == host_id]

    def has_remote_streams(self, host_id: UUID) -> bool:
        return any(self._by_slot[stream.slot].host_id != host_id for stream in self._definition.streams)


def trial_spec(definition: Definition, run: Run, trial: Trial, casting: Casting, host_id: UUID) -> TrialSpec:
    """What one host does in this trial."""
    plan = (definition.profile or ProfilePlan()) if trial.is_profile else None
    nginx = casting.nginx(host_id, phases=plan is not None and plan.phases)
    upstream_servers = casting.upstream_servers(host_id)
    serves = nginx is not None or bool(upstream_servers)
    spec = TrialSpec(
        trial_id=trial.id,
        run_id=run.id,
        host_id=host_id,
        arm=trial.arm,
        block=trial.block,
        position=trial.position,
        attempt=trial.attempt,
        nginx=nginx,
        upstream_servers=upstream_servers,
        streams=casting.streams(host_id),
        perturbations=casting.perturbations(host_id),
        remote_streams=serves and casting.has_remote_streams(host_id),
        timing=_timing(definition),
        sampling=SamplingSpec(interval_ms=definition.plan.interval_ms),
        profile=ProfileSpec(hz=plan.hz) if plan is not None and nginx is not None else None,
    )
    return spec.model_copy(update={"requires": str(needed(spec))})


def refuse_older_agents(definition: Definition, run: Run, *, profiles: bool = False) -> None:
    """Raises Conflict for a host whose agent would not understand all of what it would have to do in some arm, with or
    without ``profiles``."""
    if all(Protocol.parse(entry.host.protocol) == CURRENT for entry in run.hosts):
        return
    for arm in definition.arms:
        casting = Casting(definition, resolve(definition, arm), run)
        trial = Trial(id=uuid4(), arm=arm.key, block=PROFILE_BLOCK if profiles else 1, position=0, attempt=1)
        for host_id in casting.host_ids:
            host = next(entry.host for entry in run.hosts if entry.host_id == host_id)
            availability.require(host, trial_spec(definition, run, trial, casting, host_id).requires)


def _timing(definition: Definition) -> TimingSpec:
    """All hosts wait for the target's files, which may take far longer to write than everything else."""
    size = sum(files.total_bytes for files in definition.nginx.files)
    start_s = min(_START_WITHIN_S + size / _FILES_BYTES_PER_S, _LONGEST_START_S)
    return TimingSpec(**definition.plan.phases, start_timeout_s=start_s)


async def dispatch(session: AsyncSession, run: Run, trial: Trial) -> None:
    """Store each host's spec and make the trial claimable."""
    definition = definition_of(run)
    casting = Casting(definition, resolve(definition, definition.arm(trial.arm)), run)
    for host_id in casting.host_ids:
        spec = trial_spec(definition, run, trial, casting, host_id)
        session.add(TrialHost(trial_id=trial.id, host_id=host_id, spec=spec.model_dump(mode="json")))
    await move_trial(session, trial, TrialState.dispatched)
    await session.refresh(trial, ["hosts"])
