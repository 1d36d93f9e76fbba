"""The caps that the owner of this host has set in caps.toml, which the backend can see and cannot change."""

import re
import tomllib
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any

from ngxlab_contracts.hosts import HostCaps
from ngxlab_policy.arguments import is_module_file
from pydantic import AfterValidator, Field, ValidationError

from ngxlab_worker.confinement import Bounds, default_bounds

FILE_NAME = "caps.toml"


class CapsError(Exception):
    """The file cannot be used; the message gives its path, the line and the reason."""


def _network(text: str) -> str:
    return str(ip_network(text))


def _module_file(path: str) -> str:
    if not is_module_file(path):
        raise ValueError(f"{path!r} is not the whole path of a module's file (.so) below /usr or /opt")
    return path


class OwnerFile(HostCaps):
    """The file's content: the caps, and in ``nginx`` the paths of binaries to offer besides the usual ones."""

    max_connections: Annotated[int, Field(ge=0)] | None = None
    max_trial_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_files_bytes: Annotated[int, Field(ge=0)] | None = None
    max_memory_bytes: Annotated[int, Field(ge=64 << 20)] | None = None
    max_processes: Annotated[int, Field(ge=32)] | None = None
    max_rate_per_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    allow_targets: list[Annotated[str, AfterValidator(_network)]] | None = None
    nginx_modules: list[Annotated[str, AfterValidator(_module_file)]] = Field(default_factory=list)
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
        path.write_text(_TEMPLATE, encoding="utf-8")


def bounds(caps: HostCaps, folder: Path) -> Bounds:
    """What a trial's children may use together: what the owner sets, else what leaves the host usable."""
    default = default_bounds(folder)
    return Bounds(
        memory_bytes=default.memory_bytes if caps.max_memory_bytes is None else caps.max_memory_bytes,
        processes=default.processes if caps.max_processes is None else caps.max_processes,
        file_bytes=default.file_bytes if caps.max_files_bytes is None else caps.max_files_bytes,
    )


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


_TEMPLATE = """\
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

# The highest rate, in requests or new connections a second, that the load generators of one trial may plan here. An
# engine without a planned rate, such as wrk, is as fast as its connections allow. Without this line: no cap.
# max_rate_per_s = 50_000

# Networks that this host may send load to, besides itself. The agent refuses any other address, whatever the server
# says. Without this line: the private networks (10.0.0.0/8 and the like) that this host is itself part of.
# allow_targets = ["192.0.2.0/24", "2001:db8::/64"]

# Lua scripts of load generators. They can read no file of this host and reach nothing but the trial's target; where the
# kernel cannot ensure that, they are refused whatever this says. Without this line: not allowed.
# allow_scripts = true

# nginx without namespaces (see the capability "isolation"): its configuration could then read any file that the user
# ngxlab can read. Say true where that user sees nothing worth keeping, such as in a container that has nothing else.
# Without this line: where namespaces do not work, this host runs no nginx.
# allow_unsandboxed_nginx = true

# Perturbations of the whole host: sync, and pressure on its CPUs and its disks. Without this line: allowed.
# allow_pressure = false

# nginx binaries to offer besides those on PATH and in the usual places, such as your own build or Tengine.
# nginx = ["/opt/tengine/sbin/tengine"]

# Files of nginx modules that an experiment may load (load_module), below /usr or /opt. Their code runs in the trial's
# nginx. Without this line: none; what ngxlab itself writes loads what it needs from the folder of modules of the nginx.
# nginx_modules = ["/usr/lib/nginx/modules/ngx_http_brotli_filter_module.so"]
"""
"""The caps.toml that a new host gets: every key explained, none set."""
