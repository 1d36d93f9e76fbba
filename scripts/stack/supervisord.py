"""supervisord with logs that lose lines rather than end it. ``python -P`` runs this file.

supervisord writes its own log and those of the services. Where a write fails, as on a full disk, its handler prints a
traceback to its standard error, which fails likewise; the exception then ends supervisord, and every service with it.
"""

import sys
from typing import Any

from supervisor import loggers, supervisord


class LossyLog(loggers.RotatingFileHandler):  # type: ignore[misc]
    """A log file that never raises: what cannot be written is lost, and writing goes on once it can."""

    stream: Any

    def emit(self, record: Any) -> None:
        """Append a line, and rotate where the file is long enough."""
        try:
            if self.stream.closed:  # a rotation has failed in the middle
                self.stream = open(self.baseFilename, "ab")  # noqa: SIM115, PTH123  the handler closes it
            super().emit(record)
        except (OSError, ValueError):
            return

    def handleError(self) -> None:  # noqa: N802  supervisor's name
        """Called in place of an exception of a write."""


if __name__ == "__main__":
    loggers.RotatingFileHandler = LossyLog
    sys.exit(supervisord.main())
