"""Measures the product's budgets as ratios within one run, on a private stack that is removed afterwards.

``python -m scripts.bench``. One file a benchmark; ``suite`` lists them.
"""
