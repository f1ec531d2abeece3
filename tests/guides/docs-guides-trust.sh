# shellcheck shell=bash
cat >answer.json <<'JSON'
{
  "text": "Leave is 30 days [1].",
  "sources": [{ "title": "Leave policy", "content": "Leave is 30 days." }]
}
JSON
