# shellcheck shell=bash
assistant handbook
serve_with_key --config citewire.toml
