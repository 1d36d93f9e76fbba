"""What all models of the REST API have in common."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict


class ApiModel(BaseModel):
    """Unknown fields are ignored, so that a newer server may send more than this client knows."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def _english(sentence: Any) -> Any:
    return sentence.get("text") if isinstance(sentence, dict) else sentence


Sentence = Annotated[str, BeforeValidator(_english)]
"""What the server says: a text, or a template with its values, which has the English beside it."""
