"""Results of the analysis, one module for each subject. This package exports all of them."""

from ngxlab.analysis.schemas.answer import Answer, ArmAnswer, Sign
from ngxlab.analysis.schemas.arm import ArmAnalysis, ArmBalance, ArmInfo, WorkerShare
from ngxlab.analysis.schemas.check import CheckResult, CheckSeverity, CheckSummary, RolledCheck
from ngxlab.analysis.schemas.comparison import (
    ApartTrials,
    ArmMetric,
    BlockValue,
    Comparison,
    Family,
    StreamComparison,
    Verdict,
    VerdictSentence,
)
from ngxlab.analysis.schemas.factorial import FactorEffect, FactorInteraction
from ngxlab.analysis.schemas.host import (
    Balance,
    NetworkRate,
    NginxBuild,
    NginxCounts,
    SamplingSummary,
    ServerCost,
    TrialHostSummary,
    WorkerSummary,
)
from ngxlab.analysis.schemas.latency import DistributionPoint, LatencySummary
from ngxlab.analysis.schemas.metric import Direction, MetricGroup, MetricInfo, MetricKey, Scale
from ngxlab.analysis.schemas.model import AnalysisModel
from ngxlab.analysis.schemas.noise import CalibrationUse, MetricNoise
from ngxlab.analysis.schemas.run import PlanFacts, RunAnalysis, SuggestedWindow, VerdictState
from ngxlab.analysis.schemas.stream import (
    Accounting,
    ErrorSummary,
    LatencyBasis,
    RejectedSummary,
    StreamSummary,
    ToldApart,
)
from ngxlab.analysis.schemas.trial import ActionsSummary, ChosenWindow, TrialNote, TrialSummary

__all__ = [
    "Accounting",
    "ActionsSummary",
    "AnalysisModel",
    "Answer",
    "ApartTrials",
    "ArmAnalysis",
    "ArmAnswer",
    "ArmBalance",
    "ArmInfo",
    "ArmMetric",
    "Balance",
    "BlockValue",
    "CalibrationUse",
    "CheckResult",
    "CheckSeverity",
    "CheckSummary",
    "ChosenWindow",
    "Comparison",
    "Direction",
    "DistributionPoint",
    "ErrorSummary",
    "FactorEffect",
    "FactorInteraction",
    "Family",
    "LatencyBasis",
    "LatencySummary",
    "MetricGroup",
    "MetricInfo",
    "MetricKey",
    "MetricNoise",
    "NetworkRate",
    "NginxBuild",
    "NginxCounts",
    "PlanFacts",
    "RejectedSummary",
    "RolledCheck",
    "RunAnalysis",
    "SamplingSummary",
    "Scale",
    "ServerCost",
    "Sign",
    "StreamComparison",
    "StreamSummary",
    "SuggestedWindow",
    "ToldApart",
    "TrialHostSummary",
    "TrialNote",
    "TrialSummary",
    "Verdict",
    "VerdictSentence",
    "VerdictState",
    "WorkerShare",
    "WorkerSummary",
]
