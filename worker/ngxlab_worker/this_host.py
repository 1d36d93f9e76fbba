"""The inventory of the machine that this process runs on."""

from importlib.metadata import version

from ngxlab_contracts.hosts import Capability, Inventory

from ngxlab_worker.inventory import gather
from ngxlab_worker.sandbox import probe_isolation, resolve_run_as


def describe_this_host(user: str | None) -> Inventory:
    """``user`` is NGXLAB_RUN_AS. Raises ``LookupError`` where we are root and that user does not exist."""
    probe = probe_isolation(resolve_run_as(user))
    isolation = Capability(name="isolation", available=probe.available, detail=probe.detail)
    return gather(version("ngxlab-worker"), isolation)
