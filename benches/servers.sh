# shellcheck shell=bash
# Shared parts of the load scripts; each of them reads this file. A folder on the disk of the repository, since /tmp may be
# memory and what is measured is on a disk; servers that end with the script, Ctrl-C included; where they listen.
#
#     . benches/servers.sh NAME        makes $folder, and sets what citewire needs to start

folder=$(mktemp -d "target/$1.XXXXXX")
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM

key=load-test-key-0123456789
secret=load-test-secret-0123456789
export CITEWIRE_ASSISTANT=none CITEWIRE_DATA_DIR=$folder/data CITEWIRE_API_KEY=$key CITEWIRE_DIRECT_LINE_SECRET=$secret
# Limits are lifted: the work is measured, and all of it comes from one address.
export CITEWIRE_LIMITS_PAGE_SESSIONS_PER_MINUTE=0 CITEWIRE_LIMITS_POSTS_PER_SECOND=0 CITEWIRE_DIRECT_LINE_MAX_TURNS=10000

# Waits for the line that names the address, ten seconds at most.
address() {
    for _ in $(seq 100); do
        if grep -oE 'listening on http://[0-9.:]+' "$1" | grep -oE 'http://[0-9.:]+'; then return; fi
        sleep 0.1
    done
    echo "no server in $1:" >&2
    cat "$1" >&2
    return 1
}

# Ends where fewer open files are allowed than this number of sockets needs.
allow_sockets() {
    ulimit -S -n "$(ulimit -H -n)"
    if [ "$(ulimit -n)" != unlimited ] && [ "$(ulimit -n)" -lt $(($1 + 500)) ]; then
        echo "$1 sockets need $(($1 + 500)) open files a process, and $(ulimit -n) are allowed (ulimit -H -n)" >&2
        exit 1
    fi
}
