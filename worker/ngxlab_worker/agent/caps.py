"""The caps that the owner of this host has set in caps.toml, which the backend can see and cannot change."""

import re
import tomllib
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any

from ngxlab_contracts.hosts import HostCaps
from ngxlab_policy.arguments import is_module_file
from ngxlab_policy.owner import FILE, PATTERN
from pydantic import AfterValidator, Field, ValidationError

from ngxlab_worker.confinement import Bounds, default_bounds

FILE_NAME = "caps.toml"
TEMPLATE = Path(__file__).with_name(FILE_NAME)
"""The file that a new host gets: every key explained, none set."""


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
    allow_directives: list[Annotated[str, Field(pattern=f"^{PATTERN}$")]] = Field(default_factory=list)
    code_files: list[Annotated[str, Field(pattern=f"^{FILE}$")]] = Field(default_factory=list)
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
        path.write_text(TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")


def bounds(caps: HostCaps, folder: Path) -> Bounds:
    """What a trial's children may use together: what the owner sets, else what leaves the host usable."""
    default = default_bounds(folder)
    return Bounds(
        memory_bytes=default.memory_bytes if caps.max_memory_bytes is None else caps.max_memory_bytes,
        processes=default.processes if caps.max_processes is None else caps.max_processes,
        file_bytes=default.file_bytes if caps.max_files_bytes is None else caps.max_files_bytes,
    )


def _explain(error: ValidationError, text: str) -> str:
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
