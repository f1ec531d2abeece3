# shellcheck shell=bash
cp "$SAMPLES/openai-responses/web/input.json" openai.json
cp "$SAMPLES/gemini/grounding/input.json" gemini.json
