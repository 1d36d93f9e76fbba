"""N keep-alive connections, opened at a set rate and held: each asleep most of the time (``worker/native/hold.c``)."""

from ngxlab_worker.engines.idle_hold.engine import IdleHoldEngine

__all__ = ["IdleHoldEngine"]
