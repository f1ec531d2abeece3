# shellcheck shell=bash
# Answers of two assistants, and a store with a conversation.
mkdir -p answers/hr answers/it
cp "$SAMPLES/native/leave/input.json" answers/hr/leave.json
cp "$SAMPLES/openai-responses/file/input.json" answers/it/leave.json
serve_with_key
CONVERSATION=$(curl -X POST http://127.0.0.1:3978/v3/directline/conversations -H "Authorization: Bearer $CITEWIRE_DIRECT_LINE_SECRET" \
    -H 'Content-Type: application/json' -d '{"user": {"id": "dl_ann"}}' | jq -er .conversationId)
curl -o answered.json -H "Authorization: Bearer $CITEWIRE_API_KEY" -H 'Content-Type: application/json' \
    -d @answers/hr/leave.json "http://127.0.0.1:3978/v1/conversations/$CONVERSATION/answers"
