"""Compare arms of several runs, for a reader who may read each of them."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ngxlab_contracts.sentences import Sentence, listed, say
from ngxlab_verdict import Between
from ngxlab_verdict.independent_arms import FEWEST_DEGREES
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.gates import Outcome
from ngxlab.analysis.run_comparison import AcrossRuns, Against, Side, compare_across
from ngxlab.analysis.schemas import VerdictSentence
from ngxlab.analysis.verdict.claims import Margins
from ngxlab.analysis.verdict.windows import mark
from ngxlab.compare.differences import Setup, beside, differences, diffs, setup_of
from ngxlab.compare.schemas import ArmTrial, ComparedArm, ComparedRun, RunComparison
from ngxlab.compare.selection import Asked, LoadedRun, Selection, load, select
from ngxlab.core.errors import Invalid
from ngxlab.definition.loads import why_not_comparable
from ngxlab.runs.presentation import run_summary
from ngxlab.trends.run_scatter import run_scatter


async def compare(session: AsyncSession, asked: Asked) -> RunComparison:
    """Raises NotFound for a run that there is not, Invalid for what is not asked well."""
    if len(asked.runs) < 2:
        raise Invalid("Choose two runs or more to compare.", code="one-run")
    loaded = await load(session, asked.runs)
    between = await run_scatter(session, [one.run.experiment_id for one in loaded])
    return await asyncio.to_thread(partial(_compared, loaded, asked, between))


def _compared(loaded: Sequence[LoadedRun], asked: Asked, between: Mapping[str, Between]) -> RunComparison:
    chosen = select(loaded, asked)
    setups = {key: setup_of(*chosen.arms[key]) for key in chosen.selected}
    refused = _refused(chosen, setups)
    pairs = [(own, base) for own, base in chosen.against.items() if own not in refused]
    sides = _sides(chosen)
    found = differences(setups, list(chosen.against.items()), asked.factors)
    analysis = _analysis(loaded, sides, pairs, between)
    arms = [_arm(key, chosen, refused, sides) for key in chosen.arms]
    said_beside = {own: beside(setups[own], setups[base], found) for own, base in pairs}
    arms = [arm.model_copy(update={"beside": said_beside.get(arm.key, [])}) for arm in arms]
    statements = [_said(one, chosen, said_beside) for one in analysis.statements]
    return RunComparison(
        runs=[_run(one) for one in loaded],
        arms=arms,
        baseline=chosen.baseline,
        differences=found,
        diffs=diffs(loaded, setups, {key: side.arm.label for key, side in sides.items()}, pairs),
        analysis=analysis.model_copy(update={"statements": statements}),
        outcome=_outcome(analysis, len(pairs)),
        notes=notes(loaded, [arm for arm in arms if arm.selected], between),
    )


def _refused(chosen: Selection, setups: Mapping[str, Setup]) -> dict[str, Sentence]:
    """Why an arm cannot be compared with its baseline."""
    reasons = {}
    for own, base in chosen.against.items():
        (run, _), (base_run, _) = chosen.arms[own], chosen.arms[base]
        reason = run.unusable or setups[own].unreadable
        if reason is None and (of_base := base_run.unusable or setups[base].unreadable) is not None:
            reason = say("of its baseline, {run}: {reason}", run=base_run.label, reason=of_base)
        if reason is None and run is not base_run:
            reason = why_not_comparable(setups[own].shape, setups[base].shape)
        if reason is not None:
            reasons[own] = reason
    return reasons


def _sides(chosen: Selection) -> dict[str, Side]:
    several = len({chosen.arms[key][1] for key in chosen.selected}) > 1
    of_arm = {(id(run), arm.key): arm for run, _ in chosen.arms.values() for arm in run.analysis.arms}
    bases = set(chosen.against.values())
    sides = {}
    for key in chosen.selected:
        run, arm = chosen.arms[key]
        sides[key] = run.side(of_arm[id(run), arm], several=several, is_baseline=key in bases)
    return sides


def _analysis(
    loaded: Sequence[LoadedRun],
    sides: Mapping[str, Side],
    pairs: Sequence[tuple[str, str]],
    between: Mapping[str, Between],
) -> AcrossRuns:
    """Compares in the primary metrics of the first run, by the widest margins of the runs, what can be compared."""
    margins = Margins(max(one.analysis.margin for one in loaded))
    named = {key for pair in pairs for key in pair}
    against = [Against(sides[own], sides[base]) for own, base in pairs]
    shown = [side for key, side in sides.items() if key in named]
    return compare_across(shown, against, loaded[0].analysis.primary, margins, between)


def _said(statement: VerdictSentence, chosen: Selection, beside_: Mapping[str, Sequence[Sentence]]) -> VerdictSentence:
    """With what else differs, and whether a window was chosen afterwards."""
    pair = (statement.arm, chosen.against[statement.arm])
    text = statement.text
    if any(chosen.arms[key][0].analysis.chosen_window is not None for key in pair):
        text = mark(text)
    if also := beside_[statement.arm]:
        text = say("{text} Also different: {facts}.", text=text, facts=listed(also))
    return statement.model_copy(update={"text": text})


def _outcome(analysis: AcrossRuns, pairs: int) -> Outcome:
    """The worst outcome of all primary metrics and arms: worse, not valid, undecided, no worse."""
    words = [one.verdict for answer in analysis.answers for one in answer.arms]
    if pairs and "worse" in words:
        return "fail"
    if not pairs or all(word is None for word in words) or "not_valid" in words:
        return "not_valid"
    return "undecided" if "undecided" in words or None in words else "pass"


def _run(loaded: LoadedRun) -> ComparedRun:
    summary = run_summary(loaded.run)
    facts = summary.model_dump(include=set(ComparedRun.model_fields) & set(type(summary).model_fields))
    facts["verdict"] = loaded.analysis.verdict
    return ComparedRun(
        **facts, label=loaded.label, qualification=loaded.analysis.qualification, unusable=loaded.unusable
    )


def _arm(key: str, chosen: Selection, refused: Mapping[str, Sentence], sides: Mapping[str, Side]) -> ComparedArm:
    run, arm = chosen.arms[key]
    base = chosen.against.get(key)
    side = sides.get(key)
    label = next(one.label for one in run.definition.arms if one.key == arm)
    return ComparedArm(
        key=key,
        run_id=run.run.id,
        arm=arm,
        label=label,
        name=f"{run.label}, {label}",
        selected=side is not None,
        against=base,
        refused=refused.get(key),
        paired=base is not None and chosen.arms[base][0] is run,
        beside=[],
        trials=[ArmTrial(id=trial.trial_id, block=block) for block, trial in sorted(side.trials.items())]
        if side
        else [],
    )


def notes(loaded: Sequence[LoadedRun], arms: Sequence[ComparedArm], between: Mapping[str, Between]) -> list[Sentence]:
    return list(_notes(loaded, arms, between))


def _notes(
    loaded: Sequence[LoadedRun], arms: Sequence[ComparedArm], between: Mapping[str, Between]
) -> Iterator[Sentence]:
    compared = [arm for arm in arms if arm.against is not None and arm.refused is None]
    if any(not arm.paired for arm in compared):
        yield say(
            "Arms of different runs share no blocks: their intervals are unpaired (Welch), and wider than those of "
            "arms within one run."
        )
        degrees = [between[name].degrees if name in between else 0.0 for name in loaded[0].analysis.primary]
        yield say(
            "What differs from run to run, such as the time of day or where things lie in memory, is in the intervals: "
            "it is known from runs that measured the same thing."
            if degrees and min(degrees) >= FEWEST_DEGREES
            else "What differs from run to run, such as the time of day or where things lie in memory, is not known: "
            "repeat a run until there are three that measure the same thing, or run old and new as arms of one "
            "experiment.",
        )
    if any(arm.paired for arm in compared):
        yield say("Arms of the same run are compared block by block, as in its report.")
    confounders = list(dict.fromkeys(title for arm in compared for title in arm.beside))
    if confounders:
        yield say("A difference may as well come from what else differs: {facts}.", facts=listed(confounders))
    primary = loaded[0].analysis.primary
    other = [one.label for one in loaded if list(one.analysis.primary) != list(primary)]
    if other:
        claims = "Claims are on the primary metrics of {first}; those of {others} are others."
        yield say(claims, first=loaded[0].label, others=", ".join(other))
    if any(one.analysis.procedure == "any_look" for one in loaded):
        yield say("A run that was stopped by what it showed is judged here as if its length had been planned.")
    if len(compared) > 1:
        yield say("All claims here are one family: 5 % is the chance that any of them is false.")
