"""Sets up a trial on this host before its load, in the order in which the hosts wait for each other."""

import contextlib
import os
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Literal

from ngxlab_contracts.perturbations import DiskPressure, HttpCall, PerturbationSpec
from ngxlab_contracts.streams import StreamSpec
from ngxlab_contracts.telemetry import EndpointEvent, ProcessEvent, TemporaryFiles, TlsUse
from ngxlab_contracts.trials import TARGET_ENDPOINT, UNCOUNTED, Endpoint, NginxSpec, TrialSpec, UpstreamServerSpec

from ngxlab_worker.collectors import TIMEOUT_S, Sampler, SampleTargets
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.core.reach import Reach
from ngxlab_worker.engines import ENGINES, Generator, GeneratorContext, GeneratorError, Target
from ngxlab_worker.nginx import (
    ErrorLog,
    NginxProcess,
    NginxServer,
    Responder,
    UpstreamServer,
    scan_error_log,
    upstream_server,
)
from ngxlab_worker.nginx.files import LIBRARY, make_files
from ngxlab_worker.perturbations import Action, Perturbations, Scene, calls_target, prepare
from ngxlab_worker.sandbox import Child, Command, Sandbox, require_cpus
from ngxlab_worker.sandbox.process import cpus_allowed
from ngxlab_worker.storage import ColdStorage
from ngxlab_worker.trial.folder import make_readable, make_workplace, read_bounded
from ngxlab_worker.trial.intervention import Intervention, RequestAccounting, WorkerWatch
from ngxlab_worker.trial.memory import nginx_memory
from ngxlab_worker.trial.phases import PhaseLog
from ngxlab_worker.trial.recorder import LONGEST_ARTEFACT, Recorder
from ngxlab_worker.trial.request_times import RequestTimes
from ngxlab_worker.trial.served import Served
from ngxlab_worker.uplink.steering import Steering, TrialStopError
from ngxlab_worker.upstream_groups import UpstreamGroups, groups_of

FORGOTTEN_S = 30.0
"""A generator that is not stopped ends by itself this long after the measured window."""
STATUS_PATIENCE = 0.25
"""The wait for nginx's status page, as a fraction of the sampling interval."""
REPLACING = frozenset({"reload", "signal", "churn"})
"""Actions that may replace nginx's workers."""

Role = Literal["nginx-master", "nginx-worker", "upstream", "generator"]


@dataclass
class Stage:
    """Call :meth:`set_up` once. The clean-up of what it starts is registered in ``leftovers`` before it can fail."""

    spec: TrialSpec
    folder: Path
    sandbox: Sandbox
    steering: Steering
    reach: Reach
    recorder: Recorder
    clock: HostClock
    leftovers: ExitStack
    upstream_servers: list[UpstreamServer] = field(default_factory=list)
    nginx: NginxServer | None = None
    target: Target | None = None
    storage: ColdStorage | None = None
    request_times: RequestTimes | None = None
    phases: PhaseLog | None = None
    groups: UpstreamGroups | None = None
    generators: list[tuple[StreamSpec, Generator]] = field(default_factory=list)
    perturbations: list[tuple[PerturbationSpec, Action]] = field(default_factory=list)

    @property
    def servers(self) -> list[NginxProcess]:
        return [*self.upstream_servers, *([] if self.nginx is None else [self.nginx])]

    def set_up(self) -> None:
        """Start upstream servers, then the nginx that refers to them, then the generators that load it, and wait for
        what other hosts start. Raises the errors that :func:`ngxlab_worker.trial.failure.outcome_of` handles."""
        for process in (self.spec.nginx, *self.spec.upstream_servers, *self.spec.streams):
            if process is not None:
                require_cpus(process.cpus)
        for index, server in enumerate(self.spec.upstream_servers):
            self._start_upstream(index, server)
        if self.spec.nginx is not None:
            self._start_nginx(self.spec.nginx)
        if self.spec.streams:
            self.target = self._target()
            self._prepare_streams(self.target)
        if self.spec.perturbations:
            self._prepare_perturbations()

    def targets(self) -> SampleTargets:
        """What the sampler reads: this host and what the trial runs on it."""
        return SampleTargets(
            status_address=self.nginx.counters_address if self.nginx else None,
            nginx_master=self.nginx.master if self.nginx else None,
            nginx_workers=self.nginx.workers() if self.nginx else [],
            upstream_workers=[pid for server in self.upstream_servers for pid in server.workers()],
            upstream_status={one.key: one.status_address for one in self.upstream_servers if one.counts_requests},
            generators={generator.key: generator.pids for _, generator in self.generators},
            generator_counts={
                generator.key: generator.counts for _, generator in self.generators if generator.counts is not None
            },
            agent=os.getpid(),
            helpers=self.storage.helpers if self.storage else [],
            devices=self.storage.devices if self.storage else frozenset(),
        )

    def tell_memory(self, at: Literal["start", "end"]) -> None:
        """How much the nginx under test uses now, where it is on this host and its kernel tells."""
        if self.nginx is not None:
            told = nginx_memory(self.nginx.master, self.nginx.workers(), at=at, t_us=self.clock.now_us())
            if told is not None:
                self.recorder.event(told)

    def sampler(self, targets: SampleTargets) -> Sampler:
        """A new sampler, closed with the trial. It has not read anything yet."""
        patience_s = STATUS_PATIENCE * self.spec.sampling.interval_ms / 1000
        sampler = Sampler(targets, self.clock.now_us, patience_s=min(TIMEOUT_S, patience_s))
        self.leftovers.callback(sampler.close)
        return sampler

    def intervention(
        self, sampler: Sampler, targets: SampleTargets, accounting: RequestAccounting | None
    ) -> Intervention:
        """The perturbations of the load. nginx's workers are watched only where an action may replace them."""
        watch = None
        if self.nginx is not None and any(spec.action.kind in REPLACING for spec, _ in self.perturbations):
            watch = WorkerWatch(self.nginx, targets, sampler, self._new_worker)
        calls = frozenset(spec.key for spec, _ in self.perturbations if calls_target(spec.action))
        perturbations = Perturbations(self.perturbations, self.clock)
        return Intervention(perturbations, self.recorder, watch, calls, accounting)

    def _start_upstream(self, index: int, spec: UpstreamServerSpec) -> None:
        folder = make_workplace(self.folder / f"upstream-{index}", self.sandbox.run_as)
        server = upstream_server(spec, folder, self.sandbox, self.steering.pause)
        self.leftovers.callback(keep_upstream, self.recorder, server)
        self.leftovers.callback(server.stop)
        server.configure()
        if not isinstance(server, Responder):
            self._uncounted(server)
        server.start(self.spec.timing.ready_timeout_s)
        known = sum(len(other.workers()) for other in self.upstream_servers)
        self.upstream_servers.append(server)
        self._processes("upstream", server.workers(), first=known)
        self._announce(server.endpoint, wanted_elsewhere=self.spec.nginx is None)

    def _start_nginx(self, spec: NginxSpec) -> None:
        self.storage = storage = ColdStorage(spec, self.folder, self.recorder.note)
        self.leftovers.callback(storage.close)
        make_files(self.folder, spec.files, lambda: self.steering.pause(0), storage.prepare())
        nginx = NginxServer(spec, self.folder, self.sandbox, self.steering.pause)
        self.leftovers.callback(keep_nginx, self.recorder, nginx, self.clock)
        if spec.request_times:
            served = Served(spec.workers) if spec.served else None
            self.request_times = RequestTimes(nginx.access_log, self.clock, self.recorder, served)
            self.leftovers.callback(self.request_times.finish)  # runs after nginx has written its last line
        if spec.phases:
            self.phases = PhaseLog(nginx.phases_log, self.clock, self.recorder)
            self.leftovers.callback(self.phases.finish)
        self.leftovers.callback(nginx.stop)
        endpoints = self._endpoints_of(spec)
        groups = groups_of(spec, endpoints, nginx, self.folder, self.steering.pause)
        if groups is not None:
            groups.before_test()
        nginx.configure(endpoints)
        self._uncounted(nginx)
        nginx.start(self.spec.timing.ready_timeout_s)
        storage.confine([nginx.master, *nginx.workers()])
        storage.begin(self.folder / LIBRARY)
        if groups is not None:
            groups.fill()
        self.nginx, self.groups = nginx, groups
        self._processes("nginx-master", [nginx.master])
        self._processes("nginx-worker", nginx.workers())
        self._announce(nginx.endpoint, wanted_elsewhere=self.spec.remote_streams)

    def _uncounted(self, server: NginxProcess) -> None:
        if not server.counts_requests:
            message = f"{server.title} has no stub_status module, so its own counters of this trial are not available"
            self.recorder.note("warning", UNCOUNTED, message)

    def _endpoints_of(self, spec: NginxSpec) -> list[Endpoint]:
        here = {server.endpoint.name: server.endpoint for server in self.upstream_servers}
        elsewhere = [name for name in spec.upstream_servers if name not in here]
        endpoints = here | self._await_elsewhere(elsewhere)
        return [endpoints[name] for name in spec.upstream_servers]

    def _target(self) -> Target:
        if self.nginx is not None:
            endpoint = self.nginx.endpoint
        else:
            names = [TARGET_ENDPOINT]
            endpoint = self._await_elsewhere(names)[TARGET_ENDPOINT]
        return Target(endpoint.address, tuple(endpoint.ports))

    def _prepare_streams(self, target: Target) -> None:
        load_s = self.spec.timing.warmup_s + self.spec.timing.measure_s
        for index, stream in enumerate(self.spec.streams):
            if stream.start_offset_s >= load_s:
                reason = (
                    f"stream {stream.key} starts after {stream.start_offset_s:g} s, but the load lasts {load_s:g} s"
                )
                raise GeneratorError("stream-invalid", reason)
            folder = make_readable(self.folder / f"stream-{index}")
            life_s, pause = load_s + FORGOTTEN_S, self.steering.pause
            context = GeneratorContext(target=target, sandbox=self.sandbox, folder=folder, life_s=life_s, pause=pause)
            generator = ENGINES[stream.engine].prepare(stream, context, self.recorder.note)
            # Cleaned up first: a generator must be gone before nginx is asked to finish what it serves.
            self.leftovers.callback(generator.kill)
            known = sum(len(other.pids) for _, other in self.generators)
            self._processes("generator", generator.pids, first=known, stream=stream.key)
            self.generators.append((stream, generator))

    def _prepare_perturbations(self) -> None:
        streams_tls = any(stream.tls for stream in self.spec.streams)
        places = (self.folder / f"perturbation-{index}" for index in count())
        scene = Scene(
            spawn=self._spawn,
            folder=lambda: make_workplace(next(places), self.sandbox.run_as),
            endpoints=self._endpoints_to_call(),
            nginx=self.nginx,
            groups=self.groups,
            tls=self.spec.nginx.tls if self.spec.nginx is not None else streams_tls,
            disk_writers=sum(isinstance(spec.action, DiskPressure) for spec in self.spec.perturbations),
        )
        self.perturbations = [(spec, prepare(spec, scene)) for spec in self.spec.perturbations]

    def _endpoints_to_call(self) -> dict[str, Endpoint]:
        own = [server.endpoint for server in self.upstream_servers]
        own += [self.nginx.endpoint] if self.nginx is not None else []
        here = {endpoint.name: endpoint for endpoint in own}
        called = {spec.action.endpoint for spec in self.spec.perturbations if isinstance(spec.action, HttpCall)}
        return here | self._await_elsewhere(called - here.keys())

    def _await_elsewhere(self, names: Collection[str]) -> dict[str, Endpoint]:
        """What other hosts have announced. Raises ``TrialStopError`` where the owner allows no load to go there: it is
        the backend that says so."""
        endpoints = self.steering.await_endpoints(names, self.spec.timing.start_timeout_s)
        for endpoint in endpoints.values():
            if reason := self.reach.refusal(endpoint.address):
                raise TrialStopError("failed", "target-not-allowed", f"{endpoint.name} is at {reason}")
        return endpoints

    def _spawn(self, command: Command) -> Child:
        child = self.sandbox.spawn(command)
        self.leftovers.callback(child.kill)
        return child

    def _new_worker(self, index: int, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has ended again: the next call sees its successor
            self._processes("nginx-worker", [pid], first=index)

    def _announce(self, endpoint: Endpoint, *, wanted_elsewhere: bool) -> None:
        self.recorder.event(EndpointEvent(t_us=self.clock.now_us(), **endpoint.model_dump()))
        if wanted_elsewhere:
            self.recorder.flush()

    def _processes(self, role: Role, pids: list[int], *, first: int = 0, stream: str | None = None) -> None:
        for index, pid in enumerate(pids, first):
            cpus = cpus_allowed(pid)
            self.recorder.event(
                ProcessEvent(
                    t_us=self.clock.now_us(), role=role, index=index, pid=pid, cpus_allowed=cpus, stream=stream
                )
            )


def keep_nginx(recorder: Recorder, nginx: NginxServer, clock: HostClock) -> None:
    """Configuration, build and error log of the nginx under test; a note for each kind of warning in the log, and
    how many bodies went to temporary files according to it."""
    log = _keep(recorder, nginx, whose="nginx's", config_name="nginx.conf", log_name="error.log")
    files = {"requests": log.request_files, "responses": log.response_files, "log_bytes": log.size_bytes}
    recorder.event(TemporaryFiles(t_us=clock.now_us(), **files))
    if nginx.watches_tls:
        full, resumed = nginx.handshakes() or (None, None)
        failed = {reason: count for reason, count in log.handshakes.items() if reason}
        closed = log.handshakes.total() - sum(failed.values())
        recorder.event(TlsUse(t_us=clock.now_us(), full=full, resumed=resumed, failed=failed, unfinished=closed))
    if nginx.build:
        recorder.artefact("nginx-V.txt", nginx.build)


def keep_upstream(recorder: Recorder, server: UpstreamServer) -> None:
    """The same for an upstream server, under its key."""
    prefix = f"upstream-{server.key}"
    _keep(
        recorder,
        server,
        whose=f"upstream server {server.key}'s",
        config_name=f"{prefix}.conf",
        log_name=f"{prefix}.log",
    )


def _keep(recorder: Recorder, server: NginxProcess, *, whose: str, config_name: str, log_name: str) -> ErrorLog:
    log = scan_error_log(server.error_log)
    for finding in log.findings:
        recorder.note("error", finding.code, f"{finding.count} times in {whose} error log: {finding.example}")
    # As it is on disk at the end: that is what the last reload read.
    config = read_bounded(server.config_file, LONGEST_ARTEFACT)
    for name, text in ((config_name, config), (log_name, read_bounded(server.error_log, LONGEST_ARTEFACT))):
        if text:
            recorder.artefact(name, text)
    return log
