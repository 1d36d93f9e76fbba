"""Load engines: a folder each, implementing ``base.Engine``, and a line in ``registry``."""

from ngxlab_worker.engines.base import (
    Engine,
    Generator,
    GeneratorContext,
    GeneratorEnd,
    GeneratorError,
    NoteSink,
    Target,
)
from ngxlab_worker.engines.registry import ENGINES, engines_inventory

__all__ = [
    "ENGINES",
    "Engine",
    "Generator",
    "GeneratorContext",
    "GeneratorEnd",
    "GeneratorError",
    "NoteSink",
    "Target",
    "engines_inventory",
]
