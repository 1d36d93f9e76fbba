"""Measures the product's budgets as ratios within one run, on a private stack that is gone afterwards.

``python -m scripts.bench``. One file a benchmark; ``suite`` lists them.
"""
