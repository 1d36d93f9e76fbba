"""Open loop: requests are sent by a schedule, whether or not earlier ones have been answered."""

from ngxlab_worker.engines.open_loop.engine import OpenLoopEngine

__all__ = ["OpenLoopEngine"]
