"""Modules that are loaded: those that a built-in part needs and its nginx has not built in, and those that people
name."""

from collections.abc import Sequence
from pathlib import Path

from ngxlab_contracts.trials import DynamicModule
from ngxlab_policy.document import loaded_modules

from ngxlab_worker.nginx.build import modules_folder, parse_build, static_modules
from ngxlab_worker.nginx.process import NginxError

_FILES: dict[DynamicModule, tuple[str, ...]] = {
    "http_lua_module": ("ndk_http_module.so", "ngx_http_lua_module.so"),
}
_PACKAGES: dict[DynamicModule, str] = {"http_lua_module": "libnginx-mod-http-lua"}


def load_modules(modules: Sequence[DynamicModule], build: str) -> str:
    """The lines for the nginx whose ``-V`` printed ``build``; empty where no module has to be loaded.

    Raises ``NginxError`` naming the package to install where a module is missing.
    """
    arguments = parse_build(build).configure_arguments
    built_in, folder = static_modules(arguments), modules_folder(arguments)
    lines = []
    for module in modules:
        if module in built_in:
            continue
        for file in (folder / name for name in _FILES[module]):
            if not file.is_file():
                raise NginxError("nginx-module-missing", f"{file} is missing: install the package {_PACKAGES[module]}")
            lines.append(f"load_module {file};")
    return "\n".join(lines)


def named_modules(config: str) -> tuple[Path, ...]:
    """The files that the configuration itself loads. Raises ``NginxError`` where one is missing."""
    files = tuple(map(Path, loaded_modules(config)))
    missing = next((file for file in files if not file.is_file()), None)
    if missing is not None:
        raise NginxError(
            "nginx-module-missing", f"{missing} is missing: the owner of the host allows it, but it is not there"
        )
    return files
