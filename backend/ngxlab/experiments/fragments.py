"""Render fragments of configurations: sandboxed Jinja over the variables of an arm's levels."""

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

environment = SandboxedEnvironment(
    undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
)


class ConfigTemplateError(ValueError):
    """A fragment cannot be rendered. ``field`` says which, e.g. ``nginx.server``."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def render_fragment(field: str, source: str, variables: dict[str, object]) -> str:
    """The text of one fragment in one arm. Raises ConfigTemplateError."""
    try:
        return environment.from_string(source).render(variables)
    except TemplateError as error:
        raise ConfigTemplateError(field, error.message or str(error)) from error


def indent(text: str, spaces: int) -> str:
    """Every line moved right; empty lines stay empty."""
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return "\n".join(" " * spaces + line if line else "" for line in lines if line or len(lines) > 1)
