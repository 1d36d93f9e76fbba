"""Contained, unprivileged child processes: the only way in which the agent starts nginx and load generators."""

from ngxlab_worker.sandbox.command import Command, drop
from ngxlab_worker.sandbox.cpus import CpusUnavailableError, parse_cpus, require_cpus
from ngxlab_worker.sandbox.identity import RunAs, resolve_run_as
from ngxlab_worker.sandbox.launcher import Child, Isolation, Sandbox, SandboxError, choose_isolation, probe_isolation
from ngxlab_worker.sandbox.lifeline import lifeline
from ngxlab_worker.sandbox.network import network_of, own_network, probe_network
from ngxlab_worker.sandbox.syscalls import probe_system_calls

__all__ = [
    "Child",
    "Command",
    "CpusUnavailableError",
    "Isolation",
    "RunAs",
    "Sandbox",
    "SandboxError",
    "choose_isolation",
    "drop",
    "lifeline",
    "network_of",
    "own_network",
    "parse_cpus",
    "probe_isolation",
    "probe_network",
    "probe_system_calls",
    "require_cpus",
    "resolve_run_as",
]
