"""Read what is stored as JSON. What cannot be read is named, and never an unexpected error."""

import json
from typing import Any, TypeVar

import structlog
from ngxlab_contracts.sentences import Sentence, read_sentence, written
from pydantic import BaseModel, TypeAdapter, ValidationError
from sqlalchemy import Dialect, String
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

from ngxlab.core.errors import Conflict

log = structlog.get_logger()

_Model = TypeVar("_Model", bound=BaseModel)


class _Json(TypeDecorator[Any]):
    """JSON of one kind. Anything else that stands there is read as an empty one."""

    impl = JSONB
    cache_ok = True
    kind: type[Any]

    def coerce_compared_value(self, op: Any, value: Any) -> Any:
        return JSONB().coerce_compared_value(op, value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return value if value is None or isinstance(value, self.kind) else self.kind()


class JsonObject(_Json):
    kind, cache_ok = dict, True


class JsonArray(_Json):
    kind, cache_ok = list, True


class SentenceText(TypeDecorator[str]):
    """Text in which a sentence keeps its template and its values; other text is stored as it is."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        form = None if value is None else written(value)
        return form if form is None or isinstance(form, str) else json.dumps(form, ensure_ascii=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None or not value.startswith(_PARTS_BEGIN):
            return value
        try:
            return read_sentence(json.loads(value))
        except ValueError:  # of both
            return value


_PARTS_BEGIN = '{"text": "'


class Unreadable(Conflict):
    """Something stored that its own model refuses: an accident in the database, or a fault of an older version."""

    code = "unreadable"


def read(model: type[_Model], value: Any, what: str) -> _Model:
    """``what``: its name in a sentence. Raises :class:`Unreadable`."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"])) or "content"
        log.warning("stored data cannot be read", what=what, field=where, reason=problem["msg"])
        raise Unreadable(f"{what} is stored in a form that cannot be read: {where}: {problem['msg']}.") from error


def read_or_none(model: type[_Model], value: Any, what: str) -> _Model | None:
    """Reads one of many, which must not cost the others."""
    try:
        return read(model, value, what)
    except Unreadable:
        return None


def number(value: Any) -> float | None:
    """None for what is no number."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def sentence(value: Any) -> Sentence | None:
    """None for what is no sentence."""
    try:
        return _SENTENCES.validate_python(value)
    except ValidationError:
        return None


_SENTENCES = TypeAdapter(Sentence)


def text(value: Any) -> str | None:
    """None for what is no text."""
    return value if isinstance(value, str) else None
