"""The declaration of a field that people fill in: what documents, forms and translations say of it follows from it."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

Words = str | tuple[str] | tuple[str, str]
"""A text of a page; with its context where it has two meanings; alone in a tuple if it is alike in all languages."""
SEED = "determines what is drawn at random; the same seed gives the same"


def field(
    meaning: str,
    *,
    label: Words | None = None,
    unit: str | None = None,
    note: Words | None = None,
    placeholder: Words | None = None,
    choices: Mapping[str, Words] | None = None,
    code: str | None = None,
    **bounds: Any,
) -> Any:
    """``meaning`` stands in the schema, in docs/yaml.md and in the API. The rest is for the designer's form, which has
    the fields with a ``label``: ``note`` stands below, ``choices`` names the values of an enumeration, ``code`` is the
    language of a fragment, or ``line`` for a short text in a fixed width. ``bounds``: as of :func:`pydantic.Field`.
    """
    named = list(choices.items()) if choices else None  # a schema keeps no order of names
    form: dict[str, Any] = {
        "label": label,
        "unit": unit,
        "note": note,
        "placeholder": placeholder,
        "choices": named,
        "code": code,
    }
    extra = {f"x-{name}": value for name, value in form.items() if value is not None}
    return Field(description=meaning, json_schema_extra=extra or None, **bounds)
