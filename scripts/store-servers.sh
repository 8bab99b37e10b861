#!/usr/bin/env bash
# Installs the servers of object stores that tests talk to into target/servers; only what is missing.
# `make test` never needs this: a test whose server is absent is skipped and says which.
#
#   azurite           Azure Blob Storage, of npm
#   apache-arrow      no server: the JavaScript that reads what `colonnade serve` sends, of npm
#   fake-gcs-server   Google Cloud Storage, of Go
set -euo pipefail
cd "$(dirname "$0")/.."
azurite=3.35.0
arrow=21.2.0
fake_gcs=v1.56.1

servers=$PWD/target/servers
mkdir -p "$servers"
if [ ! -x "$servers/node_modules/.bin/azurite-blob" ] || [ ! -d "$servers/node_modules/apache-arrow" ]; then
    command -v npm >/dev/null || { echo "store-servers: azurite and apache-arrow need npm" >&2; exit 1; }
    echo "store-servers: installing azurite $azurite, apache-arrow $arrow"
    [ -e "$servers/package.json" ] || echo '{"private": true}' >"$servers/package.json"
    (cd "$servers" && npm install --silent --no-audit --no-fund "azurite@$azurite" "apache-arrow@$arrow")
fi
if [ ! -x "$servers/bin/fake-gcs-server" ]; then
    go=$(command -v go || echo /usr/local/go/bin/go)
    [ -x "$go" ] || { echo "store-servers: fake-gcs-server needs Go" >&2; exit 1; }
    echo "store-servers: installing fake-gcs-server $fake_gcs"
    GOBIN=$servers/bin "$go" install "github.com/fsouza/fake-gcs-server@$fake_gcs"
fi
