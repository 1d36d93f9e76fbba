"""Makes a fresh Debian or Ubuntu machine ready. Standard library only: it runs before anything is installed."""
