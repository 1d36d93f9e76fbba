"""Names of Celery queues and tasks. A Celery message carries ids only, never a payload."""

from uuid import UUID

COORDINATOR_QUEUE = "coordinator"

TASK_DRIVE_RUN = "ngxlab.drive_run"
"""Arguments: ``[run_id]``. A hint that the run needs a coordinator; the lease decides which one drives it."""

TASK_RUN_TRIAL = "ngxlab.run_trial"
"""Arguments: ``[trial_id]``. A hint to a host's agent; it claims the spec from the backend itself."""

TASK_TEST_CONFIG = "ngxlab.test_config"
"""Arguments: ``[test_id]``. A hint to a target's agent to test configurations with its real nginx."""

TASKS = frozenset({TASK_DRIVE_RUN, TASK_RUN_TRIAL, TASK_TEST_CONFIG})


def host_queue(host_id: UUID | str) -> str:
    """The queue that only the agent of this host consumes."""
    return f"host.{host_id}"
