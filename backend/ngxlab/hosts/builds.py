"""Which registered binary of a host each build of a definition is."""

from collections.abc import Mapping, Sequence

from ngxlab_contracts.hosts import NginxBinary

from ngxlab.core.errors import FieldProblem, Invalid
from ngxlab.definition.builds import BuildError, find


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
            message = f"{host} {error}. Choose one of them, or register it in caps.toml there."
            problems.append(FieldProblem(field=f"nginx.{name}", message=message))
    if problems:
        raise Invalid(" ".join(problem.message for problem in problems), code="bad-hosts", errors=problems)
    return bound
