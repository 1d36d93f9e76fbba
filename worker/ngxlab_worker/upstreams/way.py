"""The way in which a trial's groups change."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from ngxlab_contracts.trials import Endpoint, NginxSpec

from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.nginx.process import Pause
from ngxlab_worker.nginx.reload import Wait
from ngxlab_worker.upstreams.api import ApiUpstreams
from ngxlab_worker.upstreams.file import FileUpstreams
from ngxlab_worker.upstreams.groups import Groups


class DynamicUpstreams(Protocol):
    """Use in order: :meth:`before_test`, :meth:`fill` once nginx runs, :meth:`change` as often as wanted."""

    def before_test(self) -> None:
        """Make ready what ``nginx -t`` will look at. Raises ``OSError``."""
        ...

    def fill(self) -> None:
        """Every group has its nodes, in every worker. Raises ``NginxError``, ``OSError``, or what ``pause`` raises."""
        ...

    def change(self, group: str, timeout_s: float, wait: Wait) -> tuple[int | None, str]:
        """See :class:`ngxlab_worker.perturbations.Upstreams`."""
        ...


def upstreams_of(
    spec: NginxSpec, endpoints: Iterable[Endpoint], nginx: NginxServer, folder: Path, pause: Pause
) -> DynamicUpstreams | None:
    """Of the nginx that ``spec`` describes; None where it has none."""
    if spec.upstreams is None:
        return None
    groups = Groups(spec.upstreams.groups, endpoints)
    if spec.upstreams.through == "file":
        return FileUpstreams(groups, nginx, folder)
    return ApiUpstreams(spec.upstreams, groups, nginx, pause)
