# shellcheck shell=bash
cp "$SAMPLES/openwebui/events/input.json" events.json
serve_with_key
export CITEWIRE=http://127.0.0.1:3978
