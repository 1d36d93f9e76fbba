"""Backends for what one for all tests cannot show."""

from collections.abc import Iterator

import pytest
import services
from harness import Backend
from serving import serving


@pytest.fixture(scope="module")
def proxied(backend: Backend) -> Iterator[Backend]:
    """The same installation, told to believe what its own machine says of callers' addresses."""
    changes = {"port": services.free_port(), "trusted_proxies": ("127.0.0.0/8",)}
    with serving(backend.settings.model_copy(update=changes)) as reached:
        yield reached
