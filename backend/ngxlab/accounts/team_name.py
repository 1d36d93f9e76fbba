"""What of a team is part of the payloads of other rooms."""

from uuid import UUID

from pydantic import BaseModel, ConfigDict


class TeamName(BaseModel):
    """A team, as what belongs to it shows it."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
