#!/bin/sh
# Installs Debian packages as root without letting one of them start a service, now or at the next boot, and
# without creating a PostgreSQL cluster. Services and clusters that are already there are not touched.
# Usage: sh install-packages.sh PACKAGE...
set -eu

policy=/usr/sbin/policy-rc.d
cluster_options=/etc/postgresql-common/createcluster.d/ngxlab.conf
made_policy=

undo() {
    rm -f "$cluster_options"
    if [ -n "$made_policy" ]; then rm -f "$policy"; fi
}
trap undo EXIT
trap 'exit 130' INT TERM

if [ ! -e "$policy" ]; then
    made_policy=yes
    printf '#!/bin/sh\n# Temporary: ngxlab is installing packages and starts its own services.\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi
mkdir -p "${cluster_options%/*}"
echo 'create_main_cluster = false' >"$cluster_options"

export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
apt-get -o DPkg::Lock::Timeout=120 update
apt-get -o DPkg::Lock::Timeout=120 -o Dpkg::Options::=--force-confold install -y --no-install-recommends "$@"

# Debian enables a service when it installs it: the next boot would start what was kept from starting now.
for package in "$@"; do
    case $package in
        nginx | redis-server | postgresql) update-rc.d "$package" disable ;;
    esac
done
