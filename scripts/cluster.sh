#!/bin/sh
# Sees to HAProxy and Postgres for `make test-cluster`: as root on Debian it installs them, elsewhere
# it says what to do.
set -eu

lacks() {
    for name in haproxy psql; do
        command -v "$name" >/dev/null 2>&1 || return 0
    done
    return 1
}

if lacks && command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq </dev/null || true
    apt-get install -y -qq --no-install-recommends haproxy postgresql </dev/null >/dev/null || true
fi
if lacks; then
    echo "The tests of several fronts need HAProxy and Postgres (Debian: sudo apt install haproxy postgresql)." >&2
    exit 1
fi
