"""Everything that agents and the coordinator call."""

from fastapi import APIRouter

from ngxlab.worker_api import config_tests_router, coordinator_router, hosts_router, joining_router, trials_router

router = APIRouter()
for part in (hosts_router, trials_router, coordinator_router, config_tests_router, joining_router):
    router.include_router(part.router)
