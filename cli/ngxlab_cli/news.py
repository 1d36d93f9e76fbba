"""What is told once while a run goes on: each check that fires, and the verdict whenever it changes."""

from ngxlab_cli.models import RunDetail, RunFlag


class News:
    """Remembers what has been told of one run."""

    def __init__(self) -> None:
        self._flagged: set[tuple[str, str]] = set()
        self._verdict: str | None = None

    def of(self, run: RunDetail) -> list[str]:
        """Lines that have not been told yet."""
        lines = [_flag(flag) for flag in run.flags if (flag.key, flag.severity) not in self._flagged]
        self._flagged |= {(flag.key, flag.severity) for flag in run.flags}
        if run.verdict_so_far not in {None, self._verdict}:
            self._verdict = run.verdict_so_far
            lines.append(f"so far: {run.verdict_so_far}")
        return lines


def _flag(flag: RunFlag) -> str:
    """``error: generator-saturated: the busiest of 2 … (give the stream more threads …)``."""
    remedy = f" ({flag.remedy})" if flag.remedy else ""
    return f"{flag.severity}: {flag.key}: {flag.message}{remedy}"
