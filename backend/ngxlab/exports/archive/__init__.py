"""A whole run as one archive, written here and read by another installation (docs/exports.md)."""
