"""Simulations of what the reports add to the procedure: recoveries, factors, slopes, thresholds, positions."""
