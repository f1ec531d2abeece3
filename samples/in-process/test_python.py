"""What the samples make of answers, with the frameworks and their fake models, and nothing but 127.0.0.1 on the network."""

import asyncio
import inspect
import json
import os
import queue
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from operator import itemgetter
from pathlib import Path

HERE = Path(__file__).parent
# LiteLLM would fetch a list of prices.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
sys.path.insert(0, str(HERE))

from citewire import CitewireError, check, convert  # noqa: E402
from langchain_core.documents import Document  # noqa: E402
from langchain_core.language_models import GenericFakeChatModel  # noqa: E402
from langchain_core.load import dumps  # noqa: E402
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage  # noqa: E402
from langchain_core.retrievers import BaseRetriever  # noqa: E402
from langchain_core.runnables import RunnableLambda, RunnablePassthrough  # noqa: E402
from pydantic_ai import models  # noqa: E402
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart  # noqa: E402
from pydantic_ai.models.function import DeltaToolCall, FunctionModel  # noqa: E402

import pydantic_ai_agent  # noqa: E402
from langchain_runnable import CitedMessage  # noqa: E402
from open_webui_filter import Filter  # noqa: E402

models.ALLOW_MODEL_REQUESTS = False

TEXT = "Leave is 30 days [1]. Ask your manager early [2]."
LEAVE = "https://hr.example/leave"


def claims(activity):
    """The position, address and name of each source that an activity cites."""
    citation = activity["entities"][0].get("citation", [])
    return [
        (claim["position"], claim["appearance"].get("url", "").split("#")[0], claim["appearance"]["name"]) for claim in citation
    ]


class Case(unittest.TestCase):
    def assert_cites_two(self, activity):
        """One source has an address, one has none, and the third is not cited."""
        self.assertEqual(activity["text"], TEXT)
        self.assertEqual(claims(activity), [(1, LEAVE, "Leave policy"), (2, "", "Notes")])
        self.assertEqual([found for found in check(activity, channel="teams")["findings"] if found["severity"] == "error"], [])


class Handbook(BaseRetriever):
    documents: list[Document]

    def _get_relevant_documents(self, query, *, run_manager):
        return self.documents


DOCUMENTS = [
    Document("Leave is 30 days.", metadata={"source": LEAVE, "title": "Leave policy"}),
    Document("Ask your manager early.", metadata={"title": "Notes"}),
    Document("Lunch is at noon.", metadata={"source": "https://hr.example/lunch", "title": "Lunch"}),
]


class LangChain(Case):
    def chain(self, text=TEXT, documents=DOCUMENTS):
        model = GenericFakeChatModel(messages=iter([AIMessage(text)]))
        chain = RunnablePassthrough.assign(context=itemgetter("question") | Handbook(documents=documents))
        return chain | RunnablePassthrough.assign(answer=itemgetter("question") | model)

    def test_a_chain_with_documents_gives_their_claims(self):
        chain = self.chain() | CitedMessage(channel="teams")
        self.assert_cites_two(chain.invoke({"question": "How long is leave?"}))

    def test_the_whole_answer_is_what_convert_makes_of_it(self):
        for channel in ("teams", "web-chat", "slack", "plain"):
            output = self.chain().invoke({"question": "q"})
            wanted = convert(dumps(output), from_="langchain", channel=channel)["activities"][-1]
            self.assertEqual(CitedMessage(channel=channel).invoke(output), wanted, channel)

    def test_web_chat_has_reference_links(self):
        activity = (self.chain() | CitedMessage(channel="web-chat")).invoke({"question": "q"})
        self.assertIn(f"\n[1]: {LEAVE}", activity["text"])
        self.assertIn('\n[2]: cite:2 "Notes"', activity["text"])
        self.assertNotIn("[3]", activity["text"])

    def test_a_stream_grows_and_ends_with_the_message(self):
        whole = (self.chain() | CitedMessage(channel="teams")).invoke({"question": "q"})
        shown = list((self.chain() | CitedMessage(channel="teams")).stream({"question": "q"}))
        self.assertGreater(len(shown), 5)
        self.assertEqual(shown[0]["text"], "Leave")
        for before, after in zip(shown, shown[1:]):
            self.assertTrue(after["text"].startswith(before["text"]), (before, after))
        self.assertEqual(shown[-1], whole)

        async def run():
            chain = self.chain() | CitedMessage(channel="teams")
            return [activity async for activity in chain.astream({"question": "q"})]

        self.assertEqual(asyncio.run(run()), shown)
        self.assertEqual(asyncio.run((self.chain() | CitedMessage(channel="teams")).ainvoke({"question": "q"})), whole)

    def test_a_step_behind_it_gets_the_newest_activity(self):
        chain = self.chain() | CitedMessage(channel="teams") | RunnableLambda(lambda activity: activity)
        shown = list(chain.stream({"question": "q"}))
        self.assertEqual(len(shown), 1)
        self.assert_cites_two(shown[0])

    def test_a_channel_without_streams_gets_the_message_alone(self):
        shown = list((self.chain() | CitedMessage(channel="slack")).stream({"question": "q"}))
        self.assertEqual(len(shown), 1)
        self.assertIn(f"<{LEAVE}", shown[0]["channelData"]["text"])

    def test_a_message_of_a_model_keeps_the_citations_of_its_provider(self):
        annotation = {"type": "citation", "url": LEAVE, "title": "Leave policy", "start_index": 0, "end_index": 17}
        content = [{"type": "text", "text": "Leave is 30 days. Ask.", "annotations": [annotation]}]
        model = GenericFakeChatModel(messages=iter([AIMessage(content)]))
        activity = (model | CitedMessage(channel="teams")).invoke("How long is leave?")
        self.assertEqual((activity["text"], claims(activity)), ("Leave is 30 days.[1] Ask.", [(1, LEAVE, "Leave policy")]))

    def test_the_state_of_an_agent_has_the_documents_of_its_tool(self):
        call = AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "c1"}])
        found = ToolMessage("…", artifact=DOCUMENTS, tool_call_id="c1")
        state = {"messages": [HumanMessage("How long is leave?"), call, found, AIMessage(TEXT)]}
        self.assert_cites_two(CitedMessage(channel="teams").invoke(state))

    def test_an_answer_without_documents_has_no_claims(self):
        for output in (AIMessage("Hello."), {"answer": AIMessage("Hello."), "context": []}):
            activity = CitedMessage(channel="teams").invoke(output)
            self.assertEqual((activity["text"], claims(activity)), ("Hello.", []))
        for output in ({"question": "q"}, {"text": "Hello."}):
            with self.assertRaises(CitewireError):
                CitedMessage(channel="teams").invoke(output)


SOURCES = [
    {"title": "Leave policy", "url": LEAVE, "content": "Leave is 30 days."},
    {"title": "Notes", "content": "Ask your manager early."},
    {"title": "Lunch", "url": "https://hr.example/lunch", "content": "Lunch is at noon."},
]


class PydanticAi(Case):
    def run_agent(self, call, found=SOURCES, text=TEXT):
        """Runs with a model that searches once, then answers. Returns the result, and what the tool told the model."""
        told = []

        def returned(messages):
            parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
            told.extend(part.content for part in parts)
            return parts

        def whole(messages, info):
            if returned(messages):
                return ModelResponse(parts=[TextPart(text)])
            return ModelResponse(parts=[ToolCallPart("search", {"query": "leave"})])

        async def streamed(messages, info):
            if not returned(messages):
                yield {0: DeltaToolCall(name="search", json_args='{"query": "leave"}', tool_call_id="c1")}
                return
            for word in re.findall(r"\S+\s*", text):
                yield word

        async def find(query):
            return found

        find, pydantic_ai_agent.find = pydantic_ai_agent.find, find
        try:
            with pydantic_ai_agent.agent.override(model=FunctionModel(whole, stream_function=streamed)):
                return asyncio.run(call()), told
        finally:
            pydantic_ai_agent.find = find

    def test_the_sources_of_the_tool_become_claims(self):
        activity, told = self.run_agent(lambda: pydantic_ai_agent.answer("How long is leave?", "teams"))
        self.assert_cites_two(activity)
        # The numbers that the model was told are those of the claims.
        self.assertIn('[1] (Source: "Leave policy")\nLeave is 30 days.', told[0])
        self.assertIn('[2] (Source: "Notes")', told[0])

    def test_web_chat_has_reference_links(self):
        activity, _ = self.run_agent(lambda: pydantic_ai_agent.answer("q", "web-chat"))
        self.assertIn(f"\n[1]: {LEAVE}", activity["text"])
        self.assertIn('\n[2]: cite:2 "Notes"', activity["text"])

    def test_a_stream_grows_and_ends_with_the_message(self):
        shown = []

        async def show(text):
            shown.append(text)

        activity, _ = self.run_agent(lambda: pydantic_ai_agent.stream("q", "teams", show))
        self.assert_cites_two(activity)
        self.assertGreater(len(shown), 3)
        for before, after in zip(shown, [*shown[1:], activity["text"]]):
            self.assertTrue(after.startswith(before), (before, after))

    def test_an_answer_without_sources_has_no_claims(self):
        activity, told = self.run_agent(lambda: pydantic_ai_agent.answer("q", "teams"), found=[], text="I do not know.")
        self.assertEqual((activity["text"], claims(activity), told[0]), ("I do not know.", [], "Nothing was found."))

    def test_a_second_search_counts_on(self):
        sources = [SOURCES[0]]

        class Context:
            deps = sources

        async def search():
            return await pydantic_ai_agent.search(Context, "q")

        told = asyncio.run(search())
        self.assertIn("[2] (Source:", told)
        self.assertEqual(len(sources), 2)


def completion(message, **more):
    """An answer of a back end of the proxy."""
    ended = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "finish_reason": ended, "message": {"role": "assistant", **message}}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage, **more}


def url_citation(text, cited, title):
    place = {"start_index": text.index(cited), "end_index": text.index(cited) + len(cited)}
    return {"type": "url_citation", "url_citation": {**place, "url": LEAVE, "title": title}}


CALL = {"id": "t1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
ANSWERS = {
    "listed": completion(
        {"content": TEXT},
        citations=[
            {"title": "Leave policy", "url": LEAVE},
            {"title": "Notes", "content": "Ask your manager early."},
            {"title": "Lunch", "url": "https://hr.example/lunch"},
        ],
    ),
    "spans": completion(
        {
            "content": "Leave is 30 days. Ask.",
            "annotations": [url_citation("Leave is 30 days. Ask.", "Leave is 30 days.", "Leave policy")],
        }
    ),
    "plain": completion({"content": "Hello."}),
    "tool": completion({"content": None, "tool_calls": [CALL]}),
    # citewire refuses this one: a title is text.
    "odd": completion({"content": "Hello."}, search_results=[{"title": 5, "url": LEAVE}]),
}


def chunks(answer):
    """The answer as server-sent events: some text, more text, what stands beside it, the end, the token counts."""
    message = answer["choices"][0]["message"]
    text, beside = message["content"] or "", {name: message[name] for name in message if name not in ("content", "role")}
    for call in beside.get("tool_calls", []):
        beside = {"tool_calls": [{**call, "index": 0}]}
    deltas = [{"role": "assistant", "content": text[:12]}, {"content": text[12:]}, beside]
    choices = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    ends = [[{"index": 0, "delta": {}, "finish_reason": answer["choices"][0]["finish_reason"]}], []]
    common = {name: value for name, value in answer.items() if name not in ("choices", "usage")}
    for choice in [*choices, *ends]:
        usage = {} if choice else {"usage": answer["usage"]}
        yield {**common, "object": "chat.completion.chunk", "choices": choice, **usage}


class BackEnd(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer, kind = ANSWERS[asked["model"]], "application/json"
        body = json.dumps(answer)
        if asked.get("stream"):
            kind = "text/event-stream"
            body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(answer)) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


class LiteLlm(Case):
    """The proxy runs with the callback in its configuration, in front of a back end of OpenAI's kind."""

    @classmethod
    def setUpClass(cls):
        cls.back_end = ThreadingHTTPServer(("127.0.0.1", 0), BackEnd)
        cls.addClassCleanup(cls.back_end.server_close)
        threading.Thread(target=cls.back_end.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.back_end.shutdown)
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        # A callback is found beside the configuration.
        shutil.copy(HERE / "litellm_callback.py", folder)
        address = f"http://127.0.0.1:{cls.back_end.server_port}"
        rows = [
            {"model_name": name, "litellm_params": {"model": f"openai/{name}", "api_base": address, "api_key": "none"}}
            for name in ANSWERS
        ]
        settings = {"model_list": rows, "litellm_settings": {"callbacks": ["litellm_callback.cited_messages"]}}
        (folder / "config.yaml").write_text(json.dumps(settings))
        cls.key = f"sk-{secrets.token_hex(24)}"
        environment = {**os.environ, "CONFIG_FILE_PATH": str(folder / "config.yaml"), "LITELLM_MASTER_KEY": cls.key}
        command = [sys.executable, "-m", "uvicorn", "litellm.proxy.proxy_server:app", "--host", "127.0.0.1", "--port", "0"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        cls.proxy = cls.enterClassContext(subprocess.Popen(command, env=environment, cwd=folder, **pipes))
        cls.addClassCleanup(cls.proxy.kill)
        log = []
        for line in cls.proxy.stdout:
            log.append(line)
            if running := re.search(r"running on (http://127\.0\.0\.1:\d+)", line):
                cls.address = running[1]
                break
        else:
            raise AssertionError("the proxy did not start:\n" + "".join(log))
        cls.said = queue.Queue()
        threading.Thread(target=lambda: [cls.said.put(line) for line in cls.proxy.stdout], daemon=True).start()

    def ask(self, model, **more):
        body = {"model": model, "messages": [{"role": "user", "content": "How long is leave?"}], **more}
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}/v1/chat/completions", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.read().decode()

    def streamed(self, model, **more):
        lines = self.ask(model, stream=True, **more).split("\n\n")
        self.assertEqual(lines[-2], "data: [DONE]")
        found = [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]
        return found, [chunk["activity"] for chunk in found if "activity" in chunk]

    def test_an_answer_with_a_list_gets_its_claims(self):
        answer = json.loads(self.ask("listed"))
        self.assert_cites_two(answer["activity"])
        self.assertEqual(answer["choices"][0]["message"]["content"], TEXT)

    def test_spans_of_the_provider_become_numbers(self):
        activity = json.loads(self.ask("spans"))["activity"]
        self.assertEqual((activity["text"], claims(activity)), ("Leave is 30 days.[1] Ask.", [(1, LEAVE, "Leave policy")]))

    def test_a_stream_passes_and_one_chunk_of_it_has_the_message(self):
        for model in ("listed", "spans", "plain"):
            for more in ({}, {"stream_options": {"include_usage": True}}):
                found, activities = self.streamed(model, **more)
                self.assertEqual(activities, [json.loads(self.ask(model))["activity"]], (model, more))
                deltas = [choice["delta"].get("content") or "" for chunk in found for choice in chunk["choices"]]
                self.assertEqual("".join(deltas), ANSWERS[model]["choices"][0]["message"]["content"])
                self.assertEqual(deltas[0], "".join(deltas)[:12])

    def test_an_answer_without_sources_has_no_claims(self):
        activity = json.loads(self.ask("plain"))["activity"]
        self.assertEqual((activity["text"], claims(activity)), ("Hello.", []))

    def test_a_call_of_a_tool_passes_without_a_message(self):
        answer = json.loads(self.ask("tool"))
        self.assertEqual(answer["choices"][0]["message"]["tool_calls"][0]["function"]["name"], "search")
        self.assertNotIn("activity", answer)
        found, activities = self.streamed("tool")
        self.assertEqual(activities, [])
        calls = [call for chunk in found for choice in chunk["choices"] for call in choice["delta"].get("tool_calls") or []]
        self.assertEqual(calls[0]["function"]["name"], "search")

    def test_an_answer_that_cannot_be_converted_passes_and_the_log_says_why(self):
        answer = json.loads(self.ask("odd"))
        while "an answer has no cited message" not in self.said.get(timeout=60):
            pass
        self.assertEqual(answer["choices"][0]["message"]["content"], "Hello.")
        self.assertNotIn("activity", answer)
        found, activities = self.streamed("odd")
        choices = [choice for chunk in found for choice in chunk["choices"]]
        self.assertEqual("".join(choice["delta"].get("content") or "" for choice in choices), "Hello.")
        self.assertEqual((choices[-1]["finish_reason"], activities), ("stop", []))


def card(identity, name, passage, **more):
    return {"source": {"name": name, **more}, "document": [passage], "metadata": [{"source": identity}]}


class OpenWebUi(unittest.TestCase):
    """Open WebUI is not installed. `outlet` is called as its server does: by name, with what the signature asks for."""

    def outlet(self, message):
        body = {
            "model": "docs",
            "messages": [{"id": "m1", "role": "user", "content": "How long is leave?"}, {"id": "m2", **message}],
            "filter_ids": [],
            "chat_id": "c1",
            "session_id": "s1",
            "id": "m2",
        }
        events = []

        async def emit(event):
            events.append(event)

        offered = {"__event_emitter__": emit, "__user__": {}, "__metadata__": {}, "__id__": "cited_messages"}
        handler = Filter().outlet
        self.assertTrue(inspect.iscoroutinefunction(handler))
        asked = {name: value for name, value in offered.items() if name in inspect.signature(handler).parameters}
        result = asyncio.run(handler(**{"body": body, **asked}))
        self.assertEqual(result["messages"][0], {"id": "m1", "role": "user", "content": "How long is leave?"})
        return result["messages"][-1], events

    def test_markers_of_other_forms_become_those_of_open_webui(self):
        sources = [
            card(LEAVE, "Leave policy", "Leave is 30 days."),
            card("notes.md", "Notes", "Ask your manager early."),
            card(LEAVE, "Leave policy", "Leave ends in March."),
            card("lunch.md", "Lunch", "Lunch is at noon."),
        ]
        text = "Leave is 30 days [Source 1]. Ask early [1-2].\n\nReferences:\n[1] Leave policy\n[2] Notes"
        # A number counts distinct identities, so the third one is that of lunch.
        message, events = self.outlet({"role": "assistant", "content": text + "\n[3] Lunch", "sources": sources})
        self.assertEqual(message["content"], "Leave is 30 days [1]. Ask early [1][2].")
        self.assertEqual((message["sources"], events), (sources, []))
        message, _ = self.outlet({"role": "assistant", "content": "Lunch is at noon [Source 3].", "sources": sources})
        self.assertEqual(message["content"], "Lunch is at noon [3].")

    def test_the_output_that_the_page_shows_is_written_too(self):
        call = {"type": "function_call", "name": "search", "arguments": "{}"}
        parts = [{"type": "output_text", "text": "Leave is 30 days [Source 1]."}]
        message = {
            "role": "assistant",
            "content": "Leave is 30 days [Source 1].",
            "output": [call, {"type": "message", "role": "assistant", "content": parts}],
            "sources": [card(LEAVE, "Leave policy", "Leave is 30 days.")],
        }
        message, _ = self.outlet(message)
        self.assertEqual(message["content"], "Leave is 30 days [1].")
        self.assertEqual(message["output"][0], call)
        self.assertEqual(message["output"][1]["content"], [{"type": "output_text", "text": "Leave is 30 days [1]."}])

    def test_references_in_the_text_become_cards_that_are_stored(self):
        lunch = '[3]: https://hr.example/lunch "Lunch"'
        text = f'{TEXT}\n\n[1]: {LEAVE} "Leave policy"\n[2]: cite:2 "Notes"\n{lunch}'
        parts = [{"type": "output_text", "text": text}]
        message, events = self.outlet({"role": "assistant", "content": text, "output": [{"type": "message", "content": parts}]})
        self.assertEqual((message["content"], parts[0]["text"]), (TEXT, TEXT))
        self.assertEqual(
            message["sources"],
            [
                card("citewire:1", "Leave policy", "Leave policy", url=LEAVE),
                card("citewire:2", "Notes", "Notes"),
                card("citewire:3", "Lunch", "Lunch", url="https://hr.example/lunch"),
            ],
        )
        self.assertEqual(events, [{"type": "source", "data": source} for source in message["sources"]])

    def test_other_messages_stay(self):
        for message in ({"role": "assistant", "content": "Hello, `arr[0]`."}, {"role": "user", "content": f"[1]\n\n[1]: {LEAVE}"}):
            self.assertEqual(self.outlet(dict(message)), ({"id": "m2", **message}, []))

    def test_the_server_finds_the_package_that_the_filter_needs(self):
        lines = (HERE / "open_webui_filter.py").read_text().splitlines()
        # Open WebUI reads what to install from a docstring whose first line is nothing but its quotes.
        self.assertEqual(lines[0], '"""')
        self.assertIn("requirements: citewire", lines[: lines.index('"""', 1)])


if __name__ == "__main__":
    unittest.main()
