"""What all models of the REST API have in common."""

from pydantic import BaseModel, ConfigDict


class ApiModel(BaseModel):
    """Unknown fields are ignored, so that a newer server may send more than this client knows."""

    model_config = ConfigDict(extra="ignore", frozen=True)
