"""Simulated experiments, judged by the procedure of the reports: how often is a claim false, and what is found?

``python -m scripts.simulations`` (`make simulate`) writes the result into docs/simulations.md.
"""
