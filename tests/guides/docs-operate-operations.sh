# shellcheck shell=bash
# A conversation of Ann, with an answer in it.
serve_with_key
CONVERSATION=$(curl -X POST http://127.0.0.1:3978/v3/directline/conversations -H "Authorization: Bearer $CITEWIRE_DIRECT_LINE_SECRET" \
    -H 'Content-Type: application/json' -d '{"user": {"id": "dl_ann"}}' | jq -er .conversationId)
curl -o answered.json -H "Authorization: Bearer $CITEWIRE_API_KEY" -H 'Content-Type: application/json' \
    -d @"$SAMPLES/native/leave/input.json" "http://127.0.0.1:3978/v1/conversations/$CONVERSATION/answers"
