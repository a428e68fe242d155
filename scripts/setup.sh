# shellcheck shell=sh
# Sourced by play and test with `root` and `me` set: finds a Python of 3.11 or newer and has
# set_up.py make .venv ready. Speaks only where something is missing or has to be installed.

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' </dev/null >/dev/null 2>&1
}

# Sets `python`: $PYTHON where it is set, else the one in .venv, else the first on the path.
find_python() {
    if [ -n "${PYTHON:-}" ]; then
        if is_new_enough "$PYTHON"; then
            python=$PYTHON
            return
        fi
        printf '%s: PYTHON=%s is no Python of 3.11 or newer.\n' "$me" "$PYTHON" >&2
        exit 1
    fi
    for python in "$root/.venv/bin/python" python3 python3.13 python3.12 python3.11 python; do
        if is_new_enough "$python"; then return; fi
    done
    # uv knows its own interpreters, which are not on the path.
    if python=$(uv python find --no-project '>=3.11' 2>/dev/null) && is_new_enough "$python"; then
        return
    fi
    printf '%s: %s\n' "$me" "needs Python 3.11 or newer: install it (Debian and Ubuntu: apt install \
python3 python3-venv; macOS: brew install python; with uv: uv python install), or set PYTHON." >&2
    exit 1
}

# set_up [EXTRA]: afterwards .venv holds the project and what EXTRA adds.
set_up() {
    find_python
    "$python" "$root/scripts/set_up.py" "$me" "$@" </dev/null
}
