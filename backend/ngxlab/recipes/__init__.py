"""Everyday questions as ready experiments, one YAML file each in this folder."""
