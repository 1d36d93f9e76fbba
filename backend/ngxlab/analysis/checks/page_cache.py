"""Were files read from where the plan wants them: the disk, or the page cache?"""

from ngxlab_contracts.sentences import say

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, trial_check, unavailable

MIN_COLD_PERCENT = 50
_MAX_WARM_PERCENT = 1
_EVICT_MORE = "evict more often, use more or larger files, or fewer connections: many of them share one read"
_WARM_LONGER = "use a longer warm-up, or files that fit into memory beside everything else"


def _page_cache(context: TrialContext) -> Finding:
    """Compares what nginx's workers read from the disk with what the clients of those files received."""
    files = context.host.nginx.files
    read = context.summary.metric_values.get("disk_read_bytes_per_s")
    share = context.summary.metric_values.get("bytes_from_disk_percent")
    if read is None:
        return unavailable("nginx's reads from the disk were not measured (needs /proc/PID/io of another user)")
    if not files:
        return passed("no files are served; nginx read {read:.0f} MB/s from the disk", read=read / 1000000.0)
    if share is None:
        return unavailable(
            "nginx read {read:.0f} MB/s from the disk, but the bytes served were not measured", read=read / 1000000.0
        )
    seen = say(
        "nginx read {read:.0f} MB/s from the disk, {share:.0f} % of what the clients of files received",
        read=read / 1000000.0,
        share=share,
    )
    cold = any(one.cold for one in files)
    if cold and share < MIN_COLD_PERCENT:
        return Finding("error", say("not cold: {seen}", seen=seen), _EVICT_MORE)
    if not cold and share > _MAX_WARM_PERCENT:
        return Finding("warning", say("not warm: {seen}", seen=seen), _WARM_LONGER)
    return passed(seen)


PAGE_CACHE = trial_check(
    "page-cache",
    _page_cache,
    _EVICT_MORE,
    _WARM_LONGER,
    min_cold_percent=MIN_COLD_PERCENT,
    max_warm_percent=_MAX_WARM_PERCENT,
)
