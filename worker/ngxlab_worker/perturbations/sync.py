"""All dirty pages of the host go to its disks."""

import os

from ngxlab_worker.perturbations.action import Done
from ngxlab_worker.perturbations.cue import Cue


class SyncAction:
    """sync(2) waits until everything is written; nobody can call it back."""

    def run(self, cue: Cue) -> Done:
        del cue
        os.sync()
        return Done(ok=True)
