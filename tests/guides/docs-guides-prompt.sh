# shellcheck shell=bash
# The chunks of the walk, and what the model said of them.
cat >found.json <<'JSON'
{
  "sources": [
    { "title": "Leave policy", "url": "https://hr.contoso.example/leave", "content": "Leave is 30 days." },
    { "title": "Staff handbook, page 12", "content": "Leave is asked for in writing." }
  ]
}
JSON
export ANSWER='Leave is 30 days [1].'
