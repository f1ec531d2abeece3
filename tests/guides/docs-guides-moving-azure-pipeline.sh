# shellcheck shell=bash
cp "$SAMPLES/azure-oyd/basic/input.json" answer.json
configuration_of_the_page docs/guides/moving/azure-pipeline.md
