"""What this host is and what it can do. Gathered at the agent's start, never inside a trial."""

from ngxlab_worker.inventory.gather import gather

__all__ = ["gather"]
