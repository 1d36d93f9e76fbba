"""Inputs of the analysis: everything stored of a trial, which the caller reads once. No database, no clock."""

from ngxlab.analysis.records.host_record import HostRecord
from ngxlab.analysis.records.readings import StoredFrame, Window
from ngxlab.analysis.records.trial_record import TrialRecord

__all__ = ["HostRecord", "StoredFrame", "TrialRecord", "Window"]
