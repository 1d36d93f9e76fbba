"""A private installation, a browser and a network of hosts, for the end-to-end tests and for tools."""
