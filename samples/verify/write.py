"""Makes the samples of Pydantic AI again, with its own serializers and invented content.

    python write.py FOLDER

The model of OpenAI reads the responses in tea.json, from a transport that answers without a network. What differs from run to
run (ids, times) is replaced.
"""

import asyncio
import json
import re
import sys
from pathlib import Path

import httpx2
from openai import AsyncOpenAI
from pydantic import TypeAdapter
from pydantic_ai import Agent
from pydantic_ai.messages import AgentStreamEvent, ModelResponse
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.run import AgentRunResultEvent
from pydantic_ai.ui.vercel_ai import VercelAIAdapter
from pydantic_ai.ui.vercel_ai.request_types import SubmitMessage, TextUIPart, UIMessage

TEA = json.loads((Path(__file__).parent / "tea.json").read_text(encoding="utf-8"))
USAGE = {
    "input_tokens": 9,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 16,
}


def response(output, status="completed"):
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-tea",
        "status": status,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": USAGE,
    }


def events(output):
    yield {"type": "response.created", "response": response([], "in_progress")}
    for at, item in enumerate(output):
        if item["type"] == "message":
            yield from message_events(at, item)
        else:
            yield {"type": "response.output_item.added", "output_index": at, "item": {**item, "arguments": ""}}
            at_item = {"item_id": item["id"], "output_index": at}
            yield {"type": "response.function_call_arguments.delta", **at_item, "delta": item["arguments"]}
        yield {"type": "response.output_item.done", "output_index": at, "item": item}
    yield {"type": "response.completed", "response": response(output)}


def message_events(at, item):
    (content,) = item["content"]
    place = {"item_id": item["id"], "output_index": at, "content_index": 0}
    empty = {**content, "text": "", "annotations": []}
    yield {"type": "response.output_item.added", "output_index": at, "item": {**item, "content": []}}
    yield {"type": "response.content_part.added", **place, "part": empty}
    deltas = TEA["deltas"] if "".join(TEA["deltas"]) == content["text"] else [content["text"]]
    for delta in deltas:
        yield {"type": "response.output_text.delta", **place, "delta": delta, "logprobs": []}
    for n, annotation in enumerate(content["annotations"]):
        added = {"annotation_index": n, "annotation": annotation}
        yield {"type": "response.output_text.annotation.added", **place, **added}
    yield {"type": "response.output_text.done", **place, "text": content["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": content}


def answered(request):
    question = json.loads(request.content)
    has_looked = any(item.get("type") == "function_call_output" for item in question["input"])
    output = TEA["answer"] if has_looked else TEA["before"]
    if not question.get("stream"):
        return httpx2.Response(200, json=response(output))
    numbered = [{**event, "sequence_number": n} for n, event in enumerate(events(output))]
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in numbered)
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=body)


def agent():
    transport = httpx2.AsyncClient(transport=httpx2.MockTransport(answered))
    client = AsyncOpenAI(api_key="none", http_client=transport)
    made = Agent(OpenAIResponsesModel("gpt-tea", provider=OpenAIProvider(openai_client=client)))

    @made.tool_plain
    def look() -> str:
        return "Found."

    return made


def steady(text):
    """Random ids and times, replaced."""
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "2026-11-26T00:00:00Z", text)
    known = {}
    random = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
    return random.sub(lambda found: known.setdefault(found[0], f"r{len(known) + 1}"), text)


def write(folder, sample, name, text):
    path = folder / sample
    path.mkdir(parents=True, exist_ok=True)
    (path / name).write_text(steady(text), encoding="utf-8")


def pretty(text):
    return json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"


async def main(folder):
    tea = agent()
    run = await tea.run(TEA["question"])
    response_json = TypeAdapter(ModelResponse).dump_json(run.response).decode()
    write(folder, "pydantic-ai/response", "input.json", pretty(response_json))
    write(folder, "pydantic-ai/history", "input.json", pretty(run.all_messages_json()))

    event, lines = TypeAdapter(AgentStreamEvent), []
    async with tea.run_stream_events(TEA["question"]) as stream:
        async for item in stream:
            if not isinstance(item, AgentRunResultEvent):
                lines.append(event.dump_json(item).decode() + "\n")
    write(folder, "pydantic-ai/events", "input.jsonl", "".join(lines))

    question = UIMessage(id="q1", role="user", parts=[TextUIPart(text=TEA["question"])])
    asked = SubmitMessage(trigger="submit-message", id="c1", messages=[question])
    adapter = VercelAIAdapter(tea, run_input=asked)
    sse = [chunk async for chunk in adapter.encode_stream(adapter.run_stream())]
    write(folder, "vercel-ai-sdk/pydantic-ai", "input.sse", "".join(sse))


asyncio.run(main(Path(sys.argv[1])))
