"""All models in one place, for migrations."""

import ngxlab.accounts.models
import ngxlab.audit.record
import ngxlab.audit.seals
import ngxlab.core.jobs.repository
import ngxlab.core.rehearsal
import ngxlab.core.signing
import ngxlab.experiments.models
import ngxlab.hosts.models
import ngxlab.metrics.models
import ngxlab.notes.models
import ngxlab.outbox.models
import ngxlab.retention.models
import ngxlab.runs.calibration.models
import ngxlab.runs.models
import ngxlab.runs.windows
import ngxlab.schedules.models
import ngxlab.shares.models  # noqa: F401
from ngxlab.core.database import Base

__all__ = ["Base"]
