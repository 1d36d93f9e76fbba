"""Measures the product's budgets as ratios within one run, on a private stack that is removed afterwards.

``python -m scripts.bench``. ``benchmarks.toml`` declares what is measured, and against what.
"""
