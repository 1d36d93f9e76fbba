"""Ready-made values of the dynamic-upstreams template: sweeps for one small machine, and the article's own."""

from ngxlab.templates.form import Preset

_ARTICLE = {
    "through": "tengine",
    "changed_nodes": "350",
    "health_checks": "all",
    "churn_s": "60",
    "baseline_s": 10,
    "recovery_s": 20,
    "rate_per_s": 10_000,
    "connections": 14_000,
    "service_workers": 4,
    "workers": "40",
    "blocks": 3,
    "warmup_s": 5,
    "cooldown_s": 5,
}

PRESETS = [
    Preset(
        key="compact",
        label="Compact",
        help="Less than five minutes on one small machine. Lua replaces dyups, and the time for which an update holds "
        "the lock is simulated so that the threshold lies within the sweep.",
        values={},
    ),
    Preset(
        key="interval",
        label="Compact: interval",
        help="Less than three minutes: changes every 2, 1.5, 1 and 0.5 s, once each.",
        values={"changed_nodes": "200", "churn_interval_s": "2, 1.5, 1, 0.5", "blocks": 2},
    ),
    Preset(
        key="workers",
        label="Compact: workers",
        help="Less than three minutes: 4, 8, 16 and 32 workers.",
        values={"changed_nodes": "200", "workers": "4, 8, 16, 32", "blocks": 2},
    ),
    Preset(
        key="trylock",
        label="Compact: trylock",
        help="Less than five minutes: as compact, but changes that find the lock taken are refused.",
        values={"trylock": True},
    ),
    Preset(
        key="reload",
        label="Compact: reload",
        help="Less than five minutes: a file and a reload instead of dyups.",
        values={"through": "reload"},
    ),
    Preset(
        key="faithful",
        label="As published: changed nodes",
        help="For two hosts and a Tengine with dyups and its check module (2.3.2 for the article's timers).",
        values={**_ARTICLE, "changed_nodes": "300, 350, 400, 450, 500"},
    ),
    Preset(
        key="faithful-total",
        label="As published: nodes in all",
        help="As above, with several numbers of nodes in all.",
        values={**_ARTICLE, "total_nodes": "10000, 9000, 8000, 7000, 6000"},
    ),
    Preset(
        key="faithful-duration",
        label="As published: duration",
        help="As above, with several durations of the churn. The article does not give its durations.",
        values={**_ARTICLE, "churn_s": "10, 30, 60, 120"},
    ),
    Preset(
        key="faithful-interval",
        label="As published: interval",
        help="As above, with several intervals between changes.",
        values={**_ARTICLE, "churn_interval_s": "2, 1.5, 1, 0.5"},
    ),
    Preset(
        key="faithful-health-checks",
        label="As published: health checks",
        help="As above, with and without active health checks.",
        values={**_ARTICLE, "health_checks": "compare"},
    ),
    Preset(
        key="faithful-workers",
        label="As published: workers",
        help="As above, with several numbers of workers. The article does not give its numbers.",
        values={**_ARTICLE, "workers": "10, 20, 40"},
    ),
]
