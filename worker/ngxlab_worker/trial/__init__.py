"""One trial on this host, from an empty folder to an empty folder."""

from ngxlab_worker.trial.runner import TrialSetting, run_trial
from ngxlab_worker.trial.steering import Steering, TrialStopError

__all__ = ["Steering", "TrialSetting", "TrialStopError", "run_trial"]
