"""The connection to the backend: its API, the batches that wait for it, and the orders that come back."""
