"""Logs: structured lines on standard error."""

import logging
import sys

import structlog


def configure_logs(level: str) -> None:
    """Log each event as one ``key=value`` line, those of libraries too. Raises ``ValueError`` for an unknown level."""
    logging.basicConfig(stream=sys.stderr, level=level, format="%(message)s", force=True)
    for chatty in ("httpx", "httpcore"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
