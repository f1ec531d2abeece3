"""Pydantic AI: its models read the body; the citations of its text parts say what stands where.

    pip install citation-conformance "pydantic-ai-slim[openai]"
"""

import asyncio
import json

import httpx2
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

MODELS = {"openai-responses": OpenAIResponsesModel, "openai-chat": OpenAIChatModel}


async def _response(kind, stream, body):
    content = body if stream else json.dumps(body)
    headers = {"content-type": "text/event-stream" if stream else "application/json"}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, text=content, headers=headers))
    client = AsyncOpenAI(api_key="none", max_retries=0, http_client=httpx2.AsyncClient(transport=transport))
    agent = Agent(kind("gpt-5-mini", provider=OpenAIProvider(openai_client=client)))
    if not stream:
        return (await agent.run("?")).all_messages()[-1]
    async with agent.run_stream("?") as result:
        await result.get_output()
        return result.all_messages()[-1]


def answer(request):
    if request["channel"] != "neutral":
        return {"unsupported": "the library makes no activities"}
    if request["format"] not in MODELS:
        return {"unsupported": f"no model for {request['format']} is tried"}
    try:
        response = asyncio.run(_response(MODELS[request["format"]], request["stream"], request["answer"]))
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    sources, text = [], ""
    for part in response.parts:
        if part.part_kind != "text":
            continue
        pieces = part.content
        for citation in reversed(part.citations or []):
            shown = [{"title": one.title, "url": getattr(one, "url", None), "quote": " ".join(one.excerpts)} for one in citation.sources]
            sources += [one for one in shown if one not in sources]
            numbers = "".join(f"[{sources.index(one) + 1}]" for one in shown)
            start, end = (citation.anchor.start, citation.anchor.end) if citation.anchor else (len(pieces), len(pieces))
            # A marker is written for readers: the number takes its place.
            is_marker = citation.anchor is not None and citation.anchor.kind == "marker"
            pieces = (pieces[:start] if is_marker else pieces[:end]) + numbers + pieces[end:]
        text += pieces
    return {"text": text, "sources": sources, "complete": response.finish_reason == "stop"}
