"""Writes all dirty pages of the host to its disks."""

import os

from ngxlab_worker.perturbations.action import Cue, Done


class SyncAction:
    """sync(2) returns when everything is written; it cannot be interrupted."""

    def run(self, cue: Cue) -> Done:
        del cue
        os.sync()
        return Done(ok=True)
