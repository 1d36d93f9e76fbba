"""Everything that agents and the coordinator call, those that call most often first."""

from ngxlab.worker_api import coordinator_router, hosts_router, trials_router

routers = tuple(part.router for part in (trials_router, hosts_router, coordinator_router))
