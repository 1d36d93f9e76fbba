"""The caps that the owner of this host has set in caps.toml, which the backend can see and cannot change."""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

from ngxlab_contracts.hosts import HostCaps, HostRole
from ngxlab_contracts.perturbations import WHOLE_HOST, DiskPressure
from ngxlab_contracts.trials import TrialSpec
from pydantic import Field, ValidationError

from ngxlab_worker.confinement import Bounds, default_bounds
from ngxlab_worker.perturbations.disk_writer import LARGEST_FILE

FILE_NAME = "caps.toml"

TEMPLATE = """\
# What you, the owner of this host, allow. Remove the # from a line to set it; the lines show examples, not defaults.
# The agent reads this file when it starts, once a minute, on SIGHUP and before each trial. The server cannot change it.

# The roles that this host may play in an experiment. Without this line: all three.
# roles = ["target", "generator", "upstream"]

# The most connections that the load generators of one trial may open here. Without this line: no cap.
# max_connections = 10000

# The longest trial in seconds: warm-up, measured window and cool-down. Without this line: no cap.
# max_trial_s = 600

# The most bytes of files that one trial may have here at a time, with its logs and temporary files; each disk pressure
# counts as 256 MiB. A trial that exceeds this or one of the next two caps is ended, with the cap as its reason.
# Without this line: half of the space that is free when the trial begins.
# max_files_bytes = 10_000_000_000

# The most memory, in bytes, of all processes of one trial together (64 MiB at least).
# Without this line: three quarters of this host's memory.
# max_memory_bytes = 4_000_000_000

# The most processes and threads of one trial (32 at least). Without this line: 8192.
# max_processes = 2000

# Lua scripts of load generators, which can open any connection. Without this line: not allowed.
# allow_scripts = true

# Perturbations of the whole host: sync, and pressure on its CPUs and its disks. Without this line: allowed.
# allow_pressure = false

# nginx binaries to offer besides those on PATH and in the usual places, such as your own build or Tengine.
# nginx = ["/opt/tengine/sbin/nginx"]
"""


class CapsError(Exception):
    """The file cannot be used; the message gives its path, the line and the reason."""


class OwnerFile(HostCaps):
    """The file's content: the caps, and in ``nginx`` the paths of binaries to offer besides the usual ones."""

    max_connections: Annotated[int, Field(ge=0)] | None = None
    max_trial_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_files_bytes: Annotated[int, Field(ge=0)] | None = None
    max_memory_bytes: Annotated[int, Field(ge=64 << 20)] | None = None
    max_processes: Annotated[int, Field(ge=32)] | None = None
    nginx: list[Annotated[str, Field(pattern="^/")]] = Field(default_factory=list)

    @property
    def caps(self) -> HostCaps:
        return HostCaps.model_validate(self.model_dump(exclude={"nginx"}))


def load(folder: Path) -> OwnerFile:
    """Read ``folder``/caps.toml; without the file nothing is capped. Raises ``CapsError``."""
    path = folder / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8")
        return OwnerFile.model_validate(tomllib.loads(text), strict=True)
    except FileNotFoundError:
        return OwnerFile()
    except ValidationError as error:
        raise CapsError(f"{path}: {_explain(error, text)}") from error
    except (OSError, ValueError) as error:  # unreadable, not UTF-8, or not TOML (whose message names the line)
        raise CapsError(f"{path}: {error}") from error


def write_template(folder: Path) -> None:
    """Write a file with everything commented out, unless there is one already."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    if not path.exists():
        path.write_text(TEMPLATE, encoding="utf-8")


def refusal(caps: HostCaps, spec: TrialSpec) -> str | None:
    """Which cap forbids this trial, or ``None`` where none does."""
    for role in _roles(spec):
        if role not in caps.roles:
            return role_refusal(role)
    connections = sum(stream.connections for stream in spec.streams)
    if caps.max_connections is not None and connections > caps.max_connections:
        return (
            f"{connections} connections: the owner of this host allows at most {caps.max_connections} (max_connections)"
        )
    seconds = spec.timing.warmup_s + spec.timing.measure_s + spec.timing.cooldown_s
    if caps.max_trial_s is not None and seconds > caps.max_trial_s:
        return f"a trial of {seconds:g} s: the owner of this host allows at most {caps.max_trial_s:g} s (max_trial_s)"
    size = sum(files.count * files.size_bytes for files in spec.nginx.files) if spec.nginx else 0
    size += LARGEST_FILE * sum(isinstance(one.action, DiskPressure) for one in spec.perturbations)
    if caps.max_files_bytes is not None and size > caps.max_files_bytes:
        most = caps.max_files_bytes
        return f"files of {size} bytes: the owner of this host allows at most {most} bytes (max_files_bytes)"
    scripted = next((stream.key for stream in spec.streams if stream.script is not None), None)
    if scripted is not None and not caps.allow_scripts:
        return f"stream {scripted} has a Lua script: the owner of this host does not allow scripts (allow_scripts)"
    pressing = next((one for one in spec.perturbations if one.action.kind in WHOLE_HOST), None)
    if pressing is not None and not caps.allow_pressure:
        what = f"perturbation {pressing.key} ({pressing.action.kind}) acts on the whole host"
        return f"{what}: the owner of this host does not allow that (allow_pressure)"
    return None


def bounds(caps: HostCaps, folder: Path) -> Bounds:
    """What a trial's children may use together: what the owner sets, else what leaves the host usable."""
    default = default_bounds(folder)
    return Bounds(
        memory_bytes=default.memory_bytes if caps.max_memory_bytes is None else caps.max_memory_bytes,
        processes=default.processes if caps.max_processes is None else caps.max_processes,
        file_bytes=default.file_bytes if caps.max_files_bytes is None else caps.max_files_bytes,
    )


def role_refusal(role: HostRole) -> str:
    """For a role that the owner has not listed."""
    return f"the owner of this host does not allow it the role {role} (roles)"


def _roles(spec: TrialSpec) -> list[HostRole]:
    plays: dict[HostRole, bool] = {
        "target": spec.nginx is not None,
        "upstream": bool(spec.upstream_servers),
        "generator": bool(spec.streams),
    }
    return [role for role, played in plays.items() if played]


def _explain(error: ValidationError, text: str) -> str:
    """Every error with the line of its key."""
    return "; ".join(_complaint(item["loc"], item["msg"], item["type"], text) for item in error.errors())


def _complaint(location: tuple[Any, ...], message: str, kind: str, text: str) -> str:
    key = str(location[0])
    place = _key(key).search(text)
    line = text[: place.start()].count("\n") + 1 if place else 1
    if kind == "extra_forbidden":
        message = f"unknown key; the keys are {', '.join(OwnerFile.model_fields)}"
    return f"line {line}: {key}: {message}"


def _key(name: str) -> re.Pattern[str]:
    return re.compile(rf"""^[ \t]*\[?[ \t]*["']?{re.escape(name)}["']?\s*(=|\]|\.)""", re.MULTILINE)
