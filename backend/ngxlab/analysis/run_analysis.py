"""The analysis of a run: every arm against the baseline, and the statements that the data support."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

import numpy as np
from ngxlab_contracts.engines import ENGINES
from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_verdict import Scatter
from ngxlab_verdict.families import ERROR
from ngxlab_verdict.learned import ENOUGH

from ngxlab.analysis.checks import check_run
from ngxlab.analysis.checks.rollup import roll_up
from ngxlab.analysis.factorial import Factorial, factor_effects
from ngxlab.analysis.metrics import CAPACITY, PLATEAU, Metric, metrics_of
from ngxlab.analysis.schemas import (
    ArmAnalysis,
    ArmBalance,
    ArmInfo,
    ArmMetric,
    CheckResult,
    CheckSummary,
    LearnedScatter,
    MetricNoise,
    PlanFacts,
    RunAnalysis,
    RunSelection,
    Shift,
    StreamComparison,
    TrialSummary,
    VerdictSentence,
    WorkerShare,
)
from ngxlab.analysis.selection import Choice, described, leading
from ngxlab.analysis.statistics.histograms import Histogram, merge
from ngxlab.analysis.statistics.paired import MIN_MARGIN
from ngxlab.analysis.summary.bottleneck.limits import bottleneck
from ngxlab.analysis.verdict import windows, wording
from ngxlab.analysis.verdict.answers import answers
from ngxlab.analysis.verdict.claims import (
    Claims,
    Margins,
    TrialsByBlock,
    default_primary,
    run_claims,
    usable_by_block,
    values_of,
)
from ngxlab.analysis.verdict.comparison import Ahead, arm_metric
from ngxlab.analysis.verdict.curve import curve_of
from ngxlab.analysis.verdict.looked_at import looks_sentence, procedure_of, with_interval_named
from ngxlab.analysis.verdict.noise import (
    UNCALIBRATED,
    Calibrated,
    TrialLength,
    learned_note,
    margin_note,
    more_or_longer,
    noise_of,
)
from ngxlab.analysis.verdict.notation import in_one_notation
from ngxlab.analysis.verdict.sentences import (
    arm_sentences,
    headline_statements,
    stream_sentences,
    verdict_state,
    without_normality,
)
from ngxlab.analysis.verdict.shift import shift
from ngxlab.analysis.verdict.stopping import more_blocks_wanted
from ngxlab.analysis.verdict.stream_comparison import metric_named, stream_keys, stream_metrics
from ngxlab.analysis.verdict.voided import void, void_summary, why_void
from ngxlab.analysis.verdict.windows import suggested

PREVIEW_BLOCKS = 3

TrialResults = tuple[TrialSummary, Sequence[CheckResult]]


def analyse_run(
    arms: Sequence[ArmInfo],
    baseline: str,
    trials: Sequence[TrialResults],
    plan: PlanFacts,
    *,
    margin: float = MIN_MARGIN,
    primary: Sequence[str] = (),
    calibrated: Calibrated = UNCALIBRATED,
    choice: Choice | None = None,
) -> RunAnalysis:
    """Also works on a run that is not finished. ``margin``: of ratios. ``primary``: the
    names of the metrics on which claims are made, in their order; without any, those of the load. ``choice``: how
    ``arms`` were chosen; ``trials`` are those after it.

    Only usable trials are compared, of each arm and block the last attempt. Each comparison uses the blocks in which
    both arms have one. Raises ValueError if ``baseline`` is not among ``arms``.
    """
    if baseline not in {arm.key for arm in arms}:
        raise ValueError(f"baseline {baseline!r} is not one of the arms {[arm.key for arm in arms]}")
    return _Run(arms, baseline, trials, plan, margin, primary, calibrated, choice).analyse()


@dataclass(frozen=True)
class _Run:
    """The inputs of the analysis, and what several of its results rest on."""

    arms: Sequence[ArmInfo]
    baseline: str
    trials: Sequence[TrialResults]
    plan: PlanFacts
    margin: float
    named_primary: Sequence[str]
    calibrated: Calibrated
    choice: Choice | None

    @cached_property
    def primary(self) -> Sequence[str]:
        engines = {stream.engine for trial in self.compared for stream in trial.streams if not stream.probe}
        steered = None
        if any(trial.searches for trial in self.compared):
            steered = CAPACITY
        elif any(trial.curves for trial in self.compared):
            steered = PLATEAU
        return self.named_primary or default_primary([ENGINES[one].loop for one in engines], steered=steered)

    @cached_property
    def claims(self) -> Claims:
        plan = self.plan
        judged = (self.named_metrics, self._judged, self.baseline, self.primary, self.margins)
        scatter = {one.metric: Scatter(one.deviation, one.degrees) for one in self._expected}
        return run_claims(*judged, looks=plan.looks, spent=plan.spent, earlier=plan.earlier, learned=scatter)

    @property
    def _expected(self) -> Sequence[LearnedScatter]:
        """What earlier runs have shown; they had the planned window."""
        return () if self.chosen_window else self.calibrated.learned

    @cached_property
    def learned(self) -> dict[str, LearnedScatter]:
        """What counts of earlier runs: where blocks are many, they show their own scatter."""
        known = self.complete_blocks > 1 and (len(self.arms) - 1) * (self.complete_blocks - 1) >= ENOUGH
        return {} if known else {one.metric: one for one in self._expected}

    @cached_property
    def named_metrics(self) -> list[Metric]:
        """The metrics of the run, and of each stream if there are several."""
        of_streams = [metric for key in stream_keys(self.compared) for metric in stream_metrics(key)]
        return [*self.metrics, *of_streams]

    @property
    def _judged(self) -> dict[str, TrialsByBlock]:
        """As ``usable``, without the blocks that a look does not see."""
        unseen = set(self.plan.open_blocks)
        return {arm: {n: trial for n, trial in own.items() if n not in unseen} for arm, own in self.usable.items()}

    @cached_property
    def identical(self) -> list[MetricNoise]:
        group = self.calibrated.identical
        return noise_of(self.named_metrics, [self.usable[arm] for arm in group], self.checks) if group else []

    @property
    def margins(self) -> Margins:
        return Margins(self.margin)

    @property
    def _seen_blocks(self) -> int:
        """How many blocks, from the first, the verdict has."""
        return min(self.plan.open_blocks, default=self.plan.blocks + 1) - 1

    @property
    def _primary_metrics(self) -> list[Metric]:
        return [metric for metric in self.named_metrics if metric.name in self.primary]

    @cached_property
    def noise(self) -> Mapping[str, float]:
        """Half widths of identical arms. A run of nothing else is itself the calibration."""
        own = self.identical if len(self.calibrated.identical) < len(self.arms) else []
        return self.calibrated.noise(own)

    @cached_property
    def usable(self) -> dict[str, TrialsByBlock]:
        """Arm -> block -> the trial that is compared."""
        summaries = [summary for summary, _ in self.trials]
        return {arm.key: usable_by_block(summaries, arm.key) for arm in self.arms}

    @cached_property
    def compared(self) -> list[TrialSummary]:
        return [summary for blocks in self.usable.values() for summary in blocks.values()]

    @cached_property
    def metrics(self) -> list[Metric]:
        return metrics_of(self.compared)

    @cached_property
    def chosen_window(self) -> Sentence | None:
        return windows.said([summary for summary, _ in self.trials], self.plan)

    @property
    def partial(self) -> bool:
        return len(self.compared) < self.plan.trials_planned

    @property
    def complete_blocks(self) -> int:
        """Blocks in which every arm has a usable trial."""
        return len(set.intersection(*(set(blocks) for blocks in self.usable.values())))

    def analyse(self) -> RunAnalysis:
        analysed = [self._analyse_arm(arm) for arm in self.arms]
        sentences, of_streams = self._sentences(analysed)
        statements = headline_statements([*sentences, *of_streams], self.primary)
        factorial, checks, qualification = self.factorial, self.checks, self._qualification(self.checks)
        not_valid = wording.not_valid(reason) if (reason := void_summary(checks)) is not None else None
        selection = self.selection
        chosen = selection.text if selection is not None else None
        said = [not_valid, chosen, *(statement.text for statement in statements), qualification]
        return RunAnalysis(
            baseline=self.baseline,
            headline=listed((text for text in said if text), " "),
            not_valid=not_valid,
            answers=answers(self.named_metrics, analysed, self.baseline, self.primary),
            statements=statements,
            qualification=qualification,
            chosen_window=self.chosen_window,
            suggested_window=suggested(self.compared, self.plan),
            sentences=sentences,
            stream_sentences=of_streams,
            preview=self.complete_blocks <= PREVIEW_BLOCKS,
            trustworthy=checks.errors == 0,
            verdict="not_valid" if checks.errors else verdict_state(statements),
            partial=self.partial,
            procedure=procedure_of(self.plan.looks),
            more_blocks=more_blocks_wanted(analysed),
            blocks_planned=self.plan.blocks,
            blocks_complete=self.complete_blocks,
            margin=self.margin,
            noise=dict(self.noise),
            margin_note=self._margin_note,
            learned=list(self.learned.values()),
            calibration=self.calibrated.use,
            identical=self.identical,
            scatter=self.scatter,
            primary=list(self.primary),
            more_or_longer=self._more_or_longer(statements),
            selection=selection,
            metrics=[metric.info for metric in self.metrics],
            arms=in_one_notation(analysed),
            factor_effects=factorial.effects,
            factor_interactions=factorial.interactions,
            factor_effects_reason=factorial.reason,
            checks=checks,
        )

    @property
    def _margin_note(self) -> Sentence:
        """The margin, and what is known from elsewhere of the noise."""
        margin = margin_note(self.margin, self._primary_metrics, self.noise, self.calibrated)
        note = learned_note(self._primary_metrics, self.learned)
        return margin if note is None else listed([margin, note], " ")

    @cached_property
    def scatter(self) -> list[MetricNoise]:
        """The scatter of all arms, for the power of later plans."""
        return noise_of(self.named_metrics, list(self.usable.values()), self.checks) if len(self.arms) > 1 else []

    def _more_or_longer(self, statements: Sequence[VerdictSentence]) -> list[Sentence]:
        open_metrics = {one.metric for one in statements if one.stream is None and one.verdict == "undecided"}
        phrases = {metric.name: metric.phrase for metric in self.metrics if metric.name in open_metrics}
        length = TrialLength.of(self.plan)
        said = (more_or_longer(one, phrases[one.metric], length) for one in self.scatter if one.metric in phrases)
        return [text for text in said if text is not None]

    @property
    def selection(self) -> RunSelection | None:
        """How the arms were chosen, and which of them is the best: better than each other one that was left."""
        if self.choice is None or (metric := self._first_primary) is None:
            return None
        why = why_void(self.checks, metric.info.group)
        unsaid = say("Which is the best cannot be told: {why}.", why=why) if why is not None else None
        best = self._best(metric) if why is None else None
        return described(self.choice, metric, self.margins.of(metric), best, unsaid)

    @property
    def _first_primary(self) -> Metric | None:
        return metric_named(self.primary[0]) if self.primary else None

    def _best(self, metric: Metric) -> str | None:
        """By the comparisons of all others with the arm in the lead: the best one wins falsely with their error."""
        arms = list(self._judged)
        place = leading(values_of([metric], [self._judged[arm] for arm in arms])[0], metric)
        if place is None or len(arms) == 1:
            return None
        judged, plan = ([metric], self._judged, arms[place], [metric.name], self.margins), self.plan
        claims = run_claims(*judged, looks=plan.looks, spent=plan.spent)
        return arms[place] if all(claim.verdict == "worse" for claim in claims.values()) else None

    @property
    def factorial(self) -> Factorial:
        given = (self.metrics, self.arms, self.baseline, self.usable)
        return factor_effects(*given, primary=self.primary, margin=self.margin)

    def _sentences(self, analysed: list[ArmAnalysis]) -> tuple[list[VerdictSentence], list[VerdictSentence]]:
        """Sentences on whole arms and on their streams, marked if the window was chosen afterwards."""
        whole, of_streams = (
            arm_sentences(self.metrics, analysed, self.baseline),
            stream_sentences(analysed, self.baseline),
        )
        if self.chosen_window is None:
            return whole, of_streams
        return windows.marked(whole), windows.marked(of_streams)

    def _analyse_arm(self, arm: ArmInfo) -> ArmAnalysis:
        own = self.usable[arm.key]
        trials = list(own.values())
        pooled = pooled_latency(trials)
        return ArmAnalysis(
            key=arm.key,
            label=arm.label,
            levels=arm.levels,
            is_baseline=arm.key == self.baseline,
            trials=sum(summary.arm == arm.key for summary, _ in self.trials),
            usable_trials=len(trials),
            metrics=void(self.metrics, [self._arm_metric(metric, arm) for metric in self.metrics], self.checks),
            latency=pooled.summarise() if pooled is not None else None,
            distribution=pooled.distribution() if pooled is not None else [],
            shift=self._shift(arm.key),
            curve=curve_of(trials),
            balance=arm_balance(trials),
            bottleneck=bottleneck(trials),
            nginx_build=next((trial.nginx_build for trial in trials if trial.nginx_build is not None), None),
            streams=[
                StreamComparison(
                    stream=key,
                    metrics=void(of_key, [self._arm_metric(metric, arm) for metric in of_key], self.checks),
                )
                for key in stream_keys(self.compared)
                if (of_key := stream_metrics(key))
            ],
        )

    def _shift(self, arm: str) -> Shift | None:
        """The shift of latency against the baseline; its band holds at any look where claims do."""
        if arm == self.baseline:
            return None
        looks = self.plan.looks
        error = ERROR if looks is None else looks.nominal(ERROR)
        return shift(self._judged[arm], self._judged[self.baseline], error)

    def _arm_metric(self, metric: Metric, arm: ArmInfo) -> ArmMetric:
        claim, margin = self.claims.get((arm.key, metric.name)), self.margins.of(metric)
        own = arm_metric(metric, self.usable[arm.key], claim, margin, Ahead(self.plan.course, self._seen_blocks))
        own = with_interval_named(own, self.plan.looks)
        if claim is None or own.comparison is None:
            return own
        found = without_normality(metric, claim, (self._judged[arm.key], self._judged[self.baseline]), margin)
        return own.model_copy(update={"comparison": own.comparison.model_copy(update={"robust": found})})

    def _qualification(self, checks: CheckSummary) -> Sentence:
        used = say(
            "Partial: {usable} of {planned} trials are usable.",
            usable=len(self.compared),
            planned=self.plan.trials_planned,
        )
        preview = self.complete_blocks if self.complete_blocks <= PREVIEW_BLOCKS else None
        return wording.qualification(
            chosen_window=self.chosen_window,
            preview_blocks=preview,
            partial=used if self.partial else None,
            validity=checks.text,
            looks=looks_sentence(self.plan),
            has_cv=any(metric.info.unit == "CV" for metric in self._primary_metrics),
        )

    @cached_property
    def checks(self) -> CheckSummary:
        """Those of the trials that are compared; of all trials if none is, to show why."""
        compared = {summary.trial_id for summary in self.compared}
        relevant = [pair for pair in self.trials if pair[0].trial_id in compared] or list(self.trials)
        results = [result for _, of_trial in relevant for result in of_trial]
        return roll_up([*results, *check_run([summary for summary, _ in relevant])])


def pooled_latency(trials: Sequence[TrialSummary]) -> Histogram | None:
    """For drawing only: verdicts use the values of each trial."""
    return merge(trial.latency_histogram for trial in trials)


def arm_balance(trials: Sequence[TrialSummary]) -> ArmBalance | None:
    balances = [trial.balance for trial in trials if trial.balance is not None]
    if not balances:
        return None
    return ArmBalance(
        cpu_cv=_mean([balance.cpu_cv for balance in balances]),
        cpu_max_over_mean=_mean([balance.cpu_max_over_mean for balance in balances]),
        connections_cv=_mean([balance.connections_cv for balance in balances]),
        connections_max_over_mean=_mean([balance.connections_max_over_mean for balance in balances]),
        workers=_shares_by_rank(trials),
    )


def _shares_by_rank(trials: Sequence[TrialSummary]) -> list[WorkerShare]:
    ranked = [_ranked(trial) for trial in trials if trial.workers]
    nothing: tuple[None, None] = (None, None)
    return [
        WorkerShare(
            rank=rank,
            cpu_share_percent=_mean([share[0] for share in shares]),
            connections_share_percent=_mean([share[1] for share in shares]),
        )
        for rank, shares in enumerate(zip_longest(*ranked, fillvalue=nothing), start=1)
    ]


def _ranked(trial: TrialSummary) -> list[tuple[float | None, float | None]]:
    """(CPU share, connections share) of each worker, the busiest first."""
    connections = [worker.connections for worker in trial.workers]
    measured = [value for value in connections if value is not None]
    whole = math.fsum(measured) if len(measured) == len(connections) else 0.0
    shares = [
        (
            worker.cpu_share_percent,
            100 * worker.connections / whole if worker.connections is not None and whole > 0 else None,
        )
        for worker in trial.workers
    ]
    return sorted(shares, key=lambda share: -(share[0] or 0.0))


def _mean(values: Sequence[float | None]) -> float | None:
    measured = [value for value in values if value is not None]
    return float(np.mean(measured)) if measured else None
