"""The form of the idle-connections template."""

from ngxlab.templates.form import Choice, Parameter, Preset
from ngxlab.templates.plan_parameters import plan_parameters

PARAMETERS = [
    Parameter(
        name="connections",
        section="Load",
        label="Connections held",
        help="An arm for each number. The slope of the line through them gives bytes per connection. Both ends take "
        "about 8 KB of kernel memory: a million needs 16 GB or more.",
        kind="integers",
        default="1000, 10000, 50000, 100000",
        minimum=10,
        maximum=1_000_000,
        article_value="100,000",
    ),
    Parameter(
        name="generators",
        section="Load",
        label="Generators",
        help="With two, each holds half of the connections; they may be on two hosts.",
        kind="choice",
        choices=[Choice(value="1", label="one"), Choice(value="2", label="two")],
        default="1",
        article_value="two, 50,000 each",
    ),
    Parameter(
        name="connect_per_s",
        section="Load",
        label="Connections opened",
        help="By each generator. The warm-up must be long enough to open them all.",
        kind="number",
        unit="1/s",
        default=12_000,
        minimum=10,
        maximum=100_000,
        article_value="1,000/s: ten every 10 ms",
    ),
    Parameter(
        name="think_max_s",
        section="Load",
        label="Longest sleep",
        help="Each connection repeatedly sleeps between one second and this, at random, and sends a HEAD request.",
        kind="number",
        unit="s",
        default=120,
        minimum=2,
        maximum=7200,
        article_value="1800 s: half of the keep-alive timeout",
    ),
    Parameter(
        name="keepalive_s",
        section="nginx",
        label="Keep-alive timeout",
        help="How long nginx keeps a silent connection: keepalive_timeout, and client_header_timeout before the "
        "first request.",
        kind="integer",
        unit="s",
        default=3600,
        minimum=10,
        maximum=86_400,
        article_value="3600 s",
    ),
    Parameter(
        name="descriptors",
        section="nginx",
        label="Descriptors a worker may open",
        help="The target's limit for one process (nofile_hard on the host's page). The number of workers follows from "
        "it: 7 for 100,000 connections with 20,000 descriptors.",
        kind="integer",
        default=20_000,
        minimum=1000,
        maximum=1_000_000,
        article_value="102,400, with one worker",
    ),
    *plan_parameters(blocks=2, warmup_s=12, measure_s=8, cooldown_s=2),
]

PRESETS = [
    Preset(
        key="compact",
        label="Compact",
        help="About three and a half minutes on two cores and 4 GB: two blocks of four arms up to 100,000 connections.",
        values={},
    ),
    Preset(
        key="million",
        label="A million",
        help="Twenty minutes on 16 GB or more: up to 1,000,000 connections. The connection-tracking table must have "
        "room (net.netfilter.nf_conntrack_max).",
        values={
            "connections": "100000, 500000, 1000000",
            "connect_per_s": 20_000,
            "think_max_s": 600,
            "blocks": 2,
            "warmup_s": 90,
            "measure_s": 20,
            "cooldown_s": 60,
        },
    ),
    Preset(
        key="faithful",
        label="As published",
        help="Two generators with 50,000 connections each, 1,000 opened a second, sleeps of up to half an hour, one "
        "worker. The window is ten minutes instead of two hours, so the run takes two and a half hours.",
        values={
            "generators": "2",
            "connect_per_s": 1000,
            "think_max_s": 1800,
            "descriptors": 130_000,
            "blocks": 3,
            "warmup_s": 60,
            "measure_s": 600,
            "cooldown_s": 60,
        },
    ),
]
