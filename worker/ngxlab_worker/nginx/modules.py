"""``load_module`` lines for the modules that a configuration needs and its nginx has not built in."""

from collections.abc import Sequence

from ngxlab_contracts.trials import DynamicModule

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
