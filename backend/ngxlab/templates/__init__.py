"""The built-in experiments, one folder each. A folder exposes ``TEMPLATE``; nothing outside it names it."""
