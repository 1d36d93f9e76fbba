"""nginx binaries of this host, as each describes itself by ``nginx -V``."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ngxlab_contracts.hosts import NginxBinary

from ngxlab_worker.inventory.programs import ProgramError, ask, existing, is_file, on_path, sha256

_USUAL = ("/usr/sbin/nginx", "/usr/local/nginx/sbin/nginx")
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
    return modules + [_module_name(Path(path).name) for path in added]


def modules_folder(arguments: Sequence[str]) -> Path:
    """Where this build looks for dynamic modules."""
    options = dict(argument.partition("=")[::2] for argument in arguments)
    prefix = Path(options.get("--prefix") or _DEFAULT_PREFIX)
    return prefix / (options.get("--modules-path") or "modules")


def dynamic_modules(folder: Path) -> list[str]:
    """Modules that ``load_module`` could load from here."""
    try:
        return sorted(_module_name(file.stem) for file in folder.glob("*.so"))
    except OSError:
        return []


def inspect(path: str) -> NginxBinary:
    """Raises :class:`ProgramError`."""
    build = parse_build(ask(path, "-V"))
    modules = static_modules(build.configure_arguments) + dynamic_modules(modules_folder(build.configure_arguments))
    return NginxBinary(
        path=path,
        version=build.version,
        configure_arguments=build.configure_arguments,
        modules=list(dict.fromkeys(modules)),
        sha256=sha256(path),
    )


def registered(configured: Sequence[str] = ()) -> list[str]:
    """Paths of what may be an nginx here: on PATH, in the usual places, or named by the owner."""
    return existing([*on_path("nginx"), *_USUAL, *configured])


def find(configured: Sequence[str] = ()) -> tuple[list[NginxBinary], dict[str, str]]:
    """Those that answer, PATH's first; and why each of the others (by path) does not."""
    found: list[NginxBinary] = []
    refused = {path: "no such file" for path in configured if not is_file(path)}
    for path in registered(configured):
        try:
            found.append(inspect(path))
        except ProgramError as error:
            refused[path] = str(error)
    return found, refused


def _module_name(name: str) -> str:
    return name.removeprefix("ngx_")
