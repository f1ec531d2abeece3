# shellcheck shell=bash
serve_with_key
