"""The collectors of the host: every file here that has a function ``collector``, in alphabetical order."""

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ngxlab_worker.collectors.procfile import FileCollector, Machine


def host_collectors(machine: Machine) -> list[FileCollector]:
    """The collectors in the order in which they are read."""
    return [module.collector(machine) for module in _modules()]


@cache
def _modules() -> list[ModuleType]:
    names = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    modules = (import_module(f"{__package__}.{name}") for name in names)
    return [module for module in modules if hasattr(module, "collector")]
