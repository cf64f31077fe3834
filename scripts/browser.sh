#!/bin/sh
# Sees to a Chromium and a Chinese font for the browser tests; touches the file $1 when both are
# there. As root on Debian it installs them; elsewhere it says what to do, and the tests that need
# them are skipped with that reason.
set -eu
stamp=$1

has_browser() {
    [ -n "${GLASSFORMER_BROWSER:-}" ] && return 0
    for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    [ -d "/Applications/Google Chrome.app" ] || [ -d "/Applications/Chromium.app" ]
}

has_font() {
    # macOS brings Chinese fonts; elsewhere fontconfig knows.
    [ "$(uname)" = Darwin ] && return 0
    command -v fc-list >/dev/null 2>&1 && [ -n "$(fc-list :lang=zh-cn family 2>/dev/null)" ]
}

if ! has_browser || ! has_font; then
    if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
        echo "Installing Chromium and a Chinese font for the browser tests …"
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq </dev/null || true
        apt-get install -y -qq --no-install-recommends \
            chromium fontconfig fonts-noto-cjk </dev/null >/dev/null || true
    fi
fi

if has_browser && has_font; then
    touch "$stamp"
elif has_browser; then
    echo "No Chinese font was found: screenshots will show boxes. Install one (Debian: sudo apt install fonts-noto-cjk)." >&2
else
    echo "No Chromium was found: the browser tests will be skipped." >&2
    echo "Install Chrome or Chromium (Debian: sudo apt install chromium fonts-noto-cjk), or set GLASSFORMER_BROWSER to its path." >&2
fi
