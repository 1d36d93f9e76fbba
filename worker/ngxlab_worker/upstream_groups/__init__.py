"""The upstream groups of the nginx under test that change while it runs, by an HTTP interface or by a reload."""

from collections.abc import Iterable
from pathlib import Path

from ngxlab_contracts.trials import Endpoint, NginxSpec

from ngxlab_worker.nginx import NginxServer
from ngxlab_worker.nginx.process import Pause
from ngxlab_worker.upstream_groups.api import ApiGroups
from ngxlab_worker.upstream_groups.file import FileGroups, write_stand_ins
from ngxlab_worker.upstream_groups.groups import Groups, UpstreamGroupError, UpstreamGroups

__all__ = ["UpstreamGroupError", "UpstreamGroups", "groups_of", "write_stand_ins"]


def groups_of(
    spec: NginxSpec, endpoints: Iterable[Endpoint], nginx: NginxServer, folder: Path, pause: Pause
) -> UpstreamGroups | None:
    """The groups of the nginx that ``spec`` describes; ``None`` where it has none."""
    if spec.upstreams is None:
        return None
    groups = Groups(spec.upstreams.groups, endpoints)
    if spec.upstreams.through == "file":
        return FileGroups(groups, nginx, folder)
    return ApiGroups(spec.upstreams, groups, nginx, pause)
