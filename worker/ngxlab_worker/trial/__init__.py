"""One trial on this host, from an empty folder to an empty folder."""

from ngxlab_worker.trial.runner import TrialContext, run_trial

__all__ = ["TrialContext", "run_trial"]
