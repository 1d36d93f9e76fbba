"""The files of /etc that a child of its own namespace sees: made for it, and telling nothing of this host.

A program built on a machine that had them may insist on them: Tengine opens /etc/resolv.conf at its start if its
``configure`` saw one, and an nginx started as root looks its user up. No name can be
resolved, not even localhost: what a trial connects to is given by address.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

NOBODY_ANSWERS = "127.255.255.254"
"""A loopback address: what is asked there never leaves the host, not even through a resolver that runs on it."""

_USERS = {"root": 0, "nobody": 65534, "www-data": 65533, "nginx": 65532}
"""With those that packages of nginx are built for (``--user``)."""

FILES: Mapping[str, str] = {
    "/etc/resolv.conf": f"nameserver {NOBODY_ANSWERS}\noptions timeout:1 attempts:1\n",
    "/etc/hosts": "",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\n",
    "/etc/passwd": "".join(f"{name}:x:{id_}:{id_}::/:/usr/sbin/nologin\n" for name, id_ in _USERS.items()),
    "/etc/group": "".join(f"{name}:x:{id_}:\n" for name, id_ in {**_USERS, "nogroup": 65534}.items()),
}


@contextmanager
def files_of_etc(*, distrusted: bool) -> Iterator[dict[str, int]]:
    """A descriptor for each file's content, from which bubblewrap makes the file; closed at the end.

    A ``distrusted`` child gets none: nothing that runs a script needs them.
    """
    with ExitStack() as stack:
        yield {} if distrusted else {path: _holding(text, stack) for path, text in FILES.items()}


def _holding(text: str, stack: ExitStack) -> int:
    descriptor = os.memfd_create("etc")
    stack.callback(os.close, descriptor)
    os.write(descriptor, text.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
