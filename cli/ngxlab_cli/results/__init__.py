"""``ngxlab import --from TOOL``: what other tools measured, judged by the procedure of the reports.

A file for each tool reads its results; ``arms.py`` says which file is which arm's, and ``command.py`` judges.
"""

from ngxlab_cli.results.command import TOOLS, judge_results

__all__ = ["TOOLS", "judge_results"]
