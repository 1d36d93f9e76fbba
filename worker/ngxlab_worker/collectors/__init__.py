"""Readings of the host, of nginx and of the trial's processes: raw values under node_exporter's names.

One file a collector. Reading is apart from parsing: a ``parse`` function is pure, takes the bytes of a source
and raises nothing but :class:`ParseError`. ``registry`` lists the collectors; :class:`Sampler` runs them.
"""

from ngxlab_worker.collectors.reading import ParseError
from ngxlab_worker.collectors.sampler import Sample, Sampler
from ngxlab_worker.collectors.stub_status import TIMEOUT_S, StubStatus, read_status
from ngxlab_worker.collectors.targets import SampleTargets

__all__ = ["TIMEOUT_S", "ParseError", "Sample", "SampleTargets", "Sampler", "StubStatus", "read_status"]
