"""The audit log as administrators read it: filtered, in pages, and as a file."""
