"""What the course of the load within a trial tells."""
