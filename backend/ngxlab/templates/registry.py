"""All built-in templates: every folder here that exposes a ``TEMPLATE``."""

import importlib
import pkgutil
from functools import cache

import ngxlab.templates as package
from ngxlab.core.errors import NotFound
from ngxlab.templates.base import Template


@cache
def templates() -> dict[str, Template]:
    """All templates by key, in alphabetical order of their folders."""
    by_key: dict[str, Template] = {}
    for module in pkgutil.iter_modules(package.__path__):
        if module.ispkg:
            template: Template = importlib.import_module(f"{package.__name__}.{module.name}").TEMPLATE
            by_key[template.key] = template
    return by_key


def template(key: str) -> Template:
    """Raises NotFound, naming the templates that exist."""
    try:
        return templates()[key]
    except KeyError:
        raise NotFound(f"There is no template {key}. The templates are {', '.join(templates())}.") from None
