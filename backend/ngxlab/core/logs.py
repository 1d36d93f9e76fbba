"""Structured logs on stderr, one JSON object a line."""

import logging
import sys

import structlog
from structlog.typing import Processor


def configure(level: str) -> None:
    """Route structlog and the standard library through one format. Secrets are never passed to a logger."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processor=structlog.processors.JSONRenderer(),
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name, structlog.processors.format_exc_info],
        )
    )
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    # Lines of these have whole addresses, in which shared reports and webhooks have their secrets.
    for name in ("uvicorn.access", "httpx", "httpx2", "httpcore", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
