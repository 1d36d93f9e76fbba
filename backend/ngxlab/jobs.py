"""The jobs service: which kinds of jobs it knows, and what its beat fires."""

from datetime import timedelta

from sqlalchemy import ColumnElement, exists, func, or_

from ngxlab.audit import upkeep as audit_log
from ngxlab.core.config import Settings
from ngxlab.core.jobs import execution as own_upkeep
from ngxlab.core.jobs import worker
from ngxlab.core.jobs.kinds import Round
from ngxlab.hosts import broker_users
from ngxlab.hosts.models import Host
from ngxlab.notifications import delivery, host_watch
from ngxlab.retention import upkeep as storage
from ngxlab.runs.models import Coordinator
from ngxlab.runs.results import jobs as results
from ngxlab.runs.watch import live_checks, lost_trials
from ngxlab.schedules import starting

KINDS = (results.results_of_trials, results.verdict_of_run, results.verdict_so_far, live_checks.trial_check)
"""What is asked for; the others belong to rounds."""
_LATELY = timedelta(seconds=8)
"""Two heartbeats of a host at rest, or two pulses of a coordinator."""


def rounds(settings: Settings) -> list[Round]:
    """What beat fires."""
    return [
        *lost_trials.rounds(),
        delivery.round_of_outbox(),
        host_watch.round_of_hosts(),
        starting.round_of_schedules(),
        broker_users.round_of_users(),
        results.round_of_verdicts(),
        storage.round_of_storage(settings.keep_raw_days),
        audit_log.round_of_audit_log(),
        own_upkeep.round_of_jobs(),
    ]


def heard() -> ColumnElement[bool]:
    """Whether a host or a coordinator has called lately: so others could have, too."""
    lately = func.now() - _LATELY
    return or_(exists().where(Coordinator.pulse_at > lately), exists().where(Host.heartbeat_at > lately))


def run(settings: Settings) -> int:
    """Work until told to end; the exit status."""
    return worker.run(settings, rounds(settings), heard())
