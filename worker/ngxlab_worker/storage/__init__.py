"""Files that are to be read from the disk, each time: kept out of the page cache, or behind a slow device."""

from ngxlab_worker.storage.cold import ColdStorage
from ngxlab_worker.storage.disk import StorageError
from ngxlab_worker.storage.leftovers import release
from ngxlab_worker.storage.probe import ThrottleProbe, probe_throttling

__all__ = ["ColdStorage", "StorageError", "ThrottleProbe", "probe_throttling", "release"]
