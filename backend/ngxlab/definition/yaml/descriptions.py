"""What each property of an experiment's document means, for its JSON Schema and for docs/yaml.md.

By section and property. A test asks for an entry for every property of the schema, and for none besides.
"""

_KEY = "its name in this document: lower-case letters, digits, - and _"
_LABEL = "its name for people, in charts and reports"
_SEED = "determines what is drawn at random; the same seed gives the same"
_SLOT = "the slot whose host does this; a run assigns a host to each slot"
_RESPONSE_BYTES = "size of each response's body; a number, or an expression over the arm's variables"

DESCRIPTIONS: dict[str, dict[str, str]] = {
    "ExperimentDocument": {
        "schema_version": "version of this format",
        "name": "what the experiment is called after the import",
        "question": "what the experiment is to answer, in words",
        "template": "the built-in template that the experiment was made from",
        "factors": "what is varied; without factors there is one arm, called only",
        "design": "which combinations of levels are arms; without it, all of them",
        "baseline": "key of the arm that is the baseline: its levels' keys joined by dots",
        "nginx": "the nginx under test",
        "upstream_servers": "servers behind the nginx under test",
        "streams": "the load: each stream is one load generator",
        "perturbations": "actions during each trial, such as a reload",
        "plan": "how often each arm runs, for how long, and when the run has measured enough",
        "thresholds": "conditions that make a run pass or fail; as text METRIC [ratio] < or > NUMBER [for ARM], such "
        "as p99_ms < 20 or requests_per_s ratio > 0.98",
        "placement": "which CPUs slots use on a shared host: auto (nginx gets the first half from four CPUs on), "
        "none, or a list of CPUs for each slot, such as target: 0-3",
    },
    "Threshold": {
        "metric": "what must stay within the bound",
        "statistic": "of latency_ms: a percentile, or another",
        "ratio": "the arm's value divided by the baseline's instead of the value itself",
        "compare": "how the metric must compare with the value",
        "value": "the bound",
        "arm": "key of the only arm that must meet it; without one every arm, with ratio every arm but the baseline",
    },
    "TemplateOrigin": {"key": "of the template", "parameters": "values of the template's form, by name"},
    "Factor": {"key": _KEY, "label": _LABEL, "levels": "its values, of which each arm has one"},
    "Level": {
        "key": _KEY,
        "label": _LABEL,
        "variables": "what the level sets, by name: numbers, texts, or whole fragments of configuration, which "
        "expressions such as {{ workers }} refer to",
        "build": "the nginx that its arms run, such as tengine or nginx-1.22.1: a name that a binary of the target's "
        "host answers to, or any name that a run binds to a binary (--nginx NAME=BINARY)",
    },
    "MatrixDesign": {
        "kind": "matrix: every combination of levels",
        "exclude": "combinations that make no sense",
        "off": "keys of arms that do not run",
    },
    "ChosenDesign": {"kind": "chosen: only the combinations named", "arms": "the combinations that run"},
    "ArmDefinition": {"key": "the arm's name in this document", "label": _LABEL, "levels": "a level of every factor"},
    "Exclusion": {
        "when": "levels by factor; a combination is excluded if, for each factor named here, its level is listed",
        "reason": "why, for people",
    },
    "NginxTemplate": {
        "workers": "worker processes",
        "worker_connections": "connections that each worker may have open, with those to upstream servers",
        "main": "configuration outside of all blocks; load_module of files that the host's owner names in caps.toml",
        "events": "configuration inside events",
        "http": 'configuration inside http; {{ servers("KEY") }} stands for the instances of an upstream server',
        "listen_options": "what follows the port in listen, such as reuseport backlog=511",
        "server": "configuration inside the server block under test",
        "tls": "serve by TLS, with a certificate made for the run; streams then use https",
        "files": "sets of files made for each trial and served from @@folder@@/files",
        "ports": "how many ports receive the load",
        "request_times": "nginx logs how long each request and its upstream took, and the agent reads it",
        "cold_files": "how sets of files with cold are kept out of the page cache",
        "upstreams": "upstream groups that change while nginx runs",
        "build": "the nginx of arms whose levels name none; without it, the one chosen for the run",
    },
    "FileSet": {
        "folder": "where the files are: folder/0, folder/1, …",
        "count": "how many files",
        "size_bytes": "size of each file; or give sizes",
        "sizes": "how the sizes of the files are distributed",
        "content": "what is in them: random (cannot be compressed), text, json or html",
        "compression_ratio": "what gzip makes of text, roughly: 4 means a quarter of the size; without it, about 2.8",
        "seed": _SEED,
        "cold": "every read of them comes from the disk",
    },
    "UniformSizes": {
        "kind": "uniform: all sizes between two are equally frequent",
        "min_bytes": "the smallest size",
        "max_bytes": "the largest",
    },
    "LogNormalSizes": {
        "kind": "lognormal: many small files and few large ones",
        "median_bytes": "half of the files are smaller",
        "sigma": "standard deviation of the size's natural logarithm; 1 is typical of web sites",
        "max_bytes": "no file is larger",
    },
    "ListedSizes": {"kind": "list: some sizes", "sizes": "the sizes and how frequent they are"},
    "WeightedSize": {"size_bytes": "the size", "weight": "how frequent it is, relative to the others"},
    "ColdFiles": {
        "method": "evict: drop the files from the page cache again and again; throttle: also put them on a device with "
        "limited reads, which few hosts can do",
        "evict_every_ms": "time between two evictions",
        "read_bytes_per_s": "most bytes read a second (throttle)",
        "read_ops_per_s": "most reads a second (throttle)",
    },
    "DynamicUpstreams": {
        "through": "lua: Lua on a stock nginx; tengine: the dyups module of a registered Tengine; reload: rewrite the "
        "file of upstreams and reload nginx",
        "groups": "the upstream groups",
        "read_interval_ms": "time between two looks of a worker for changes",
        "lock_us_per_node": "how long every worker holds the shared lock for each node of a change (lua); simulated",
        "trylock": "a change that finds the lock taken is refused with 409 instead of waiting",
        "health_check": "arguments of Tengine's check directive; empty for none",
    },
    "UpstreamGroup": {
        "key": _KEY,
        "nodes": "how many servers the group has",
        "server": "key of the upstream server whose instances they use in turn",
        "health_check": "as for all groups, for this one alone",
    },
    "UpstreamServer": {
        "key": _KEY,
        "slot": _SLOT,
        "instances": "how many ports it listens on",
        "workers": "worker processes of its nginx",
        "behaviour": "a ready-made behaviour; otherwise the fragment in server says what it does",
        "server": "configuration inside its server block",
        "tls": "serve by TLS, with a certificate made for the trial (self-signed: proxy_ssl_verify must be off); the "
        "nginx under test then asks it by proxy_pass https://UPSTREAM",
    },
    "Sink": {"kind": "sink: reads any body and answers 200", "response_bytes": _RESPONSE_BYTES},
    "Slow": {
        "kind": "slow: answers after a delay (needs nginx's Lua module)",
        "delay_ms": "the delay; its mean for exponential",
        "distribution": "constant, uniform within the spread, or exponential",
        "spread_ms": "the delay varies by plus or minus this much (uniform)",
        "response_bytes": _RESPONSE_BYTES,
    },
    "Stream": {
        "key": _KEY,
        "engine": "the program that makes the load: wrk (closed loop), open-loop (at a rate), or idle-hold (many "
        "connections that mostly wait)",
        "slot": _SLOT,
        "threads": "threads of wrk, or processes of open-loop",
        "connections": "connections open at once; for wrk a multiple of the threads",
        "timeout_s": "an answer that takes longer is an error",
        "start_offset_s": "when the stream starts, from the start of warm-up",
        "duration_s": "how long it lasts; without it, to the end of the measured window",
        "path": "what is requested",
        "paths": "many paths, of which each request takes one (wrk)",
        "method": "of the requests",
        "headers": "of the requests, by name",
        "body": "of the requests, as text",
        "body_bytes": "size of a body that is made up, instead of body",
        "script": "Lua for wrk; the owner of the host must allow it",
        "keep_alive": "keep connections open; otherwise one for each request",
        "probe": "the stream only observes what others cause; totals leave it out",
        "served_statuses": "responses with these statuses serve a request; only they count in rates and latencies",
        "rejected_statuses": "responses that reject a request as the experiment expects, such as 429: no errors",
        "open_loop": "what the engine open-loop is told",
        "idle_hold": "what the engine idle-hold is told",
    },
    "PathChoice": {
        "pattern": "a path in which {n} becomes a number, drawn uniformly for each request",
        "count": "how many numbers there are, from 0 on",
        "seed": _SEED,
    },
    "OpenLoop": {
        "rate_per_s": "requests a second; or give steps",
        "steps": "rates one after the other; that at the end of the last one then stays",
        "arrivals": "constant: evenly spaced; poisson: at random instants",
        "seed": _SEED,
    },
    "RateStep": {
        "per_s": "requests a second at the start of the step",
        "to_per_s": "requests a second at its end; without it, the rate stays constant",
        "duration_s": "how long the step lasts",
    },
    "IdleHold": {
        "connect_per_s": "connections opened a second, until all are open",
        "think_min_s": "the shortest time between two requests of a connection",
        "think_max_s": "the longest",
        "seed": _SEED,
    },
    "Perturbation": {
        "key": _KEY,
        "slot": _SLOT,
        "when": "once, repeatedly, or for some time",
        "action": "what is done",
    },
    "Once": {"kind": "once", "at_s": "when, from the start of the measured window"},
    "Every": {
        "kind": "every: repeatedly",
        "every_s": "time between two actions",
        "from_s": "when the first one is, from the start of the measured window",
        "until_s": "actions happen before this; without it, to the window's end",
    },
    "During": {
        "kind": "during: for some time",
        "from_s": "from the start of the measured window",
        "until_s": "its end; without it, the window's",
    },
    "Reload": {"kind": "reload: SIGHUP to nginx's master"},
    "Sync": {"kind": "sync: write all dirty pages of the host to its disks"},
    "SignalNginx": {
        "kind": "signal: send a signal to nginx",
        "signal": "which; STOP is followed by CONT",
        "to": "the master, all workers, one worker, or all processes",
        "worker": "which worker, from 0 (to: worker)",
        "resume_after_s": "time between STOP and CONT",
    },
    "HttpCall": {
        "kind": "http: send a request",
        "endpoint": "target, or upstream.KEY",
        "method": "of the request",
        "path": "of the request: visible ASCII, sent as it is",
        "body": "of the request",
        "timeout_s": "an answer that takes longer is a failure",
    },
    "Churn": {
        "kind": "churn: change the nodes of an upstream group",
        "group": "key of the group",
        "timeout_s": "a change that takes longer has failed",
    },
    "CpuPressure": {
        "kind": "cpu-pressure: processes that only compute",
        "processes": "how many",
    },
    "DiskPressure": {
        "kind": "disk-pressure: write and sync in the trial's folder",
        "bytes_per_s": "the most that is written a second",
    },
    "Plan": {
        "blocks": "how often each arm runs; each block runs every arm once, in random order",
        "warmup_s": "load before the measured window, not counted",
        "measure_s": "length of the measured window",
        "cooldown_s": "pause after each trial",
        "interval_ms": "time between two readings of nginx and of the system",
        "primary": "the metrics on which claims are made, the most important first; STREAM.METRIC for those of one "
        "stream. Without any, those of the template or of the load",
        "stop": "when the run ends",
    },
    "FixedBlocks": {"kind": "fixed: after the planned blocks"},
    "UntilPrecise": {
        "kind": "precision: add blocks until an interval is narrow enough for every arm",
        "metric": "the metric whose 95 % interval is looked at",
        "half_width_percent": "how wide it may be, to either side",
        "max_blocks": "the most blocks, whatever the precision",
    },
}
