"""Upstream servers for the nginx under test."""

from ngxlab_worker.backends.server import BackendServer

__all__ = ["BackendServer"]
