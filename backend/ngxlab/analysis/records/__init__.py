"""Inputs of the analysis: what is stored of a trial, read once by the caller. No database, no clock."""

from ngxlab.analysis.records.host_record import HostRecord
from ngxlab.analysis.records.raw_series import StoredFrame, Window
from ngxlab.analysis.records.trial_record import TrialRecord

__all__ = ["HostRecord", "StoredFrame", "TrialRecord", "Window"]
