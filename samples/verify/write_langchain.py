"""Makes the samples of LangChain and LangGraph for Python again, with their own serializers and invented content.

    python write_langchain.py FOLDER

A model that plays its answer back stands for a provider. What differs from run to run is left out.
"""

import json
import sys
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.load import dumps
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.content import create_citation
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import START, MessagesState, StateGraph

FOLDER = Path(sys.argv[1]) / "langchain"
TEA = "https://tea.example.org/green"


def cited(text, words, **more):
    """A citation of these words of the text."""
    start = text.index(words)
    citation = create_citation(start_index=start, end_index=start + len(words), **more)
    return {name: value for name, value in citation.items() if name != "id"}


def message():
    first, second = "🍵 Green tea is not oxidised. ", "緑茶は不発酵茶。 Stored dry."
    return AIMessage(
        id="m1",
        content=[
            {"type": "reasoning", "reasoning": "Two sources agree."},
            {
                "type": "text",
                "text": first,
                "annotations": [
                    cited(first, "Green tea is not oxidised.", url=TEA, title="Green tea", cited_text="Leaves are heated."),
                ],
            },
            {
                "type": "text",
                "text": second,
                "annotations": [
                    cited(second, "緑茶は不発酵茶", title="Tea atlas", cited_text="不発酵"),
                    cited(second, "Stored dry", url="https://tea.example.org/keep?utm_source=openai", title="Keeping tea"),
                ],
            },
        ],
        response_metadata={"output_version": "v1", "model_provider": "openai"},
    )


def state():
    found = [
        Document(id="k1", page_content="Green leaves are heated at once.", metadata={"source": TEA, "title": "Green tea"}),
        Document(page_content="Keep tea dry and dark.", metadata={"source": "guides/keeping.pdf", "page": 2}),
    ]
    call = {"name": "retrieve", "args": {"query": "green tea"}, "id": "c1", "type": "tool_call"}
    return {
        "messages": [
            HumanMessage(id="h0", content="And black tea?"),
            AIMessage(id="a0", content="Black tea is oxidised."),
            HumanMessage(id="h1", content="How is green tea made and kept?"),
            AIMessage(id="a1", content="", tool_calls=[call]),
            ToolMessage(id="t1", tool_call_id="c1", name="retrieve", content="…", artifact=found),
            AIMessage(id="a2", content="Its leaves are heated at once [1]. Keep it dry [2]."),
        ]
    }


def google():
    text = "Für Grüntee erhitzt man die Blätter. 緑茶は不発酵茶。"
    at = lambda words: (len(text[: text.index(words)].encode()), len(words.encode()))
    chunks = [{"web": {"uri": TEA, "title": "tea.example.org"}}, {"web": {"uri": "https://leaf.example.com/", "title": "leaf.example.com"}}]
    supports = [
        {"segment": {"start_index": start, "end_index": start + length, "text": words}, "grounding_chunk_indices": chunk}
        for words, chunk in (("Für Grüntee erhitzt man die Blätter.", [0]), ("緑茶は不発酵茶。", [0, 1]))
        for start, length in [at(words)]
    ]
    return AIMessage(
        id="g1",
        content=text,
        response_metadata={
            "model_provider": "google_genai",
            "grounding_metadata": {"grounding_chunks": chunks, "grounding_supports": supports, "web_search_queries": ["grüner tee"]},
        },
    )


class Played(BaseChatModel):
    """Plays pieces of an answer back."""

    pieces: list

    @property
    def _llm_type(self):
        return "played"

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        for piece in self.pieces:
            yield ChatGenerationChunk(message=piece)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        whole = self.pieces[0]
        for piece in self.pieces[1:]:
            whole = whole + piece
        return ChatResult(generations=[ChatGeneration(message=AIMessage(id=whole.id, content=whole.content))])


def pieces():
    text = "緑茶 is not oxidised 🍵. Keep it dry."
    block = lambda **members: AIMessageChunk(id="s1", content=[{"type": "text", **members, "index": 0}])
    yield from (block(text=piece) for piece in ("緑茶 is ", "not oxidised ", "🍵. Keep", " it dry."))
    yield block(text="", annotations=[cited(text, "緑茶 is not oxidised", url=TEA, title="Green tea")])
    yield block(text="", annotations=[cited(text, "Keep it dry.", title="Tea atlas", cited_text="Dry and dark.")])


def events():
    """The stream as the server of LangGraph sends it, with two modes."""
    model = Played(pieces=list(pieces()))
    graph = StateGraph(MessagesState).add_node("answer", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph = graph.add_edge(START, "answer").compile()
    yield "metadata", {"run_id": "r1", "attempt": 1}
    question = {"messages": [HumanMessage(id="h1", content="What is green tea?")]}
    for mode, part in graph.stream(question, stream_mode=["messages", "values"]):
        if mode == "values":
            yield mode, {"messages": [message.model_dump() for message in part["messages"]]}
        else:
            chunk, metadata = part
            if not chunk.content:
                continue  # The end of the run, under a random id.
            kept = {name: metadata[name] for name in ("langgraph_step", "langgraph_node")}
            yield mode, [chunk.model_dump(), kept]
    yield "end", None


def write(case, name, text):
    folder = FOLDER / case
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def json_of(value):
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


write("message", "input.json", json_of(message().model_dump()))
write("google", "input.json", json_of(google().model_dump()))
write("state", "input.json", json_of(json.loads(dumps(state()))))
lines = (f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n" for name, data in events())
write("server-stream", "input.sse", "".join(lines))
