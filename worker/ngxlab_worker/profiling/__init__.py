"""Samples where nginx spends its CPU time, by perf: functions of nginx, of its libraries and of the kernel below."""

from ngxlab_worker.profiling.probe import probe_profiling
from ngxlab_worker.profiling.recording import ProfilingError, Recording

__all__ = ["ProfilingError", "Recording", "probe_profiling"]
