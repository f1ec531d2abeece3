# shellcheck shell=bash
cp "$SAMPLES/native/leave/input.json" answer.json
