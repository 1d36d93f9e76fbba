"""What an nginx binary says of its build: the output of ``nginx -V``."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ngxlab_worker.core.programs import ProgramError

_DEFAULT_PREFIX = "/usr/local/nginx"
_FOLDERS = (
    (r"lua-nginx-module.*|ngx_lua-[0-9].*", "http_lua_module"),
    (r"ngx_devel_kit.*", "ndk_http_module"),
    (r"ngx_brotli.*", "http_brotli_filter_module"),
)
"""As their repositories and OpenResty call them."""


class Build(NamedTuple):
    """``nginx -V``, parsed. ``version`` is e.g. ``nginx/1.22.1`` or ``Tengine/2.3.2 (nginx/1.17.3)``."""

    version: str
    configure_arguments: list[str]


def parse_build(text: str) -> Build:
    """Raises :class:`ProgramError` where this is not the output of an nginx or of a derivative such as Tengine."""
    versions = dict(re.findall(r"^(\S+) version: (.+?)\s*$", text, re.MULTILINE))
    nginx = versions.pop("nginx", None)
    derivative = next(iter(versions.values()), None)
    if nginx is None and derivative is None:
        raise ProgramError("its -V names no version")
    version = nginx or derivative or ""
    if nginx and derivative:
        version = f"{derivative} ({nginx})"
    _, _, arguments = text.partition("configure arguments:")
    try:
        return Build(version, shlex.split(arguments.split("\n", 1)[0]))
    except ValueError as error:
        raise ProgramError(f"its configure arguments cannot be read: {error}") from error


def static_modules(arguments: Sequence[str]) -> list[str]:
    """The compiled-in modules without the prefix ``ngx_``; third-party ones (``--add-module``) by their folder."""
    modules = [
        match[1]
        for argument in arguments
        if (match := re.fullmatch(r"--with-((?:http|mail|stream)_\w+_module)", argument))
    ]
    modules += ["stream_module"] if "--with-stream" in arguments else []
    added = [argument.partition("=")[2] for argument in arguments if argument.startswith("--add-module=")]
    return modules + [module_name(Path(path).name) for path in added]


def modules_folder(arguments: Sequence[str]) -> Path:
    options = dict(argument.partition("=")[::2] for argument in arguments)
    prefix = Path(options.get("--prefix") or _DEFAULT_PREFIX)
    return prefix / (options.get("--modules-path") or "modules")


def module_name(name: str) -> str:
    """A module's or its folder's name without the prefix ``ngx_``; the folders of some sources are named otherwise."""
    return next((module for folder, module in _FOLDERS if re.fullmatch(folder, name)), name.removeprefix("ngx_"))
