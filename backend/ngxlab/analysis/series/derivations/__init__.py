"""The functions that derive series from raw readings, one for each chart."""
