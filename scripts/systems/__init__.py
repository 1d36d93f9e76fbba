"""``make systems``: a command in a fresh clone on a Debian or Ubuntu made by debootstrap, in a folder of its own."""
