#!/bin/sh
# Enrols this container as a host the first time, with the one-time token that the set-up service has left; then runs
# the agent. The credential is kept in the agent's own volume.
set -eu
if [ ! -s "$NGXLAB_AGENT_DIR/credential.json" ]; then
    # Namespaces within a container are usually forbidden. The container itself has nothing worth reading but the agent's
    # credential: whoever wants nginx isolated better gives the agent a machine, or a container that may make namespaces.
    mkdir -p "$NGXLAB_AGENT_DIR"
    [ -e "$NGXLAB_AGENT_DIR/caps.toml" ] || printf '%s\n' "allow_unsandboxed_nginx = true" >"$NGXLAB_AGENT_DIR/caps.toml"
    ngxlab-worker host join "$NGXLAB_BACKEND_URL" --name "${NGXLAB_HOST_NAME:-agent}" <"$NGXLAB_ENROLMENT_TOKEN_FILE"
fi
exec "$@"
