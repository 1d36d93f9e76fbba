# The API server; also runs migrations and the first set-up. Context: the repository.
ARG PYTHON_IMAGE=docker.io/library/python:3.13-slim-trixie

FROM ${PYTHON_IMAGE} AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python3 -m venv /opt/venv
COPY locks/backend.txt /tmp/backend.txt
RUN /opt/venv/bin/pip install --require-hashes -r /tmp/backend.txt
# Editable, so that the layout is the repository's: the server finds migrations/ beside backend/.
COPY backend /app/backend
RUN /opt/venv/bin/pip install --no-deps --no-build-isolation -e /app/backend/contracts -e /app/backend/policy \
 -e /app/backend/verdict -e /app/backend

FROM packages AS build
RUN /opt/venv/bin/python -m compileall -q /app/backend \
 && /opt/venv/bin/pip uninstall --yes --quiet pip \
 && find /opt/venv/lib -type d -name tests -prune -exec rm -r {} +

# The agent that this server gives to machines that join (scripts/agent_bundle); made with pip.
FROM packages AS agent-bundle
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc libc6-dev libgnutls28-dev libnghttp2-dev libnghttp3-dev libngtcp2-crypto-gnutls-dev libngtcp2-dev libssl-dev make \
 && rm -rf /var/lib/apt/lists/*
COPY worker /app/worker
COPY scripts /app/scripts
COPY systemd /app/systemd
COPY locks/worker.txt /app/locks/worker.txt
RUN make --silent -C /app/worker/native OUT=/programs \
 && cd /app && /opt/venv/bin/python -m scripts.agent_bundle /bundle /programs

FROM ${PYTHON_IMAGE}
# pg_dump, pg_restore and psql, for backups; of the same Debian as the image of PostgreSQL, so of the same version.
RUN apt-get update \
 && apt-get install -y --no-install-recommends postgresql-client \
 && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 ngxlab \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ngxlab \
 && install -d -o 10001 -g 10001 /enrolment
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
COPY --from=agent-bundle /bundle /app/agent-bundle
COPY migrations /app/migrations
ENV NGXLAB_AGENT_BUNDLE_DIR=/app/agent-bundle
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 NGXLAB_BIND=0.0.0.0 NGXLAB_PORT=8400
USER 10001:10001
WORKDIR /app
EXPOSE 8400
CMD ["ngxlab-server", "serve"]
