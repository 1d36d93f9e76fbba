"""The nginx binaries of this host, as each describes itself with ``nginx -V``."""

from collections.abc import Sequence
from pathlib import Path

from ngxlab_contracts.hosts import NginxBinary

from ngxlab_worker.core.programs import ProgramError, ask, existing, is_file, on_path, sha256
from ngxlab_worker.nginx.build import module_name, modules_folder, parse_build, static_modules

_USUAL = ("/usr/sbin/nginx", "/usr/local/nginx/sbin/nginx")


def dynamic_modules(folder: Path) -> list[str]:
    try:
        return sorted(module_name(file.stem) for file in folder.glob("*.so"))
    except OSError:
        return []


def inspect(path: str) -> NginxBinary:
    """What the binary at ``path`` is. Raises :class:`ProgramError` where it is not an nginx."""
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
    """The paths where an nginx may be: on PATH, in the usual places, or named by the host's owner."""
    return existing([*on_path("nginx"), *_USUAL, *configured])


def find(configured: Sequence[str] = ()) -> tuple[list[NginxBinary], dict[str, str]]:
    """The binaries that answer, that of PATH first, and the reason why each of the others, by path, cannot be used."""
    usable: list[NginxBinary] = []
    refused = {path: "no such file" for path in configured if not is_file(path)}
    for path in registered(configured):
        try:
            usable.append(inspect(path))
        except ProgramError as error:
            refused[path] = str(error)
    return usable, refused
