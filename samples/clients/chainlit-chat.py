"""A chat page of Chainlit in front of citewire: the answer streams, and each number opens its passage at the side."""

import os

import chainlit as cl
from openai import APIError, AsyncOpenAI

client = AsyncOpenAI(base_url="http://127.0.0.1:3978/v1", api_key=os.environ["CITEWIRE_API_KEY"])
MODEL = "docs"


def passage(source):
    title, address = source["document_name"], source.get("download_url")
    head = f"**[{title}]({address})**" if address else f"**{title}**"
    # The name is what stands in the text. Chainlit makes a link of every place where it does.
    return cl.Text(name=f"[{source['index']}]", content=f"{head}\n\n{source.get('excerpt', '')}", display="side")


@cl.on_message
async def on_message(message: cl.Message):
    answer, citations = cl.Message(content=""), {}
    try:
        stream = await client.chat.completions.create(
            model=MODEL, messages=cl.chat_context.to_openai(), stream=True
        )
        async for chunk in stream:
            if chunk.choices:
                await answer.stream_token(chunk.choices[0].delta.content or "")
            citations = chunk.model_extra.get("citations", citations)
    except APIError as error:
        await cl.ErrorMessage(content=error.message).send()
    if not answer.content:
        return
    cited = citations.get("referenced_indices", [])
    answer.elements = [passage(source) for source in citations.get("sources", []) if source["index"] in cited]
    await answer.send()
