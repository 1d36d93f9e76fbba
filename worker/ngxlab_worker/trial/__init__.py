"""One trial on this host, from set-up to clean-up. ``runner`` is where it begins."""

from ngxlab_worker.trial.runner import TrialContext, run_trial

__all__ = ["TrialContext", "run_trial"]
