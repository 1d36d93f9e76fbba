"""Payloads of what runs take."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field


class LargeRun(BaseModel):
    id: UUID
    experiment_name: str
    number: int
    created_by: str
    finished_at: datetime | None
    starred: bool
    raw_bytes: int


class StorageUse(BaseModel):
    """What the database takes on its disk, in bytes."""

    database_bytes: int = Field(description="all of it")
    raw_bytes: int = Field(
        description="readings, histograms and events of all runs, with space of removed ones that is yet to be filled"
    )
    shared_bytes: int = Field(description="what links show, kept as it was when they were made or refreshed")
    trials_to_remove: int = Field(description="trials of deleted runs whose raw data is still being removed")
    runs_to_measure: int = Field(description="runs that are over and whose raw data has not been measured yet")
    keep_raw_days: int | None = Field(description="how old raw data becomes (NGXLAB_KEEP_RAW_DAYS); None for no end")
    largest: list[LargeRun] = Field(description="the runs whose raw data takes most, at most twenty")
