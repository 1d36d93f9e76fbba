"""What may be claimed of arms that were measured in blocks against a baseline (docs/method.md).

Pure: numbers in, claims out. The server, `ngxlab judge` and the simulations all call :func:`judge`.
"""

from ngxlab_verdict.experiment import Experiment, MetricRule, Question
from ngxlab_verdict.independent_arms import Between, Sides, judge_independent_arms
from ngxlab_verdict.judge import judge
from ngxlab_verdict.learned import Scatter, learn
from ngxlab_verdict.level_shifts import ChangePoint, Latest, Level, change_points, latest, levels_of, runs_resemble
from ngxlab_verdict.phases import Timed, mean_differences
from ngxlab_verdict.profiles import FALSE_DISCOVERIES, FrameDifferences, Sampled, differences
from ngxlab_verdict.sequential import Course, Looks, Stage
from ngxlab_verdict.words import Claim, Family, Word

__all__ = [
    "FALSE_DISCOVERIES",
    "Between",
    "ChangePoint",
    "Claim",
    "Course",
    "Experiment",
    "Family",
    "FrameDifferences",
    "Latest",
    "Level",
    "Looks",
    "MetricRule",
    "Question",
    "Sampled",
    "Scatter",
    "Sides",
    "Stage",
    "Timed",
    "Word",
    "change_points",
    "differences",
    "judge",
    "judge_independent_arms",
    "latest",
    "learn",
    "levels_of",
    "mean_differences",
    "runs_resemble",
]
