"""Readings of the host, of nginx and of the trial's processes: raw values, named as node_exporter names them.

Each collector has a file. A ``parse`` function is pure: it takes the bytes of a source and raises nothing but
:class:`ParseError`. :class:`Sampler` finds the collectors of the host, and runs all of them.
"""

from ngxlab_worker.collectors.processes import SampleTargets
from ngxlab_worker.collectors.reading import ParseError
from ngxlab_worker.collectors.sampler import Sample, Sampler
from ngxlab_worker.collectors.stub_status import TIMEOUT_S, StubStatus, read_status

__all__ = ["TIMEOUT_S", "ParseError", "Sample", "SampleTargets", "Sampler", "StubStatus", "read_status"]
