"""Trials that have nothing but the values that a simulation gives them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import numpy as np
from ngxlab.analysis.schemas import TrialSummary
from numpy.typing import NDArray


def trial(arm: str, block: int, requests_per_s: float = 1.0, values: Mapping[str, float] | None = None) -> TrialSummary:
    """``values``: its ``metric_values``. Other fields are not set: who reads them raises AttributeError."""
    fields: dict[str, Any] = {
        "trial_id": UUID(int=block),
        "arm": arm,
        "block": block,
        "attempt": 1,
        "usable": True,
        "requests_per_s": requests_per_s,
        "metric_values": dict(values or {}),
    }
    return TrialSummary.model_construct(**fields)


def blocks_of(values: NDArray[np.float64], noise: float, random: np.random.Generator) -> NDArray[np.float64]:
    """``values[arm]`` as measured in blocks that differ by 5 %: ``[arm, block]`` for a shape ``(arms, blocks)``."""
    arms, blocks = values.shape
    scatter = noise * random.standard_normal((arms, blocks)) + 0.05 * random.standard_normal((1, blocks))
    return np.asarray(values * np.exp(scatter), np.float64)
