"""What the trial and its perturbations do with upstream groups, however their nodes change."""

from typing import Protocol

from ngxlab_worker.nginx.reload import Wait


class UpstreamGroupError(Exception):
    """A group could not be changed; the message is the reason."""


class UpstreamGroups(Protocol):
    """Use in order: :meth:`before_test`, :meth:`fill` once nginx runs, :meth:`change` as often as wanted."""

    def before_test(self) -> None:
        """Prepare what ``nginx -t`` reads. Raises ``OSError``."""
        ...

    def fill(self) -> None:
        """Give every group its nodes, in every worker. Raises ``NginxError``, ``OSError``, or what ``pause`` raises."""
        ...

    def change(self, group: str, timeout_s: float, wait: Wait) -> tuple[int | None, str]:
        """Give ``group`` its next nodes and return once that has taken effect.

        The result is the HTTP status (``None`` without HTTP; from 400 on a failure) and a few words on what was done.
        ``wait`` sleeps, or returns ``False`` when no time is left. Called from threads other than the trial's, perhaps
        from several at once. Raises ``UpstreamGroupError``, ``NginxError`` or ``OSError``.
        """
        ...
