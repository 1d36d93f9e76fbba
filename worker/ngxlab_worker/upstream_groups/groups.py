"""Upstream groups as trials and perturbations use them: the nodes of each, now and after its next change."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from ngxlab_contracts.trials import Endpoint, UpstreamGroup

from ngxlab_worker.nginx.config import literal
from ngxlab_worker.nginx.process import Wait


class Group:
    """Its nodes are the instances of one upstream server, taken in turn and repeated if necessary.

    Each change starts one instance further, and every second one leaves a node out. So the list is never the same twice
    in a row, unless there is only one node and one instance.
    """

    def __init__(self, spec: UpstreamGroup, endpoint: Endpoint) -> None:
        self.spec = spec
        self._instances = [f"{literal(endpoint.address)}:{port}" for port in endpoint.ports]
        self._changes = 0

    def change(self) -> None:
        self._changes += 1

    @property
    def nodes(self) -> list[str]:
        """Each as ADDRESS:PORT."""
        leaves_one_out = self._changes % 2 == 1 and self.spec.nodes > 1
        number = self.spec.nodes - (1 if leaves_one_out else 0)
        return [self._instances[(self._changes + i) % len(self._instances)] for i in range(number)]

    @property
    def statements(self) -> str:
        """As they stand in an upstream block, and in the body of a call of dyups."""
        servers = "".join(f"server {node};" for node in self.nodes)
        return servers + (f"check {self.spec.health_check};" if self.spec.health_check else "")


class Groups:
    """All groups of a trial by name. ``endpoints`` must hold the upstream server of every group."""

    def __init__(self, specs: Iterable[UpstreamGroup], endpoints: Iterable[Endpoint]) -> None:
        by_name = {endpoint.name: endpoint for endpoint in endpoints}
        self._groups = {spec.name: Group(spec, by_name[spec.endpoint]) for spec in specs}

    def __iter__(self) -> Iterator[Group]:
        return iter(self._groups.values())

    def get(self, name: str) -> Group | None:
        return self._groups.get(name)


class UpstreamGroupError(Exception):
    """A group could not be changed; the message is the reason."""


class UpstreamGroups(Protocol):
    """Use in order: :meth:`before_test`, :meth:`fill` once nginx runs, :meth:`change` as often as wanted."""

    def before_test(self) -> None:
        """Prepare what ``nginx -t`` reads. Raises ``OSError``."""
        ...

    def fill(self) -> None:
        """Give every group its nodes, in every worker. Raises ``NginxError``, ``OSError``, or what ``pause`` raises."""
        ...

    def change(self, group: str, timeout_s: float, wait: Wait) -> tuple[int | None, str]:
        """Give ``group`` its next nodes and return once that has taken effect.

        The result is the HTTP status (``None`` without HTTP; from 400 on a failure) and a few words on what was done.
        ``wait`` sleeps, or returns ``False`` when no time is left. Called from threads other than the trial's, perhaps
        from several at once. Raises ``UpstreamGroupError``, ``NginxError`` or ``OSError``.
        """
        ...
