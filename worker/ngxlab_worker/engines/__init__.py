"""Load engines: what a stream's ``engine`` names."""

from ngxlab_worker.engines.base import Engine, Generator, GeneratorEnd, GeneratorError, NoteSink, Setting, Target
from ngxlab_worker.engines.idle_hold import IdleHoldEngine
from ngxlab_worker.engines.open_loop import OpenLoopEngine
from ngxlab_worker.engines.wrk import WrkEngine

ENGINES: dict[str, Engine] = {"wrk": WrkEngine(), "open-loop": OpenLoopEngine(), "idle-hold": IdleHoldEngine()}

__all__ = ["ENGINES", "Engine", "Generator", "GeneratorEnd", "GeneratorError", "NoteSink", "Setting", "Target"]
