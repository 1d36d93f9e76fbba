"""Which processes used the CPUs of a machine within the window."""

from collections.abc import Mapping

from ngxlab.analysis.records import HostRecord, TrialRecord
from ngxlab.analysis.summary.host import cpu_percent_by_mode, role_cores

OTHERS = "other processes"
_BUSY_MODES = ("user", "nice", "system")
_ROLES: Mapping[str, tuple[str, ...]] = {
    "nginx": ("nginx-master", "nginx-worker"),
    "load generators": ("generator",),
    "upstream servers": ("upstream",),
    "ngxlab's agent": ("agent", "helper"),
}
_NAMED_PERCENT = 0.5


def cpu_users(record: TrialRecord, host: HostRecord) -> dict[str, float]:
    """Percent of the time of all CPUs by group of processes, the largest first.

    :data:`OTHERS` are all processes outside the trial. Several hosts may be one machine. Empty if CPU times or the
    number of CPUs were not read.
    """
    modes = cpu_percent_by_mode(host)
    if not modes or host.inventory is None:
        return {}
    here = [one for one in record.hosts if one.machine == host.machine]
    percent_a_core = 100 / host.inventory.cpu.logical
    used = {
        group: percent_a_core * sum(role_cores(one, role) or 0.0 for one in here for role in roles)
        for group, roles in _ROLES.items()
    }
    busy = sum(modes.get(mode, 0.0) for mode in _BUSY_MODES)
    used[OTHERS] = max(0.0, busy - sum(used.values()))
    return dict(sorted(used.items(), key=lambda one: one[1], reverse=True))


def said(users: Mapping[str, float]) -> str:
    """E.g. ``nginx used 60 % of all CPUs, other processes 35 %``; empty where nothing was measured."""
    named = [(group, percent) for group, percent in users.items() if percent >= _NAMED_PERCENT]
    parts = [f"{group} {percent:.0f} %" for group, percent in named[1:]]
    first = [f"{group} used {percent:.0f} % of all CPUs" for group, percent in named[:1]]
    return ", ".join([*first, *parts])
