"""Did files come from where they were meant to come from: the disk, or memory?"""

from ngxlab.analysis.checks.check import Finding, TrialContext, passed, unavailable

_LEAST_COLD_PERCENT = 50
_MOST_WARM_PERCENT = 1


def page_cache(context: TrialContext) -> Finding:
    """By what nginx's workers read from storage, against what the clients of those files received."""
    files = context.host.nginx.files
    read = context.summary.figures.get("disk_read_bytes_per_s")
    share = context.summary.figures.get("bytes_from_disk_percent")
    if read is None:
        return unavailable("what nginx read from the disk is not known (needs /proc/PID/io of another user)")
    if not files:
        return passed(f"no files are served; nginx read {read / 1e6:.0f} MB/s from the disk")
    if share is None:
        return unavailable(f"nginx read {read / 1e6:.0f} MB/s from the disk, but what was served is not known")
    seen = f"nginx read {read / 1e6:.0f} MB/s from the disk, {share:.0f} % of what the clients of files received"
    cold = any(one.cold for one in files)
    if cold and share < _LEAST_COLD_PERCENT:
        mend = "evict more often, take more or larger files, or fewer connections: many share what one has just read"
        return Finding("error", f"not cold: {seen}", mend)
    if not cold and share > _MOST_WARM_PERCENT:
        mend = "a longer warm-up, or files that fit into memory beside everything else"
        return Finding("warning", f"not warm: {seen}", mend)
    return passed(seen)
