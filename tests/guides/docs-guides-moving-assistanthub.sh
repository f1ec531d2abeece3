# shellcheck shell=bash
# What a retriever of AssistantHub has found, and what its model said. The assistant `reports` has no model here: it quotes.
printf '{"sources": [{"title": "Report", "id": "doc-1", "content": "Revenue grew by 4 %%."}]}' >found.json
echo 'You help the staff of Contoso.' >system.txt
export ANSWER='It grew by 4 % [1].'
assistant reports
