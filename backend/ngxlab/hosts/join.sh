#!/bin/sh
# Makes this machine a host of the ngxlab server below, or upgrades its agent. Read it before you run it; it has no secret.
# As root, on Debian 12 or 13 or Ubuntu 24.04 or newer, with the line that the server's page Hosts shows. Nothing happens
# until that line's last word is reached:
#   ngxlab_join TOKEN   installs packages, the user ngxlab, the agent in /opt/ngxlab and its service; enrols; starts
#   ngxlab_upgrade      replaces the agent by the server's; `ngxlab host upgrade` says it
# It may be run again at any time: what is there stays, caps.toml and credential too.
# Settings, before ngxlab_join or ngxlab_upgrade on its line:
#   NGXLAB_CA=FILE      the authority (PEM) of the server's certificate, where this system does not know it
#   NGXLAB_HOST_NAME=…  the host's name, otherwise this machine's

server=@SERVER@
bundle=@SHA256@

home=/opt/ngxlab
data=/var/lib/ngxlab-agent
settings=/etc/ngxlab/agent.env
unit=/etc/systemd/system/ngxlab-agent.service
user=ngxlab
policy=/usr/sbin/policy-rc.d

say() { echo "==> $*"; }

fail() {
    echo "ngxlab: $1" >&2
    if [ -n "${2:-}" ]; then echo "What to do: $2" >&2; fi
    exit 1
}

fetch() { # URL FILE
    if command -v curl >/dev/null; then
        curl -fsS ${NGXLAB_CA:+--cacert "$NGXLAB_CA"} -o "$2" "$1"
    else
        wget -q ${NGXLAB_CA:+--ca-certificate="$NGXLAB_CA"} -O "$2" "$1"
    fi
}

check_system() {
    [ "$(id -u)" = 0 ] || fail "this needs root" "put sudo before the line's last sh, or become root"
    [ "$(uname -s)" = Linux ] || fail "an agent needs Linux; this is $(uname -s)"
    system=$(. /etc/os-release 2>/dev/null && echo "$ID ${ID_LIKE:-}") || system=unknown
    case " $system " in
        *" debian "* | *" ubuntu "*) ;;
        *) fail "this system is neither Debian nor Ubuntu ($system)" \
            "see docs/two-machines.md, section \"Another system\", or run the agent's container" ;;
    esac
    machine=$(uname -m)
    case $machine in
        x86_64 | aarch64) ;;
        *) fail "the agent is not made for this architecture ($machine): it needs x86_64 or aarch64" ;;
    esac
    if [ -n "${NGXLAB_CA:-}" ]; then
        case $NGXLAB_CA in /*) ;; *) fail "NGXLAB_CA=$NGXLAB_CA is no absolute path" ;; esac
        [ -r "$NGXLAB_CA" ] || fail "NGXLAB_CA=$NGXLAB_CA cannot be read"
    fi
}

install_packages() { # NAME...
    missing=
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    say "Installing packages:$missing"
    # No package may start a service: the agent starts its own nginx. Services that are there already are left alone.
    # One that an earlier try of this script left, which was killed, is ours.
    if [ ! -e "$policy" ] || grep -q 'ngxlab is installing packages' "$policy"; then
        made_policy=yes
        printf '#!/bin/sh\n# Temporary: ngxlab is installing packages.\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt="apt-get -q -o DPkg::Lock::Timeout=300"
    $apt update </dev/null >"$log" 2>&1 && $apt -o Dpkg::Options::=--force-confold install -y --no-install-recommends \
        $missing </dev/null >>"$log" 2>&1 || fail "apt-get did not install them; its last words: $(tail -n 5 "$log")" \
        "check the network and the package sources of this machine, then run the line again"
    # Debian enables a service when it installs it: the next boot would start what was kept from starting now.
    case "$missing " in *" nginx "*) update-rc.d nginx disable >/dev/null 2>&1 || true ;; esac
}

check_python() {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
        fail "Python $(python3 -c 'import platform; print(platform.python_version())') is too old: the agent needs 3.11" \
            "use Debian 12, Ubuntu 24.04 or newer"
}

make_user() {
    id "$user" >/dev/null 2>&1 && return 0
    say "Creating the system user $user, whom nginx and the load generators run as"
    useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$user"
}

install_agent() {
    target=$home/$(echo "$bundle" | cut -c 1-12)
    if [ ! -e "$target/complete" ]; then
        say "Installing the agent into $target"
        rm -rf "$target"
        mkdir -p "$target"
        fetch "$server/api/v1/agent/bundles/$bundle.tar.gz" "$work/bundle.tar.gz" || \
            fail "the agent's files cannot be fetched from $server" "where the server was upgraded just now, run this again"
        echo "$bundle  $work/bundle.tar.gz" | sha256sum --check --status || \
            fail "what $server has sent is not what its script names: the SHA-256 is another one" \
                "run this again; where it persists, something between here and the server changes files"
        mkdir "$work/bundle"
        tar -xzf "$work/bundle.tar.gz" --no-same-owner -C "$work/bundle"
        python3 -m venv "$target/venv"
        install_wheels
        install_engines
        install -m 644 "$work/bundle/ngxlab-agent.service" "$target/ngxlab-agent.service"
        echo "$bundle" >"$target/bundle"
        touch "$target/complete"
    fi
    ln -sfn "$target/venv" "$home/current.new"
    mv -fT "$home/current.new" "$home/current"
    ln -sf "$home/current/bin/ngxlab-worker" /usr/local/bin/ngxlab-worker
    if [ -L /usr/local/bin/ngxlab ] || ! command -v ngxlab >/dev/null; then
        ln -sf "$home/current/bin/ngxlab-worker" /usr/local/bin/ngxlab
    fi
}

install_wheels() {
    wheels=$work/bundle/wheels
    pip="$target/venv/bin/pip --quiet --disable-pip-version-check --no-input install"
    locked="--require-hashes --only-binary :all: --find-links $wheels -r $work/bundle/requirements.txt"
    if ! $pip --no-index $locked </dev/null >"$log" 2>&1; then
        say "The bundle has no packages for this Python; pip gets them from its index, by hash"
        $pip $locked </dev/null >"$log" 2>&1 || fail "pip cannot install what the agent needs: $(tail -n 5 "$log")" \
            "give this machine access to a Python package index (/etc/pip.conf), or use the server's version of Python"
    fi
    $pip --no-index --no-deps "$work"/bundle/own/*.whl </dev/null >"$log" 2>&1 || \
        fail "pip cannot install the agent: $(tail -n 5 "$log")"
}

has_http3() { # older libraries of it are spoken to otherwise
    (. /etc/os-release && [ "$ID" = debian ] && [ "${VERSION_ID:-0}" -ge 13 ]) 2>/dev/null
}

runs_here() { # PROGRAM: it starts, and speaks what this system can
    "$1" --version 2>&1 | grep -q "unrecognized option" || return 1
    case $1 in
        *-openloop) ! has_http3 || [ "$("$1" --check-http3 2>&1)" = ok ] ;;
    esac
}

install_engines() {
    built=$work/bundle/engines/$machine
    for program in ngxlab-openloop ngxlab-hold ngxlab-respond; do
        if ! runs_here "$built/$program"; then
            say "Building the load engines: the bundle has none that run here with all that this system has"
            headers=
            if has_http3; then headers="libgnutls28-dev libnghttp3-dev libngtcp2-crypto-gnutls-dev libngtcp2-dev"; fi
            install_packages gcc libc6-dev libnghttp2-dev libssl-dev make $headers
            make --silent -C "$work/bundle/native" OUT="$target/venv/bin" </dev/null >"$log" 2>&1 || \
                fail "the load engines cannot be built: $(tail -n 5 "$log")"
            return 0
        fi
        install -m 755 "$built/$program" "$target/venv/bin/$program"
    done
}

write_settings() {
    install -d -m 755 "${settings%/*}"
    install -d -m 711 "$data"
    if [ -e "$settings" ]; then
        # What is there stays, but for the authority of a line that names one.
        [ -n "${NGXLAB_CA:-}" ] || return 0
        kept=$(grep -v -e '^SSL_CERT_FILE=' -e '^NGXLAB_BROKER_CA=' "$settings" || true)
        printf '%s\nSSL_CERT_FILE=%s\nNGXLAB_BROKER_CA=%s\n' "$kept" "$NGXLAB_CA" "$NGXLAB_CA" >"$settings"
        return 0
    fi
    {
        echo "# Settings of ngxlab's agent on this host; restart it after a change. What it may do is in $data/caps.toml."
        echo "NGXLAB_AGENT_DIR=$data"
        echo "NGXLAB_RUN_AS=$user"
        if [ -n "${NGXLAB_CA:-}" ]; then
            echo "SSL_CERT_FILE=$NGXLAB_CA"
            echo "NGXLAB_BROKER_CA=$NGXLAB_CA"
        fi
    } >"$settings"
}

clean() {
    rm -rf "$work"
    if [ -n "$made_policy" ]; then rm -f "$policy"; fi
}

has_systemd() { [ -d /run/systemd/system ]; }

start_agent() {
    if has_systemd; then
        say "Starting ngxlab-agent.service"
        install -m 644 "$target/ngxlab-agent.service" "$unit"
        systemctl daemon-reload
        systemctl --quiet enable ngxlab-agent.service
        systemctl restart ngxlab-agent.service
        "$home/current/bin/ngxlab-worker" host status --wait 60 || \
            fail "the host does not become idle" "journalctl -u ngxlab-agent shows what the agent says"
    else
        echo "This machine has no systemd. Run this as root, and have it started at boot by what you use instead:"
        echo "    set -a; . $settings; exec $home/current/bin/ngxlab-worker agent"
        echo "Then see whether the host is idle:"
        echo "    ngxlab host status --wait 60"
    fi
}

prepare() {
    set -eu
    umask 022
    check_system
    made_policy=
    work=$(mktemp -d)
    trap clean EXIT
    trap 'exit 129' HUP  # as when an ssh connection is lost
    trap 'exit 130' INT TERM
    log=$work/log
    say "This machine becomes a host of $server"
    libraries=libnghttp2-14
    if has_http3; then libraries="$libraries libnghttp3-9 libngtcp2-crypto-gnutls8"; fi
    install_packages bubblewrap ca-certificates iproute2 $libraries libnginx-mod-http-lua libnginx-mod-stream \
        libseccomp2 nginx openssl procps python3 python3-venv util-linux wrk
    check_python
    make_user
    install_agent
}

ngxlab_join() {
    token=${1:?the line of the page Hosts ends with a token}
    prepare
    write_settings
    echo "$token" | "$home/current/bin/ngxlab-worker" host join "$server" --keep --name "${NGXLAB_HOST_NAME:-$(uname -n)}"
    start_agent
}

ngxlab_upgrade() {
    [ -e "$data/credential.json" ] || fail "this machine is no host yet" "use the line of the page Hosts on $server"
    prepare
    start_agent
    for old in "$home"/*/; do
        case ${old%/} in "$target" | "$home/current") ;; *) rm -rf "$old" ;; esac
    done
}
