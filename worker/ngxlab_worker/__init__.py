"""The coordinator and the agent: Celery processes that talk HTTP to the backend.

agent/              the agent of a host: claims trials, heartbeats, inventory, leftovers
coordinator/        drives runs, trial by trial
config_test         ``nginx -t`` of configurations, before anything starts
trial/              one trial on this host, from set-up to clean-up
perturbations/      what is done to a trial while it runs
upstream_groups     groups of upstream servers that change while nginx runs
nginx/              the nginx under test, and those that play upstream servers
engines/            load engines, a folder each
collectors/         readings of the host, of nginx and of the trial's processes, a file each
inventory/          what this host is and what it can do
storage/            files that have to be read from the disk each time
uplink/             the backend's API, the spool of batches, the upload, the backend's orders
sandbox/            unprivileged child processes
core/               settings, logs, clocks, kernel files

Doors: ``cli`` and ``tasks``. The root ``pyproject.toml`` says which room may import which.
"""
