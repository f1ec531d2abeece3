"""Asks an assistant of citewire with LangChain for Python: invoke, then stream."""

import os

from langchain_openai import ChatOpenAI


class Citewire(ChatOpenAI):
    """ChatOpenAI keeps the text and drops members that it does not know. This keeps `citations` in `additional_kwargs`."""

    def _create_chat_result(self, response, generation_info=None):
        result = super()._create_chat_result(response, generation_info)
        members = response if isinstance(response, dict) else response.model_dump()
        for generation in result.generations:
            generation.message.additional_kwargs["citations"] = members.get("citations")
        return result

    def _convert_chunk_to_generation_chunk(self, chunk, default_chunk_class, base_generation_info):
        found = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        if found and chunk.get("citations"):
            found.message.additional_kwargs["citations"] = chunk["citations"]
        return found


model = Citewire(model="docs", base_url="http://127.0.0.1:3978/v1", api_key=os.environ["CITEWIRE_API_KEY"])
question = "How do I put citewire behind Open WebUI?"


def show(message):
    for source in message.additional_kwargs["citations"]["sources"]:
        print(f"[{source['index']}]", source["document_name"], source.get("download_url", ""))


print("-- invoke")
answer = model.invoke(question)
print(answer.content)
show(answer)

print("\n-- stream")
whole = None
for chunk in model.stream(question):
    print(chunk.content, end="", flush=True)
    whole = chunk if whole is None else whole + chunk
print()
show(whole)
