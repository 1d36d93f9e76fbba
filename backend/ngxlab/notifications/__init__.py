"""Telling people by e-mail and webhook: where to, what, and the delivery of what :mod:`ngxlab.outbox` holds."""
