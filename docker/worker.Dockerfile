# The workers. Target `coordinator`: Python only. Target `agent`: with what a trial needs. Context: the repository.
ARG PYTHON_IMAGE=docker.io/library/python:3.13-slim-trixie

FROM ${PYTHON_IMAGE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python3 -m venv /opt/venv
COPY locks/worker.txt /tmp/worker.txt
RUN /opt/venv/bin/pip install --require-hashes -r /tmp/worker.txt
COPY backend/contracts /app/backend/contracts
COPY backend/policy /app/backend/policy
COPY worker /app/worker
RUN /opt/venv/bin/pip install --no-deps --no-build-isolation -e /app/backend/contracts -e /app/backend/policy -e /app/worker \
 && /opt/venv/bin/python -m compileall -q /app \
 && /opt/venv/bin/pip uninstall --yes --quiet pip \
 && find /opt/venv/lib -type d -name tests -prune -exec rm -r {} +

# The load engines' programs.
FROM ${PYTHON_IMAGE} AS native
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc libc6-dev libgnutls28-dev libnghttp2-dev libnghttp3-dev libngtcp2-crypto-gnutls-dev libngtcp2-dev libssl-dev make \
 && rm -rf /var/lib/apt/lists/*
COPY worker/native /native
RUN make -C /native OUT=/programs

FROM ${PYTHON_IMAGE} AS coordinator
RUN groupadd --gid 10001 ngxlab \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ngxlab
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /app
CMD ["ngxlab-worker", "coordinator"]

FROM coordinator AS agent
USER root
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap iproute2 libnghttp2-14 libnghttp3-9 libnginx-mod-http-brotli-filter libnginx-mod-http-lua libnginx-mod-stream libngtcp2-crypto-gnutls8 libseccomp2 nginx openssl procps wrk \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o 10001 -g 10001 /enrolment /var/lib/ngxlab-agent
COPY --from=native /programs /opt/venv/bin
COPY --chmod=755 docker/agent-entrypoint.sh /usr/local/bin/agent-entrypoint
ENV NGXLAB_AGENT_DIR=/var/lib/ngxlab-agent PATH=/opt/venv/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
USER 10001:10001
ENTRYPOINT ["agent-entrypoint"]
CMD ["ngxlab-worker", "agent"]
