"""What an nginx binary says of its build: the output of ``nginx -V``."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ngxlab_worker.core.programs import ProgramError

_DEFAULT_PREFIX = "/usr/local/nginx"


class Build(NamedTuple):
    """``nginx -V``, parsed. ``version`` is e.g. ``nginx/1.22.1`` or ``Tengine/2.3.2 (nginx/1.17.3)``."""

    version: str
    configure_arguments: list[str]


def parse_build(text: str) -> Build:
    """Raises :class:`ProgramError` if this is not what an nginx, or a descendant of it, says of itself."""
    versions = dict(re.findall(r"^(\S+) version: (.+?)\s*$", text, re.MULTILINE))
    nginx = versions.pop("nginx", None)
    descendant = next(iter(versions.values()), None)
    if nginx is None and descendant is None:
        raise ProgramError("its -V names no version")
    version = nginx or descendant or ""
    if nginx and descendant:
        version = f"{descendant} ({nginx})"
    _, _, arguments = text.partition("configure arguments:")
    try:
        return Build(version, shlex.split(arguments.split("\n", 1)[0]))
    except ValueError as error:
        raise ProgramError(f"its configure arguments cannot be read: {error}") from error


def static_modules(arguments: Sequence[str]) -> list[str]:
    """Modules compiled in, without the prefix ``ngx_``, those from other hands (``--add-module``) by their folder."""
    modules = [
        found[1]
        for argument in arguments
        if (found := re.fullmatch(r"--with-((?:http|mail|stream)_\w+_module)", argument))
    ]
    added = [argument.partition("=")[2] for argument in arguments if argument.startswith("--add-module=")]
    return modules + [module_name(Path(path).name) for path in added]


def modules_folder(arguments: Sequence[str]) -> Path:
    """Where this build looks for dynamic modules."""
    options = dict(argument.partition("=")[::2] for argument in arguments)
    prefix = Path(options.get("--prefix") or _DEFAULT_PREFIX)
    return prefix / (options.get("--modules-path") or "modules")


def module_name(name: str) -> str:
    """A module's or its folder's name without the prefix ``ngx_``."""
    return name.removeprefix("ngx_")
