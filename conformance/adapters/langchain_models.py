"""LangChain for Python: its chat models read the body; the standard content blocks say what stands where.

    pip install citation-conformance langchain-openai
"""

import json

import httpx2
from langchain_openai import ChatOpenAI


def _message(request):
    stream = request["stream"]
    content = request["answer"] if stream else json.dumps(request["answer"])
    headers = {"content-type": "text/event-stream" if stream else "application/json"}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, text=content, headers=headers))
    model = ChatOpenAI(
        model="gpt-5-mini", api_key="none", max_retries=0, use_responses_api=request["format"] == "openai-responses",
        http_client=httpx2.Client(transport=transport),
    )
    if not stream:
        return model.invoke("?")
    whole = None
    for chunk in model.stream("?"):
        whole = chunk if whole is None else whole + chunk
    return whole


def answer(request):
    if request["channel"] != "neutral":
        return {"unsupported": "the library makes no activities"}
    if request["format"] not in ("openai-responses", "openai-chat"):
        return {"unsupported": f"no model for {request['format']} is tried"}
    try:
        message = _message(request)
        blocks, how = message.content_blocks, message.response_metadata
    except Exception as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    sources, text = [], ""
    for block in blocks:
        if block["type"] != "text":
            continue
        pieces = block["text"]
        for citation in reversed(block.get("annotations") or []):
            if citation.get("type") != "citation":
                continue
            one = {"title": citation.get("title"), "url": citation.get("url"), "quote": citation.get("cited_text")}
            sources += [] if one in sources else [one]
            end = citation.get("end_index", len(pieces))
            pieces = f"{pieces[:end]}[{sources.index(one) + 1}]{pieces[end:]}"
        text += pieces
    is_whole = how.get("status") == "completed" or how.get("finish_reason") == "stop"
    return {"text": text, "sources": sources, "complete": is_whole}
