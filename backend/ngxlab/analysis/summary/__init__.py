"""The summary of one trial, computed from its raw record. Each module computes one group of values."""
