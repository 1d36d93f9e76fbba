"""What a reader of a comparison across runs must know, in words (docs/method.md, Comparing runs)."""

from collections.abc import Iterator, Sequence

from ngxlab.compare.loaded import LoadedRun
from ngxlab.compare.schemas import ComparedArm


def notes(loaded: Sequence[LoadedRun], arms: Sequence[ComparedArm]) -> list[str]:
    return list(_notes(loaded, arms))


def _notes(loaded: Sequence[LoadedRun], arms: Sequence[ComparedArm]) -> Iterator[str]:
    compared = [arm for arm in arms if arm.against is not None and arm.refused is None]
    if any(not arm.paired for arm in compared):
        yield (
            "Arms of different runs share no blocks: their intervals are unpaired (Welch), and wider than those of "
            "arms within one run."
        )
        yield (
            "What differs from run to run, such as the time of day or where things lie in memory, is in no interval: "
            "each side is one run. Repeat both runs before you rely on a small difference."
        )
    if any(arm.paired for arm in compared):
        yield "Arms of the same run are compared block by block, as in its report."
    confounders = list(dict.fromkeys(title for arm in compared for title in arm.beside))
    if confounders:
        yield f"A difference may as well come from what else differs: {', '.join(confounders)}."
    primary = loaded[0].analysis.primary
    other = [one.label for one in loaded if list(one.analysis.primary) != list(primary)]
    if other:
        yield f"Claims are on the primary metrics of {loaded[0].label}; those of {', '.join(other)} are others."
    if any(one.analysis.procedure == "any_look" for one in loaded):
        yield "A run that was stopped by what it showed is judged here as if its length had been planned."
    if len(compared) > 1:
        yield "All claims here are one family: 5 % is the chance that any of them is false."
