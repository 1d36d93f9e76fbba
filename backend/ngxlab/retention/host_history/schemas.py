"""Payloads of hosts' histories."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field


class HistoryToDelete(BaseModel):
    """Selects runs among those that are over, and what of them is deleted."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=255, description="The host's name, to confirm that it is this one.")
    verdicts: bool = Field(
        default=False,
        description="Delete the runs themselves, and the host's calibrations; otherwise only raw data of the runs.",
    )
    starred: bool = Field(default=False, description="Do not spare runs that are starred.")
    shared: bool = Field(default=False, description="Do not spare runs that links show; the links of deleted runs end.")
    others: bool = Field(default=False, description="Do not spare runs in which other hosts took part, too.")


class HistoryPart(BaseModel):
    """Runs that are over, and alike in what spares them. ``raw``: they still have raw data."""

    starred: bool
    shared: bool
    others: bool
    raw: bool
    runs: int
    raw_bytes: int = Field(description="as far as it has been measured")


class DeletionUnderWay(BaseModel):
    asked_at: datetime
    runs_left: int


class HostHistory(BaseModel):
    """Amounts that were measured in the runs in which a host took part."""

    parts: list[HistoryPart]
    under_way: int = Field(description="runs that are not over; nothing of them is deleted")
    calibrations: int = Field(description="of the host, alone or with others")
    deletion: DeletionUnderWay | None = Field(description="what is being deleted in the background")
