"""What people are to be told, written in the transaction of what happened; :mod:`ngxlab.notifications` delivers it."""
