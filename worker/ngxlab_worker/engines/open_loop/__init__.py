"""Open loop: requests leave by a schedule, whether or not earlier ones were answered."""

from ngxlab_worker.engines.open_loop.engine import OpenLoopEngine

__all__ = ["OpenLoopEngine"]
