"""From what was measured to a verdict. Pure: no database, no web, no clock. The procedure is in docs/method.md.

``records`` (what is stored of a trial) -> ``summary`` (the values of one trial) -> ``checks`` (is it valid?) and
``metrics`` -> ``verdict`` and ``factorial`` (arms against the baseline) -> ``run_analysis``. ``statistics`` serves all
of these, and ``schemas`` holds their results.
"""
