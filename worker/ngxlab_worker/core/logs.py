"""Logs: structured lines on standard error."""

import logging
import sys

import structlog
from structlog.typing import Processor

_TEXT = structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"])
_JSON = structlog.processors.JSONRenderer(default=str)


def configure_logs(level: str, form: str = "text") -> None:
    """Log each event as one ``key=value`` line, or with the form ``json`` as an object, those of libraries too.

    Raises ``ValueError`` for an unknown level.
    """
    handler = logging.StreamHandler(sys.stderr)
    logging.basicConfig(handlers=[handler], level=level, force=True)
    logging.getLogger("urllib3").setLevel(logging.WARNING)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    rendered = _JSON if form == "json" else _TEXT
    finished: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, rendered]
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=finished, foreign_pre_chain=shared))
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
