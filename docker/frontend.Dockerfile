# The built frontend behind nginx, which also passes /api on to the backend: one origin. Context: the repository.
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
RUN npm ci --no-audit --no-fund
COPY frontend ./
RUN npm run build

FROM ${NGINX_IMAGE}
COPY docker/nginx.conf /etc/nginx/nginx.conf
COPY --from=build /app/frontend/dist /srv/frontend
USER 10001:10001
EXPOSE 8080
ENTRYPOINT []
CMD ["nginx", "-g", "daemon off;"]
