"""wrk 4.x, unmodified: its histogram is read from its memory while it runs, and its report is parsed."""

from ngxlab_worker.engines.wrk.engine import WrkEngine

__all__ = ["WrkEngine"]
