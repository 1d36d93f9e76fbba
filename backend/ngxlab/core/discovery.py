"""What the modules of a package declare, so that nobody keeps a list of them."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType


def modules_in(package: ModuleType) -> Iterator[ModuleType]:
    """Modules and packages directly in a package, in alphabetical order."""
    for module in pkgutil.iter_modules(package.__path__):
        yield import_module(f"{package.__name__}.{module.name}")


def values_in(package: ModuleType) -> Iterator[object]:
    """What these modules have at their top level, each once even if several import it."""
    seen: set[int] = set()
    for module in modules_in(package):
        for value in vars(module).values():
            if id(value) not in seen:
                seen.add(id(value))
                yield value
