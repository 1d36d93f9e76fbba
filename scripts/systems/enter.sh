#!/bin/sh
# Runs a command in the system under ROOT, in namespaces of its own for mounts and processes: whatever it starts ends with
# it, and nothing stays mounted. The network is the machine's.
# Usage: enter.sh ROOT COMMAND...
set -eu
root=$1
shift
exec unshare --mount --pid --fork --kill-child --propagation private sh -euc '
    mount --bind "$1" "$1"
    cd "$1"
    shift
    mount -t proc proc proc
    mount --rbind /sys sys
    mount -t devtmpfs dev dev
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
    mkdir -p dev/shm
    mount -t tmpfs shm dev/shm
    mount -t tmpfs run run
    # Not chroot alone: a container engine must be able to change the mount of /.
    pivot_root . .
    umount -l .
    exec chroot . "$@"
' enter "$root" "$@"
