"""Makes the samples of Microsoft Agent Framework again, with its own serializers and invented content.

    python write_agent_framework.py FOLDER

`dotnet` is not made here: its shape is that of Microsoft.Extensions.AI.
"""

import json
import sys
from pathlib import Path

from agent_framework import AgentResponse, AgentResponseUpdate, Content, Message

FOLDER = Path(sys.argv[1]) / "agent-framework"
SERVICE = "https://tea.search.windows.net/"


def cited(text, words, **more):
    """A citation of these words of the text."""
    start = text.index(words)
    region = {"type": "text_span", "start_index": start, "end_index": start + len(words)}
    return {"type": "citation", **more, "annotated_regions": [region]}


def response():
    text = "🍵 Green tea is not oxidised【4:0†source】. Keep it dry【4:1†source】, 暗い場所【4:2†source】."
    documents = {"get_url": "https://tea.example.org/docs/green"}
    annotations = [
        cited(text, "【4:0†source】", title="doc_0", url=SERVICE, additional_properties=documents),
        cited(text, "【4:1†source】", title="doc_1", url=SERVICE),
        cited(text, "【4:2†source】", title="doc_2", url=SERVICE),
    ]
    call = Content.from_function_call(call_id="c1", name="search", arguments='{"query": "green tea"}')
    return AgentResponse(
        response_id="r1",
        messages=[
            Message(role="assistant", contents=[call]),
            Message(role="tool", contents=[Content.from_function_result(call_id="c1", result="…")]),
            Message(role="assistant", message_id="m1", contents=[Content.from_text(text, annotations=annotations)]),
        ],
    )


def updates():
    text = "Oolong 🍂 is half oxidised. 半発酵茶。"
    update = lambda content, **more: AgentResponseUpdate(contents=[content], role="assistant", message_id="m1", **more)
    for piece in ("Oolong 🍂 is ", "half oxi", "dised. 半発酵茶。"):
        yield update(Content.from_text(piece), response_id="r2")
    page = cited(text, "Oolong 🍂 is half oxidised.", title="Oolong", url="https://tea.example.org/oolong")
    file = {"type": "citation", "url": "atlas.pdf", "file_id": "file-7", "additional_properties": {"index": 31}}
    yield update(Content.from_text("", annotations=[page]))
    yield update(Content.from_text("", annotations=[file]), finish_reason="stop")


def write(case, name, text):
    folder = FOLDER / case
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


write("search-service", "input.json", json.dumps(response().to_dict(), ensure_ascii=False, indent=2) + "\n")
lines = [json.dumps(json.loads(update.to_json()), ensure_ascii=False) + "\n" for update in updates()]
write("updates", "input.jsonl", "".join(lines))
