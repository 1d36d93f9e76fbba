"""``ngxlab ci``: a change against what it is made from, in a job of a forge. See docs/ci.md."""

from ngxlab_cli.ci.command import ci

__all__ = ["ci"]
