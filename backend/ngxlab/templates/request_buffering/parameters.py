"""The form of the request-buffering template."""

from ngxlab.templates.form import Choice, Parameter, Preset
from ngxlab.templates.plan_parameters import baseline_parameter, plan_parameters

ARMS = (
    # level, label, proxy_request_buffering, client_body_buffer_size
    ("on-16k", "buffering, 16k (default)", "on", "16k"),
    ("on-640k", "buffering, 640k", "on", "640k"),
    ("off-8k", "no buffering, 8k", "off", "8k"),
    ("off-64k", "no buffering, 64k", "off", "64k"),
    ("off-640k", "no buffering, 640k", "off", "640k"),
)

PARAMETERS = [
    Parameter(
        name="workers",
        section="nginx",
        label="nginx workers",
        help="Worker processes of the proxy.",
        kind="integer",
        default=2,
        minimum=1,
        maximum=128,
        article_value="one for each of 8 cores",
    ),
    Parameter(
        name="unbuffered_by",
        section="nginx",
        label="Unbuffered size by",
        help="What sets how much is passed on at once. Tengine had a directive of its own; from 2.2 on, it heeds "
        "nginx's.",
        kind="choice",
        choices=[
            Choice(value="nginx", label="nginx, and Tengine from 2.2 (client_body_buffer_size)"),
            Choice(value="tengine", label="Tengine 1.5 to 2.1 (client_body_postpone_size)"),
        ],
        default="nginx",
        article_value="Tengine 1.5 to 2.1 (client_body_postpone_size)",
    ),
    Parameter(
        name="body_kib",
        section="Load",
        label="Body of each request",
        help="The data to post. If it is larger than the default buffer of 16 KiB, it goes through a temporary file.",
        kind="integer",
        unit="KiB",
        default=100,
        minimum=1,
        maximum=10_240,
        article_value="100 KiB",
    ),
    Parameter(
        name="connections",
        section="Load",
        label="Connections",
        help="Connections that wrk uses at once. Several numbers make a factor: every arm runs with each of them.",
        kind="integers",
        default="10",
        minimum=1,
        maximum=10_000,
        article_value="30, 150, 300, 1500",
    ),
    Parameter(
        name="threads",
        section="Load",
        label="wrk threads",
        help="Threads of the generator; the number of connections must be a multiple of them.",
        kind="integer",
        default=1,
        minimum=1,
        maximum=128,
    ),
    Parameter(
        name="sync_every_s",
        section="Disturbance",
        label="Sync the target's disks every",
        help="How often data in temporary files must reach the disk. 0 leaves that to the kernel.",
        kind="number",
        unit="s",
        default=1,
        minimum=0,
        maximum=600,
        article_value="1 s",
    ),
    *plan_parameters(blocks=4, warmup_s=1, measure_s=9, cooldown_s=0.5),
    baseline_parameter([Choice(value=key, label=label) for key, label, _, _ in ARMS], "buffering (default)"),
]

PRESETS = [
    Preset(
        key="compact",
        label="Compact",
        help="Four minutes on one small machine: five arms, four blocks of 9 s windows, 10 connections.",
        values={
            "workers": 2,
            "connections": "10",
            "threads": 1,
            "blocks": 4,
            "warmup_s": 1,
            "measure_s": 9,
            "cooldown_s": 0.5,
        },
    ),
    Preset(
        key="faithful",
        label="As published",
        help="For an 8-core machine, 10 Gbit/s, and generator and upstream server on others: 30 to 1500 connections.",
        values={
            "workers": 8,
            "connections": "30, 150, 300, 1500",
            "threads": 6,
            "blocks": 5,
            "warmup_s": 10,
            "measure_s": 60,
            "cooldown_s": 5,
        },
    ),
]
