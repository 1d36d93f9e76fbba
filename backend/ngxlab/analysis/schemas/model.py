"""The base of all results of the analysis.

Units are in the names: ``_us`` microseconds, ``_s`` seconds, ``_percent`` 0 to 100 (or of one core, where said).
``None`` always means "not known", never zero. Fields that came later have a default, so that what was stored of
earlier trials still reads.
"""

from pydantic import BaseModel, ConfigDict


class AnalysisModel(BaseModel):
    """Immutable and closed, so that a misspelt field fails where it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)
