"""Which nginx binary of a host a definition means by a build such as ``tengine`` or ``nginx-1.22.1``.

A definition names no paths, so that it means the same on every host. A binary answers to its product, to the product
with the version, to that with the beginning of its checksum, to the name of its file unless that is only ``nginx``,
and to its path.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from ngxlab_contracts.hosts import NginxBinary
from ngxlab_contracts.sentences import say

from ngxlab.core.errors import FieldProblem, Invalid

_CHECKSUM_DIGITS = 8


class BuildError(Exception):
    """No binary of the host is meant, or several are. The message lists what the host has."""


def names(binary: NginxBinary) -> list[str]:
    """What the binary answers to, the general before the exact, e.g. ``tengine``, ``tengine-3.2.0``, …, its path."""
    product, _, number = binary.version.partition(" ")[0].lower().partition("/")
    if not number:  # "1.22.1"
        product, number = "nginx", product
    file = PurePosixPath(binary.path).name.lower()
    exact = f"{product}-{number}"
    own = [file] if file != "nginx" else []
    return [product, exact, *own, f"{exact}-{binary.sha256[:_CHECKSUM_DIGITS]}", binary.path]


def name_of(binary: NginxBinary, registered: Sequence[NginxBinary]) -> str:
    """The shortest name with a version that no other registered binary answers to; its path where there is none."""
    others = {name for other in registered if other.path != binary.path for name in names(other)}
    return next((name for name in names(binary)[1:] if name not in others), binary.path)


def find(wanted: str, registered: Sequence[NginxBinary]) -> NginxBinary:
    """The one binary that answers to ``wanted``. Equal files are one build. Raises BuildError."""
    found = [binary for binary in registered if wanted in names(binary)]
    if not found:
        raise BuildError(f"has no nginx called {wanted}; it has {described(registered)}")
    if len({binary.sha256 for binary in found}) > 1:
        raise BuildError(f"has several nginx called {wanted}: {described(found)}")
    return found[0]


def described(registered: Sequence[NginxBinary]) -> str:
    """For messages: ``nginx-1.22.1 (/usr/sbin/nginx)``, …"""
    return ", ".join(f"{name_of(binary, registered)} ({binary.path})" for binary in registered) or "none"


def bind(
    host: str, registered: Sequence[NginxBinary], names: Sequence[str], chosen: Mapping[str, str]
) -> dict[str, str]:
    """Name -> path of the binary that is ``chosen`` for it, or else of the one that answers to it.

    ``host``: its name. Raises Invalid with a problem, at ``nginx.NAME``, for each that the host has not.
    """
    bound, problems = {}, []
    for name in names:
        try:
            bound[name] = find(chosen.get(name, name), registered).path
        except BuildError as error:
            message = say(
                "{host} {error}. Choose one of them, or register it in caps.toml there.", host=host, error=str(error)
            )
            problems.append(FieldProblem(field=f"nginx.{name}", message=message))
    if problems:
        raise Invalid(" ".join(problem.message for problem in problems), code="bad-hosts", errors=problems)
    return bound
