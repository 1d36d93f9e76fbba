"""Paths and URIs in arguments. nginx resolves dots in what a client asks for, and in nothing that it is configured to
make of it; so whatever a configuration makes must be clean by itself."""

import re


def is_clean(path: str) -> bool:
    """Absolute, and without segments of dots alone: whatever clean paths are joined to stays what it is."""
    return path.startswith("/") and not any(re.fullmatch(r"\.+", segment) for segment in path.split("/"))


def is_fixed(path: str) -> bool:
    """A path, with a query string perhaps, to which a request may be sent on."""
    return "$" not in path and is_clean(path.partition("?")[0])


def is_elsewhere(target: str) -> bool:
    """nginx answers with a redirect to it."""
    return re.match(r"https?://", target) is not None and "$" not in target
