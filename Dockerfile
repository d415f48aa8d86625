# One image for every process of Countersign; the command says which one it is. It contains the
# package `countersign` with the dependencies of the lock file, and nothing of the build.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci
COPY . .
RUN node scripts/run.mjs scripts/stage-service.ts /countersign \
  && npm prune --omit=dev --omit=optional --include=prod \
  && rm -rf node_modules/@countersign node_modules/@temporalio/core-bridge/releases/*apple* \
    node_modules/@temporalio/core-bridge/releases/*windows* \
  && mv node_modules /countersign/

FROM node:24.21.0-bookworm-slim
# The sandbox of commands with its network, and a process that reaps what a killed tool leaves behind.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap slirp4netns iproute2 tini ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build --chown=root:root /countersign /app
RUN mkdir --parents /project /data/keys/public /data/keys/shared /data/ledger && chown --recursive node:node /project /data \
  && chmod 700 /data/keys /data/keys/shared /data/ledger
USER node
# The allocator's settings are those of `countersign start` (src/runtime/supervisor/launch-node.ts).
ENV NODE_ENV=production COUNTERSIGN_PRODUCTION=1 \
  MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
ENTRYPOINT ["tini", "--", "/app/bin/countersign"]
CMD ["--help"]
