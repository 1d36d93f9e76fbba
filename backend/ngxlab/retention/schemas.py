"""Payloads of what runs take."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class LargeRun(BaseModel):
    id: UUID
    experiment_name: str
    number: int
    created_by: str
    finished_at: datetime | None
    starred: bool
    raw_bytes: int


class BackupOut(BaseModel):
    """A backup of the whole database that the operator made."""

    model_config = ConfigDict(from_attributes=True)

    made_at: datetime = Field(description="the moment whose data it has")
    file: str = Field(description="as the operator named it, on the server's machine")
    bytes: int = Field(description="of the file")
    took_s: float = Field(description="seconds until it was complete")
    proven_at: datetime | None = Field(description="when it was restored into a database of its own, as a proof")
    trouble: str | None = Field(description="why it could not be restored")


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
    last_backup: BackupOut | None = Field(description="the newest; None where none has been made since version 0.9")
    last_proof: datetime | None = Field(description="when a backup was last restored as a proof, and could be")
    archive_key: str = Field(description="fingerprint of the key with which this installation signs archives of runs")
    largest: list[LargeRun] = Field(description="the runs whose raw data takes most, at most twenty")


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
