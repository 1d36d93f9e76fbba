"""Agent and coordinator as processes, on a real Redis with its users."""

import subprocess
from collections.abc import Callable

from ngxlab_contracts.broker import TASK_RUN_TRIAL, host_queue
from ngxlab_worker.tasks import make_app
from tests.support.fake_backend import FakeBackend
from tests.support.records import TrialRecord
from tests.support.redis import Redis
from tests.support.specs import trial_spec

StartAgent = Callable[[], "subprocess.Popen[bytes]"]
Start = Callable[..., "subprocess.Popen[bytes]"]


def send_trial(backend: FakeBackend, redis: Redis, measure_s: float = 1.0) -> TrialRecord:
    record = backend.add(trial_spec(measure_s=measure_s))
    with make_app(redis.url, redis.ca_file) as app:
        app.send_task(TASK_RUN_TRIAL, args=[str(record.spec.trial_id)], queue=host_queue(backend.host_id))
    return record
