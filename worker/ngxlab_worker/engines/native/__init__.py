"""What our own engines share: programs in C (``worker/native``), whose counts are read from a shared page."""

from ngxlab_worker.engines.native.generator import NativeGenerator, ProgramShape
from ngxlab_worker.engines.native.page import COUNTERS, Page
from ngxlab_worker.engines.native.program import NativeEngine, ProgramMissingError, find_program

__all__ = ["COUNTERS", "NativeEngine", "NativeGenerator", "Page", "ProgramMissingError", "ProgramShape", "find_program"]
