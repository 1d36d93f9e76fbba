"""What this host is and what it can do. Gathered when the agent starts, never during a trial."""

from ngxlab_worker.inventory.gather import gather

__all__ = ["gather"]
