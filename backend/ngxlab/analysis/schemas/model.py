"""The base class of all results of the analysis.

Units are in the names: ``_us`` microseconds, ``_s`` seconds, ``_percent`` 0 to 100 (or of one core, where said).
``None`` always means "not measured", never zero. Fields that were added later have a default, so that results stored
earlier can still be read.
"""

from pydantic import BaseModel, ConfigDict


class AnalysisModel(BaseModel):
    """Immutable, and without unknown fields: a misspelt one fails where it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True)
