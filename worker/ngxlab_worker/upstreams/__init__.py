"""The upstream groups of the nginx under test that change while it runs."""

from ngxlab_worker.upstreams.api import ApiUpstreams
from ngxlab_worker.upstreams.file import FileUpstreams, write_stand_ins
from ngxlab_worker.upstreams.groups import Groups
from ngxlab_worker.upstreams.way import DynamicUpstreams, upstreams_of

__all__ = ["ApiUpstreams", "DynamicUpstreams", "FileUpstreams", "Groups", "upstreams_of", "write_stand_ins"]
