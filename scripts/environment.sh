#!/bin/sh
# Makes a Python environment in the folder $1 with a Python of at least 3.11.
# On Debian, python3 comes without venv: as root it is installed, otherwise said.
set -eu
folder=$1

fitting() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

python=
for name in ${PYTHON3:-} python3 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null 2>&1 && fitting "$name"; then
        python=$name
        break
    fi
done
if [ -z "$python" ]; then
    echo "Glassformer needs Python 3.11 or newer; there is none on the PATH." >&2
    echo "Install one (python.org, or your system's packages), or name it: PYTHON3=/path/to/python3 make app" >&2
    exit 1
fi

make_environment() {
    rm -rf "$folder"
    "$python" -m venv "$folder"
}

echo "Making a Python environment in $folder …"
if "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    make_environment
elif command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing python3-venv …"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq </dev/null
    apt-get install -y -qq --no-install-recommends python3-venv </dev/null >/dev/null
    make_environment
else
    echo "This Python has no venv. On Debian and Ubuntu install it first:" >&2
    echo "    sudo apt install python3-venv" >&2
    exit 1
fi
