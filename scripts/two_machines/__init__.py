"""docs/two-machines.md, done for real: a server here, and a fresh Debian 12 as the second machine, which joins it.

The second machine is a debootstrap root with systemd as its first process, in namespaces of its own, behind a link to
this machine. Nothing of this checkout is in it: what it has comes from Debian and from the server. Needs root,
debootstrap, iptables (for its way to Debian's mirror), and the right to make namespaces.
"""
