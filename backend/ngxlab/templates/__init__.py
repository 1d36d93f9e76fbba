"""The built-in experiments, one folder each. A folder exposes ``TEMPLATE``; nothing else names it."""
