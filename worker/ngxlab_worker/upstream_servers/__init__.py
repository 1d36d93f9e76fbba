"""Upstream servers for the nginx under test."""

from ngxlab_worker.upstream_servers.server import UpstreamServer

__all__ = ["UpstreamServer"]
