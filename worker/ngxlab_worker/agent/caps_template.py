"""The caps.toml that a new host gets: every key explained, none set."""

TEMPLATE = """\
# What you, the owner of this host, allow. Remove the # from a line to set it; the lines show examples, not defaults.
# The agent reads this file when it starts, once a minute, on SIGHUP and before each trial. The server cannot change it.

# The roles that this host may play in an experiment. Without this line: all three.
# roles = ["target", "generator", "upstream"]

# The most connections that the load generators of one trial may open here. Without this line: no cap.
# max_connections = 10000

# The longest trial in seconds: warm-up, measured window and cool-down. Without this line: no cap.
# max_trial_s = 600

# The most bytes of files that one trial may have here at a time, with its logs and temporary files; each disk pressure
# counts as 256 MiB. A trial that exceeds this or one of the next two caps is ended, with the cap as its reason.
# Without this line: half of the space that is free when the trial begins.
# max_files_bytes = 10_000_000_000

# The most memory, in bytes, of all processes of one trial together (64 MiB at least).
# Without this line: three quarters of this host's memory.
# max_memory_bytes = 4_000_000_000

# The most processes and threads of one trial (32 at least). Without this line: 8192.
# max_processes = 2000

# The highest rate, in requests or new connections a second, that the load generators of one trial may plan here. An
# engine without a planned rate, such as wrk, is as fast as its connections allow. Without this line: no cap.
# max_rate_per_s = 50_000

# Networks that this host may send load to, besides itself. The agent refuses any other address, whatever the server
# says. Without this line: the private networks (10.0.0.0/8 and the like) that this host is itself part of.
# allow_targets = ["192.0.2.0/24", "2001:db8::/64"]

# Lua scripts of load generators. They can read no file of this host and reach nothing but the trial's target; where the
# kernel cannot ensure that, they are refused whatever this says. Without this line: not allowed.
# allow_scripts = true

# nginx without namespaces (see the capability "isolation"): its configuration could then read any file that the user
# ngxlab can read. Say true where that user sees nothing worth keeping, such as in a container that has nothing else.
# Without this line: where namespaces do not work, this host runs no nginx.
# allow_unsandboxed_nginx = true

# Perturbations of the whole host: sync, and pressure on its CPUs and its disks. Without this line: allowed.
# allow_pressure = false

# nginx binaries to offer besides those on PATH and in the usual places, such as your own build or Tengine.
# nginx = ["/opt/tengine/sbin/tengine"]

# Files of nginx modules that an experiment may load (load_module), below /usr or /opt. Their code runs in the trial's
# nginx. Without this line: none; what ngxlab itself writes loads what it needs from the folder of modules of the nginx.
# nginx_modules = ["/usr/lib/nginx/modules/ngx_http_brotli_filter_module.so"]
"""
