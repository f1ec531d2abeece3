#!/usr/bin/env bash
# Processor time of an upload to an assistant that has ever more documents.
#
#     benches/uploads.sh [UPLOADS] [CITEWIRE]        default 1000 uploads, the release build
#
# Needs curl and Linux. Small Markdown files are uploaded one behind the other; each upload is answered when questions find the document.
# Prints the time of all threads of the server for each upload, in milliseconds, by groups of fifty; the kernel counts in steps of 10 ms.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
uploads=${1:-1000} citewire=${2:-target/release/citewire}
[ $# -gt 1 ] || cargo build --release --quiet --package citewire --bin citewire
. benches/servers.sh uploads
"$citewire" serve --bind 127.0.0.1:0 2>"$folder/citewire.log" &
server=$!
pids+=("$server")
base=$(address "$folder/citewire.log")/v1/assistants/hr

# send PATH BODY prints the status.
send() {
    curl -sS -o "$folder/answer" -w '%{http_code}' -X PUT -H "Authorization: Bearer $key" --data-binary "$2" "$base$1"
}
send "" '{"documents": {}}' | grep -q '^20' || { cat "$folder/answer" >&2; exit 1; }
ticks() { awk -v hertz="$(getconf CLK_TCK)" '{ print ($14 + $15) * 1000 / hertz }' "/proc/$server/stat"; }

echo "| uploads | ms of processor each |"
echo "|---|---|"
before=$(ticks)
for upload in $(seq "$uploads"); do
    text="# Note $upload

## Rule $((upload % 7))

Room $upload has $((upload * 37 % 100)) seats and opens at $((upload % 24)) o'clock."
    status=$(send "/documents/note-$(printf '%05d' $((upload * 7919 % 100000))).md" "$text")
    [ "$status" = 201 ] || { echo "upload $upload: $status $(cat "$folder/answer")" >&2; exit 1; }
    if [ $((upload % 50)) = 0 ]; then
        now=$(ticks)
        echo "$((upload - 49)) $upload $before $now" | awk '{ printf "| %d to %d | %.2f |\n", $1, $2, ($4 - $3) / 50 }'
        before=$now
    fi
done
