#!/bin/sh
# Enrols this container as a host the first time, with the one-time token that the set-up service has left; then runs
# the agent. The credential is kept in the agent's own volume.
set -eu
if [ ! -s "$NGXLAB_AGENT_DIR/credential.json" ]; then
    ngxlab-worker host join "$NGXLAB_BACKEND_URL" --name "${NGXLAB_HOST_NAME:-agent}" <"$NGXLAB_ENROLMENT_TOKEN_FILE"
fi
exec "$@"
