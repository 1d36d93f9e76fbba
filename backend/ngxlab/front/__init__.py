"""The product's own nginx, which stands in front of the backend: its configuration, and what it says itself.

Nothing here needs a package that is not in Python: the image of the front is made without the backend's.
"""
