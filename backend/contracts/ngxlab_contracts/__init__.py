"""Wire messages between the ngxlab backend and its workers.

Pydantic only: nothing here may import the backend, the worker, or any other library.
The backend owns the shapes. How versions differ: ``protocol``.
"""
