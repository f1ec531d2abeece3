"""Asks an assistant of citewire with OpenAI's client for Python: whole, streamed, the models, and an error."""

import os

from openai import APIStatusError, OpenAI

client = OpenAI(base_url="http://127.0.0.1:3978/v1", api_key=os.environ["CITEWIRE_API_KEY"])
question = [{"role": "user", "content": "How do I put citewire behind Open WebUI?"}]


def show(citations):
    for source in (citations or {}).get("sources", []):
        if source["index"] in citations["referenced_indices"]:
            print(f"[{source['index']}]", source["document_name"], source.get("download_url", ""))


models = [model.id for model in client.models.list()]
print("models:", models)

print("\n-- whole")
answer = client.chat.completions.create(model=models[0], messages=question)
print(answer.choices[0].message.content)
show(answer.model_extra.get("citations"))

print("\n-- streamed")
citations = None
for chunk in client.chat.completions.create(model=models[0], messages=question, stream=True):
    # Chunks with the sources have no choices.
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
    citations = chunk.model_extra.get("citations", citations)
print()
show(citations)

print("\n-- an error")
try:
    client.chat.completions.create(model="nobody", messages=question)
except APIStatusError as error:
    print(error.status_code, error.code, error.body["message"])
