# shellcheck shell=bash
# What every page of the guides finds when its commands are run: a network of its own, servers that start in the background, and
# errors that end the script and name the block.
set -eEu -o pipefail
at=stage.sh
trap 'echo "$at: failed with $?: $BASH_COMMAND" >&2' ERR

python3 - <<'PYTHON'
import fcntl, socket, struct
# The network has the loopback interface alone, which is down at first.
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 1))
PYTHON

export SAMPLES=$REPOSITORY/samples/answers
export npm_config_cache=$HOME/npm npm_config_update_notifier=false npm_config_yes=true
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$PACKAGES PIP_DISABLE_PIP_VERSION_CHECK=1
mkdir "$HOME/bin"
ln -s "$PACKAGES/../citewire" "$HOME/bin/citewire"
export PATH=$HOME/python/bin:$HOME/bin:$PATH

server=
# Starts a server, in the place of the one that runs, and comes back when it says where it listens.
start() {
    if [ -n "$server" ]; then
        kill -- "-$server" 2>/dev/null || true
        # Its output ends when it does.
        cat <&"$lines" >/dev/null
    fi
    exec {lines}< <(exec setsid "$@" 2>&1)
    server=$!
    local line
    while read -r line <&"$lines"; do
        echo "$line"
        case $line in *listening\ on*) return ;; esac
    done
    echo "the server did not start" >&2
    return 1
}

is_serving() {
    local word
    for word in "$@"; do [ "$word" != serve ] || return 0; done
    return 1
}

citewire() { if is_serving "$@"; then start "$(type -P citewire)" "$@"; else command citewire "$@"; fi; }

# npm asks this registry for what it is to install; it has citewire's packages and nothing else.
npx() {
    local registry
    if [ -z "${npm_config_registry-}" ]; then
        exec {registry}< <(exec node "$REPOSITORY/packaging/npm/registry.mjs" "$PACKAGES")
        read -r npm_config_registry <&"$registry"
        export npm_config_registry
    fi
    if is_serving "$@"; then start npx "$@"; else command npx "$@"; fi
}

# `pip` is that of an environment of this page.
pip() {
    [ -d "$HOME/python" ] || python3 -m venv "$HOME/python"
    command pip "$@"
}

# An answer of 400 or more is a command that did not work.
curl() { command curl --silent --show-error --fail-with-body "$@"; }

# The server whose key the page has in its hands.
serve_with_key() {
    export CITEWIRE_API_KEY=key-of-the-reader-of-this-page CITEWIRE_DIRECT_LINE_SECRET=secret-of-the-reader-of-this-page
    citewire serve "$@"
}

# A folder with a text about leave, and an assistant of this name that quotes it.
assistant() {
    mkdir -p handbook
    printf '# Leave policy\n\nEmployees get 30 days of leave a year. Parental leave is 16 weeks. Revenue did develop well.\n' >handbook/leave.md
    printf '[assistants.%s.documents]\nfolder = "handbook"\n' "$1" >citewire.toml
}

# The file `citewire.toml` that a page shows, a block of TOML whose first line has this name.
configuration_of_the_page() {
    sed -n '/^# citewire.toml$/,/^```$/{/^```$/d;p}' "$REPOSITORY/$1" >citewire.toml
}
