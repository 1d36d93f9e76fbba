# nginx in front: the built frontend, and the way to the backend. Context: the repository.
ARG PYTHON_IMAGE=docker.io/library/python:3.13-slim-trixie
ARG NGINX_IMAGE=docker.io/library/nginx:1.28-trixie

# Node as everywhere in this project: the locked wheel.
FROM ${PYTHON_IMAGE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PATH=/opt/node/bin:$PATH
RUN python3 -m venv /opt/node
COPY locks/node.txt /tmp/node.txt
RUN /opt/node/bin/pip install --require-hashes -r /tmp/node.txt
WORKDIR /app/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci --no-audit --no-fund --omit=dev
COPY frontend ./
RUN npm run build

FROM ${PYTHON_IMAGE} AS configuration
COPY backend/ngxlab/__init__.py /app/ngxlab/
COPY backend/ngxlab/front /app/ngxlab/front
WORKDIR /app
ENV NGXLAB_BIND=0.0.0.0 NGXLAB_PORT=8080 NGXLAB_BACKENDS=backend:8400 NGXLAB_FRONTEND_DIR=/srv/frontend
RUN python3 -m ngxlab.front --folder /tmp --print >/nginx.conf \
 && TLS_CERT=/run/secrets/tls_cert TLS_KEY=/run/secrets/tls_key NGXLAB_TLS_PORT=8443 \
    python3 -m ngxlab.front --folder /tmp --print >/tls.conf

FROM ${NGINX_IMAGE}
COPY --from=configuration /nginx.conf /tls.conf /etc/nginx/
COPY --from=build /app/frontend/dist /srv/frontend
USER 10001:10001
EXPOSE 8080 8443
ENTRYPOINT []
CMD ["nginx", "-e", "stderr"]
