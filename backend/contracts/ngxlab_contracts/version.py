"""The version of all packages of this repository: the one place that says it. ``frontend/package.json`` is tested."""

VERSION = "0.9.0"
