"""What must hold after a run, whatever happened meanwhile: nothing lost, nothing twice, and every reason true."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncpg
from ngxlab_worker.trial.recorder import TOLERATED_US

from scripts.stack.processes import ProcessId, descendants
from scripts.stack.waiting import wait_for, wait_until
from scripts.testbed.stack import Stack

PATIENCE_S = 60
LISTENING = "0A"
"""TCP_LISTEN in /proc/PID/net/tcp."""
NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")


def await_none(stack: Stack, trial_ids: Sequence[str]) -> None:
    """Raises TimeoutError for what is still there a minute after the end of a run with these trials."""
    found: list[str] = []

    def clean() -> bool:
        found[:] = [f"trial {trial_id}: {what}" for trial_id in trial_ids for what in _of_trial(stack, trial_id)]
        agent = ProcessId.read(stack.data / "run" / "agent.pid")
        found.extend(held_by(agent.pid) if agent is not None and agent.alive() else ())
        found.extend(
            f"namespace {line}" for line in _lines("/proc/mounts") if " nsfs " in line and str(stack.data) in line
        )
        return not found

    try:
        wait_until(clean, "the end of all that trials had started", PATIENCE_S)
    except TimeoutError as error:
        raise TimeoutError(f"left over: {found}") from error


def _of_trial(stack: Stack, trial_id: str) -> Iterator[str]:
    yield from (f"process {pid}" for pid in stack.processes_of_trial(trial_id))
    folder = stack.trial_folder(trial_id)
    if folder.exists():
        yield f"folder {folder}"
    yield from (f"mount {line}" for line in _lines("/proc/mounts") if str(folder) in line)
    yield from (f"loop device {line}" for line in _loop_devices() if str(folder) in line)
    yield from (f"control group {path}" for path in Path("/sys/fs/cgroup").glob(f"**/*{trial_id}*"))


def held_by(agent: int) -> Iterator[str]:
    """Ports on which a process and its descendants listen, and namespaces that they have beyond its own."""
    own = _namespaces(agent)
    for pid in (agent, *descendants(agent)):
        yield from (f"port {port} of process {pid}" for port in _ports(pid))
        yield from (f"namespace {name} of process {pid}" for name in sorted(_namespaces(pid) - own))
        kept = {link for link in _open_files(pid) if link.partition(":[")[0] in NAMESPACES}
        yield from (f"namespace {name}, held open by process {pid}" for name in sorted(kept))


def _namespaces(pid: int) -> set[str]:
    return {link for kind in NAMESPACES if (link := _link(Path(f"/proc/{pid}/ns/{kind}")))}


def _open_files(pid: int) -> set[str]:
    try:
        return {_link(path) for path in Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:
        return set()  # it has ended meanwhile


def _ports(pid: int) -> Iterator[int]:
    """Source: proc_pid_net(5); the columns are local address, remote address, state, ..., inode."""
    files = _open_files(pid)
    for name in ("tcp", "tcp6"):
        for line in _lines(f"/proc/{pid}/net/{name}")[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTENING and f"socket:[{inode}]" in files:
                yield int(local.rpartition(":")[2], 16)


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def _loop_devices() -> list[str]:
    done = subprocess.run(["losetup", "--list", "--noheadings"], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


MOST_DISAGREEMENT_PERCENT = 1.0

EXPLAINED_BY = {
    "agent-restarted": ("kill agent", "kill agent-pool", "stop agent"),
    "agent-stopped": ("kill agent",),
    "agent-stalled": ("stop agent", "stop agent-pool"),
    "agent-lost": ("stop agent", "stall agent-", "cut agent-", "unanswered agent-", "fill agent-disk"),
    "host-unresponsive": (
        "stop ",
        "stall ",
        "cut ",
        "unanswered ",
        "kill agent",
        "kill redis",
        "flush redis",
        "refuse redis",
        "readonly redis",
        "delay agent-",
    ),
    "never-ready": (
        "stop ",
        "stall ",
        "cut ",
        "unanswered ",
        "delay ",
        "loss ",
        "refuse ",
        "readonly ",
        "fill agent-disk",
    ),
    "start-timeout": ("stop ", "stall ", "cut ", "unanswered ", "delay ", "loss ", "refuse ", "readonly ", "kill "),
    "overdue": (
        "stop agent",
        "stall agent-backend",
        "cut agent-backend",
        "unanswered agent-backend",
        "fill agent-disk",
    ),
    "nginx-killed": ("kill nginx-master", "kill holder"),
    "generator-killed": ("kill generator", "kill holder"),
    "disk-full": ("fill agent-disk",),
    "clock-stepped": ("step server",),
}
"""Codes of lost and failed trials, with the faults that may cause them (by the beginning of their names)."""

SHORT_OF_COUNTS = {"generator-stuck", "wrk-memory-unreadable"}
"""Notes that say that a count is not whole."""

SHORT_OF_READINGS = {"late-readings", "status-late"}
"""Notes that say that readings are missing."""

_DOUBLES = """
select 'frames', count(*) from (
  select 1 from frame where trial_id = any($1) group by trial_id, host_id, layout, t_us having count(*) > 1) f
union all select 'intervals', count(*) from (
  select 1 from latency_interval where trial_id = any($1)
  group by trial_id, host_id, stream, quantity, t0_us having count(*) > 1) i
union all select 'ends', count(*) from (
  select 1 from trial_event where trial_id = any($1) and event->>'kind' = 'end'
  group by trial_id, host_id having count(*) > 1) e
union all select 'phases', count(*) from (
  select 1 from trial_event where trial_id = any($1) and event->>'kind' = 'phase'
  group by trial_id, host_id, event->>'phase' having count(*) > 1) p
"""
_GAPS = """
select trial_id, stream, count(*) from (
  select trial_id, stream, t0_us,
    lag(t1_us) over (partition by trial_id, host_id, stream, quantity order by t0_us) until
  from latency_interval where trial_id = any($1) and quantity <> 'rejected') chain
where until is not null and until <> t0_us group by trial_id, stream
"""
_ROWS = """
rows as (
  select trial_id, host_id, live_seq from frame where trial_id = any($1)
  union all select trial_id, host_id, live_seq from latency_interval where trial_id = any($1)
  union all select trial_id, host_id, live_seq from trial_event where trial_id = any($1))
"""
"""Each batch that is stored has taken one position (``live_seq``), which all its rows have."""
_MISSING = f"""
with {_ROWS}, stored as (select trial_id, host_id, count(distinct live_seq) batches from rows group by 1, 2),
kept as (select trial_id, host_id, count(*) files from artefact where trial_id = any($1) group by 1, 2)
select trial_id, acked_seq, coalesce(batches, 0), coalesce(files, 0)
from trial_host left join stored using (trial_id, host_id) left join kept using (trial_id, host_id)
where trial_id = any($1)
  and acked_seq not between coalesce(batches, 0) and coalesce(batches, 0) + coalesce(files, 0)
"""
"""A batch has rows, or else a kept file, which has no position: so the numbers of batches are between the two."""
_DISORDER = f"""
with {_ROWS}
select trial_id, 'rows after its end', count(*) from rows join trial_event e using (trial_id, host_id)
where e.event->>'kind' = 'end' and rows.live_seq > e.live_seq group by 1
union all select trial_id, 'readings out of order', count(*) from (
  select trial_id, t_us, lag(t_us) over (partition by trial_id, host_id, layout order by live_seq, id) before
  from frame where trial_id = any($1)) chain
where before >= t_us group by 1
"""
_UNCOUNTED = """
select result.trial_id, result.event->>'stream', (result.event->>'live_requests')::bigint, sum(part.count)
from trial_event result join latency_interval part
  on part.trial_id = result.trial_id and part.stream = result.event->>'stream'
  and part.quantity in ('latency', 'rejected')
where result.trial_id = any($1) and result.event->>'kind' = 'stream_result'
  and result.event->>'live_requests' is not null
group by 1, 2, 3 having (result.event->>'live_requests')::bigint <> sum(part.count)
"""


def complaints(stack: Stack, run: Any, report: Any, provoked: Counter[str]) -> list[str]:
    """``provoked``: the faults since the run began. Empty where all is well."""
    completed = [trial for trial in run["trials"] if trial["state"] == "completed"]
    planned_s = run["plan"]["measure_s"]
    found = [*_of_run(run, completed), *_of_reasons(run, provoked)]
    for trial in report["trials"]:
        if trial["trial"]["state"] == "completed":
            found += [f"trial {trial['trial']['id']}: {what}" for what in of_summary(trial["summary"], planned_s)]
    trials = [trial["id"] for trial in completed]
    with ThreadPoolExecutor(1) as apart:  # the caller's thread may have an event loop, such as that of a browser test
        return found + apart.submit(lambda: asyncio.run(of_data(stack.database_url(), trials))).result()


def _of_run(run: Any, completed: list[Any]) -> Iterator[str]:
    if run["state"] not in {"completed", "failed"}:
        yield f"the run ended as {run['state']}"
    if run["state"] == "failed" and not run["state_reason"]:
        yield "the run failed without a reason"
    positions = Counter(trial["position"] for trial in completed)
    if max(positions.values(), default=1) > 1:
        yield f"a position was measured twice: {positions}"
    if run["state"] == "completed" and len(positions) != run["plan"]["trials"]:
        yield f"{len(positions)} of {run['plan']['trials']} positions were measured in a completed run"


def _of_reasons(run: Any, provoked: Counter[str]) -> Iterator[str]:
    for trial in run["trials"]:
        if trial["state"] in {"lost", "failed"}:
            causes = EXPLAINED_BY.get(trial["code"], ())
            if not any(fault.startswith(causes) for fault in provoked):
                yield f"trial {trial['id']} is {trial['state']} as {trial['code']} ({trial['reason']}) after {provoked}"


def of_summary(summary: Any, planned_s: float) -> Iterator[str]:
    """On a disturbed or overloaded machine a trial may be late or short of a count, but a note must say so."""
    codes = {note["code"] for note in summary["notes"]}
    if not summary["usable"]:
        yield f"not usable: {summary['unusable_reason']}"
        return
    if summary["window_s"] > planned_s + TOLERATED_US / 1e6 and "late-end" not in codes:
        yield f"its window lasted {summary['window_s']} s, and no note says so"
    disagreement = summary["accounting"]["max_disagreement_percent"]
    if (disagreement is None or disagreement >= MOST_DISAGREEMENT_PERCENT) and not codes & SHORT_OF_COUNTS:
        yield f"its counts disagree: {summary['accounting']}, notes {sorted(codes)}"
    if summary["sampling"]["missing"] and not codes & SHORT_OF_READINGS:
        yield f"readings are missing: {summary['sampling']}, notes {sorted(codes)}"


async def of_data(url: str, trials: list[str]) -> list[str]:
    """What is wrong with the stored data of completed trials, whatever they measured."""
    connection = await asyncpg.connect(url)
    try:
        doubles = await connection.fetch(_DOUBLES, trials)
        gaps = await connection.fetch(_GAPS, trials)
        missing = await connection.fetch(_MISSING, trials)
        disorder = await connection.fetch(_DISORDER, trials)
        uncounted = await connection.fetch(_UNCOUNTED, trials)
    finally:
        await connection.close()
    return [
        *(f"{count} {what} are stored twice" for what, count in doubles if count),
        *(f"trial {trial}: {count} gaps in the intervals of stream {stream}" for trial, stream, count in gaps),
        *(
            f"trial {trial}: {acked} batches were taken, rows are of {batches}, and {files} files are kept"
            for trial, acked, batches, files in missing
        ),
        *(f"trial {trial}: {count} {what}" for trial, what, count in disorder),
        *(f"trial {trial}: {live} requests of {stream}, but {kept} kept" for trial, stream, live, kept in uncounted),
    ]


def losses(stack: Stack, run: Any, provoked: Counter[str]) -> list[str]:
    """What was lost, stored twice or left over. ``provoked``: the faults since the run began."""
    found = []
    try:
        await_none(stack, [trial["id"] for trial in run["trials"]])
    except TimeoutError as error:
        found.append(str(error))
    report = insist(lambda: stack.api("GET", f"/runs/{run['id']}/report"))
    found += insist(lambda: complaints(stack, run, report, provoked))
    say(f"run {run['id']} {run['state']} {run['state_code'] or ''}: {'; '.join(found) or 'nothing lost'}")
    return found


def insist(ask: Callable[[], Any], seconds: float = 90) -> Any:
    """The answer of a server that may just have been killed; repeated until it answers."""

    def asked() -> Any:
        with suppress(OSError, IndexError):
            return ask()
        return None

    return wait_for(asked, "an answer of the backend", seconds)


def say(text: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')}  {text}\n")
    sys.stdout.flush()
