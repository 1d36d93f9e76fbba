"""Load engines: a folder each, implementing ``base.Engine``, and a line in ``registry``."""

from ngxlab_worker.engines.base import (
    RATE_LEAD_US,
    Answered,
    Engine,
    Generator,
    GeneratorContext,
    GeneratorEnd,
    GeneratorError,
    NoteSink,
    Progress,
    SteeredRates,
    Target,
)
from ngxlab_worker.engines.registry import ENGINES, engines_inventory

__all__ = [
    "ENGINES",
    "RATE_LEAD_US",
    "Answered",
    "Engine",
    "Generator",
    "GeneratorContext",
    "GeneratorEnd",
    "GeneratorError",
    "NoteSink",
    "Progress",
    "SteeredRates",
    "Target",
    "engines_inventory",
]
