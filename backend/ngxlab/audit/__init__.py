"""The audit log: who did what, from where. Every room that changes something writes here; ``audit_log`` reads."""
