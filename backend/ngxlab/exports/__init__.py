"""Runs as files: what leaves an installation, and runs that come from another one."""
