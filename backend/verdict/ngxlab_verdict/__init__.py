"""What may be claimed of arms that were measured in blocks against a baseline (docs/method.md).

Pure: numbers in, claims out. The server, `ngxlab judge` and the simulations all call :func:`judge`.
"""

from ngxlab_verdict.experiment import Experiment, MetricRule, Question
from ngxlab_verdict.judge import judge
from ngxlab_verdict.looks import Looks
from ngxlab_verdict.words import Claim, Family, Word

__all__ = ["Claim", "Experiment", "Family", "Looks", "MetricRule", "Question", "Word", "judge"]
