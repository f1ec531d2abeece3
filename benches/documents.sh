#!/bin/sh
# Reads the PDF files that are named, and says how many pages a second citewire and pdftotext (poppler-utils) read in the same
# minute, and how much memory each takes: benches/documents.sh FILE...
set -eu
cargo build --quiet --release
program="target/release/citewire"
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
pipe="$folder/document"
mkfifo "$pipe"
exec 3<>"$pipe"
# As the server has it: else the allocator takes all the memory that the reader may have at once, and keeps what is free.
export MIMALLOC_ARENA_RESERVE=64MiB MIMALLOC_PURGE_DELAY=0
for file in "$@"; do
    pages=$(pdfinfo "$file" | sed -n 's/^Pages: *//p')
    say() { awk -v name="$1" -v pages="$pages" '{ printf "%-10s %5d pages %7.0f a second %6.0f MB\n", name, pages, pages / $1, $2 / 1024 }'; }
    echo "$file"
    # The reader ends when its input does, so the shell holds the pipe open.
    cat "$file" >"$pipe" &
    /usr/bin/time -f '%e %M' "$program" read-document --format pdf --memory 1073741824 --seconds 60 --size "$(wc -c <"$file")" \
        <"$pipe" 2>&1 >/dev/null | tail -1 | say citewire
    /usr/bin/time -f '%e %M' pdftotext "$file" - 2>&1 >/dev/null | tail -1 | say pdftotext
done
