"""What is done to a trial while it runs: actions, and the time line that they follow."""

from ngxlab_worker.perturbations.action import Action, ActionError, Cue, Done
from ngxlab_worker.perturbations.actions import Scene, calls_target, prepare
from ngxlab_worker.perturbations.scheduler import Perturbations

__all__ = ["Action", "ActionError", "Cue", "Done", "Perturbations", "Scene", "calls_target", "prepare"]
