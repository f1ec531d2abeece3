#!/usr/bin/env bash
# Instructions of citing a text that comes in deltas, as a multiple of those for the same text whole: for every piece of the
# example `growth`, repeated up to a length. Counted by callgrind, so that the machine's load does not matter.
#
#     benches/streams.sh [BYTES] [DELTA ...]        default 65536 bytes, deltas of 64 and 4 bytes
#
# Needs valgrind (Debian package `valgrind`). A ratio of more than 4 is marked.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bytes=${1:-65536}
shift $(($# < 1 ? $# : 1))
deltas=("$@")
[ $# -gt 0 ] || deltas=(64 4)
command -v valgrind >/dev/null || { echo "valgrind is missing; on Debian: apt-get install valgrind" >&2; exit 1; }
cargo build --release --quiet --package citewire-core --example growth
growth=target/release/examples/growth

count() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$growth" "$@" 2>&1 | sed -n 's/.*Collected : //p'; }
# The instructions of citing, without those of making the text and of cutting it.
instructions() { echo $(($(count --once "$@") - $(count --cut "$@"))); }

printf '%-28s %14s' piece whole
printf ' %11s' "${deltas[@]/%/ B}"
echo
"$growth" --pieces | while IFS= read -r piece; do
    whole=$(instructions "$bytes" 0 "$piece")
    printf '%-28s %14d' "$piece" "$whole"
    for delta in "${deltas[@]}"; do
        streamed=$(instructions "$bytes" "$delta" "$piece")
        awk -v a="$streamed" -v b="$whole" 'BEGIN { printf " %9.2f %s", a / b, (a / b > 4 ? "*" : " ") }'
    done
    echo
done
