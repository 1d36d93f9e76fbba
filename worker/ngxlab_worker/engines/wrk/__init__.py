"""wrk (4.x), unmodified: started, read live out of its memory, and its own print parsed."""

from ngxlab_worker.engines.wrk.engine import WrkEngine

__all__ = ["WrkEngine"]
