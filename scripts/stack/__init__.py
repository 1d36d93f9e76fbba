"""The embedded stack: PostgreSQL, Redis, backend, jobs, coordinator and agent of one machine under a supervisor.

``python -m scripts.stack up|down|status|logs``. Everything it keeps lies in one data folder.
"""
