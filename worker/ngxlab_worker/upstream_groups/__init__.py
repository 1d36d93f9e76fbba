"""The upstream groups of the nginx under test that change while it runs."""

from ngxlab_worker.upstream_groups.choice import groups_of
from ngxlab_worker.upstream_groups.file import write_stand_ins
from ngxlab_worker.upstream_groups.interface import UpstreamGroupError, UpstreamGroups

__all__ = ["UpstreamGroupError", "UpstreamGroups", "groups_of", "write_stand_ins"]
