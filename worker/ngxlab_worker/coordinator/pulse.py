"""Tells the backend that this coordinator is alive, and whether it reaches Redis."""

import threading
from uuid import uuid4

import structlog
from ngxlab_contracts.coordination import CoordinatorPulse

from ngxlab_worker.core.hints import last_asked
from ngxlab_worker.core.settings import CoordinatorSettings
from ngxlab_worker.uplink.api_client import ApiError, CoordinatorClient

INTERVAL_S = 5.0
AGAIN_S = 1.0
"""While the backend does not hear it."""
REACHED_WITHIN_S = 15.0
"""Redis is asked every five seconds; the backend, too, calls one unhealthy that has not reached it for longer."""

log = structlog.get_logger(__name__)


def beat(settings: CoordinatorSettings, stopping: threading.Event) -> None:
    """Start the pulse in a thread of its own; it ends once ``stopping`` is set."""
    threading.Thread(target=_beat, args=(settings, stopping), name="pulse", daemon=True).start()


def _beat(settings: CoordinatorSettings, stopping: threading.Event) -> None:
    instance, is_heard = uuid4(), True
    with CoordinatorClient(settings.backend_url, settings.token) as client:
        while True:
            try:
                broker_age_s = last_asked.age_s()
                client.pulse(CoordinatorPulse(instance=instance, broker_age_s=broker_age_s))
                is_heard = True
                if settings.heartbeat_file is not None and broker_age_s <= REACHED_WITHIN_S:
                    settings.heartbeat_file.touch()
            except ApiError as error:
                if is_heard:
                    log.warning("the backend does not hear this coordinator", error=str(error))
                is_heard = False
            except Exception:
                log.exception("the pulse failed; trying again")
            if stopping.wait(INTERVAL_S if is_heard else AGAIN_S):
                return
