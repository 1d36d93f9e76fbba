"""All built-in templates: every folder here that exposes a ``TEMPLATE``."""

from functools import cache

import ngxlab.templates as package
from ngxlab.core.discovery import modules_in
from ngxlab.core.errors import NotFound
from ngxlab.templates.base import Template


@cache
def templates() -> dict[str, Template]:
    """All templates by key, the easy ones first."""
    found: list[Template] = [module.TEMPLATE for module in modules_in(package) if hasattr(module, "__path__")]
    return {one.key: one for one in sorted(found, key=lambda one: (one.difficulty, one.key))}


def template(key: str) -> Template:
    """Raises NotFound, naming the templates that exist."""
    try:
        return templates()[key]
    except KeyError:
        raise NotFound(
            "There is no template {key}. The templates are {names}.", key=key, names=", ".join(templates())
        ) from None
