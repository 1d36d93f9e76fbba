"""The form of the reuseport template."""

from ngxlab.templates.form import Choice, Parameter, Preset
from ngxlab.templates.plan_parameters import baseline_parameter, plan_parameters

PARAMETERS = [
    Parameter(
        name="workers",
        section="nginx",
        label="nginx workers",
        help="Worker processes. Four show the effect on any machine.",
        kind="integer",
        default=4,
        minimum=2,
        maximum=128,
        article_value="4",
    ),
    Parameter(
        name="protocol",
        section="Load",
        label="Protocol",
        help="HTTPS adds the work of TLS, with a handshake for each request if connections are closed.",
        kind="choice",
        choices=[Choice(value="http", label="HTTP"), Choice(value="https", label="HTTPS")],
        default="http",
        article_value="HTTP; a later test HTTP and HTTPS",
    ),
    Parameter(
        name="connection_mode",
        section="Load",
        label="Connections are",
        help="If kept alive, connections stay with the worker that accepted them. If closed after each response, every "
        "request goes through the accept path, in which the arms differ.",
        kind="choice",
        choices=[
            Choice(value="keep-alive", label="kept alive"),
            Choice(value="close", label="closed after each response"),
        ],
        default="keep-alive",
    ),
    Parameter(
        name="connections",
        section="Load",
        label="Connections",
        help="Connections that wrk keeps open at once. A multiple of its threads.",
        kind="integer",
        default=100,
        minimum=2,
        maximum=10_000,
    ),
    Parameter(
        name="threads",
        section="Load",
        label="wrk threads",
        help="Threads of the generator. On a small machine they share the cores with nginx.",
        kind="integer",
        default=1,
        minimum=1,
        maximum=128,
    ),
    *plan_parameters(blocks=5),
    baseline_parameter(
        [
            Choice(value="mutex-on", label="accept_mutex on"),
            Choice(value="mutex-off", label="accept_mutex off"),
            Choice(value="reuseport", label="reuseport"),
        ],
        article_value="accept_mutex on",
    ),
]

PRESETS = [
    Preset(
        key="compact",
        label="Compact",
        help="About three and a half minutes on any machine: five blocks of 10 s windows.",
        values={"workers": 4, "connections": 100, "threads": 1, "blocks": 5, "warmup_s": 2, "measure_s": 10},
    ),
    Preset(
        key="quick",
        label="Quick look",
        help="Under a minute and a half: three short blocks, enough for a first impression.",
        values={"blocks": 3, "warmup_s": 1, "measure_s": 5, "cooldown_s": 0.5},
    ),
    Preset(
        key="close",
        label="Closing, over HTTPS",
        help="Four minutes in which every request is accepted anew, each with a TLS handshake.",
        values={"protocol": "https", "connection_mode": "close", "blocks": 5, "measure_s": 10},
    ),
    Preset(
        key="faithful",
        label="As published",
        help="For a many-core machine and a generator on another one: four workers, five blocks of 30 s windows.",
        values={"workers": 4, "connections": 360, "threads": 12, "blocks": 5, "warmup_s": 5, "measure_s": 30},
    ),
]
