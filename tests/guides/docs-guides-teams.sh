# shellcheck shell=bash
# The files of the app package, copied as the page tells, and a packer where the system has none.
cp "$REPOSITORY"/samples/teams/* .
type -P zip >/dev/null || zip() { python3 -m zipfile -c "$@"; }
