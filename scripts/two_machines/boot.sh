# Starts a root folder as a machine: sh boot.sh ROOT NAME, in new namespaces of mounts, processes, names and groups.
set -eu
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/dev"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for number in 0 1 2; do ln -s "fd/$number" "$root/dev/$(echo stdin stdout stderr | cut -d ' ' -f $((number + 1)))"; done
hostname "$2"
# Not chroot: no process in one may make namespaces, which the sandbox of nginx needs.
cd "$root"
mkdir .outside
pivot_root . .outside
exec env -i container=ngxlab PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c 'umount -l /.outside && rmdir /.outside && exec /lib/systemd/systemd'
