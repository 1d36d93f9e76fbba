"""hyperfine 1: --export-json (github.com/sharkdp/hyperfine, `BenchmarkResult`). Times are in seconds."""

from ngxlab_cli.results.measured import TIME, Measured, NotItsResult, document_of, number


def hyperfine(text: str) -> list[Measured]:
    """One for each command. Raises ``NotItsResult``."""
    results = document_of(text).get("results")
    if (
        not isinstance(results, list)
        or not results
        or not all(isinstance(one, dict) and "command" in one for one in results)
    ):
        raise NotItsResult("it has no results with a command: hyperfine writes it with --export-json")
    found = []
    for one in results:
        if any(one.get("exit_codes") or []):  # None: ended by a signal, or an older version without them
            raise NotItsResult(f"{one['command']} ended with an error, so its time is none of what it was to do")
        times = [number(one, "times", place) for place in range(len(one.get("times") or []))]
        repeats = [{TIME: time} for time in times]
        found.append(Measured({TIME: number(one, "mean")}, arm=str(one["command"]), repeats=repeats))
    return found
