"""Cold files: kept out of the page cache, or on a slow device, so that each reading comes from the disk."""

from ngxlab_worker.storage.cold import ColdStorage
from ngxlab_worker.storage.disk import StorageError, release
from ngxlab_worker.storage.read_limit import probe_throttling

__all__ = ["ColdStorage", "StorageError", "probe_throttling", "release"]
