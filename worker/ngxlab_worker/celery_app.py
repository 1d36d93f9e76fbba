"""Celery as the agent and the coordinator use it: JSON messages of ids, no results, no remote control."""

import socket

from celery import Celery
from ngxlab_contracts.broker import tls_options

KEEPALIVE = {socket.TCP_KEEPIDLE: 10, socket.TCP_KEEPINTVL: 5, socket.TCP_KEEPCNT: 3}
"""Notices within half a minute that a silent connection leads nowhere, where the kernel's default takes two hours."""


def make_app(broker_url: str, ca_file: str | None = None) -> Celery:
    """Messages are acknowledged on receipt: each is only a hint, and the backend sends it again while work is left.

    ``ca_file``: the authority of a ``rediss://`` broker's certificate, where the system does not know it.
    """
    app = Celery("ngxlab", broker=broker_url)
    app.conf.update(
        broker_transport="ngxlab_worker.core.hints:HintTransport",
        broker_use_ssl=tls_options(broker_url, ca_file) or None,
        broker_channel_error_retry=True,  # a Redis that refuses (read-only, no such user yet) may soon not
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=False,
        worker_prefetch_multiplier=0,  # no limit: a message whose receipt was lost with Redis would use it up for ever
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # forever
        broker_transport_options={
            "socket_keepalive": True,
            "socket_keepalive_options": KEEPALIVE,
            "socket_connect_timeout": 3,
            "socket_timeout": 10,  # of an answer that is due; waiting for a message is not limited by it
        },
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
    )
    return app


LEAN = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
"""Celery processes need not know of each other, and must cost nothing while something is measured."""
