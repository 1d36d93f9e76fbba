"""Holds all children of a trial within what the host's owner allows, whatever they do."""

from ngxlab_worker.confinement.bounds import Bounds, default_bounds
from ngxlab_worker.confinement.confinement import CapWatch, Confinement
from ngxlab_worker.confinement.fence import Fence, probe_fence
from ngxlab_worker.confinement.group import probe_confinement

__all__ = ["Bounds", "CapWatch", "Confinement", "Fence", "default_bounds", "probe_confinement", "probe_fence"]
