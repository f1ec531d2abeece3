"""Holds the sample answers against the models of the vendors' SDKs.

    python verify.py [SAMPLES]

Each folder `<provider>/<case>` has an `input.json` (a whole answer, or a list of decoded events) or an `input.sse`. One
line is printed for each: provider and case, the model, and `ok`, the fault, or why nothing can be said.

A wrong type, a value or a variant that the model does not know, a member that it does not have, and one that it requires
and the sample has not, are faults. Two tables below say what is none: samples tell about citations and leave out what has
nothing to do with them, and some services send more than their models know.

The exit code is 1 when there is a fault, or a provider of which nothing is said here.
"""

import json
import sys
from pathlib import Path

import anthropic.types
import botocore.session
import cohere
import google.genai.interactions
import google.genai.types
import mistralai.client.models
import openai.types.beta
import openai.types.beta.threads
import openai.types.chat
import openai.types.responses
import perplexity.types
import pydantic
from botocore.model import ListShape, MapShape, StructureShape

NOT_COVERED = {
    "activity": "clients keep entities as they come",
    "agent-framework": "written by its own serializers, in write_agent_framework.py",
    "assistanthub": "no client library with models",
    "azsearch-demo": "an application, without a client library",
    "azure-agents": "the models of azure-ai-agents take anything",
    "azure-knowledge-base": "streams and labels are in a preview of azure-search-documents only",
    "azure-oyd": "an extension that the models of openai do not have",
    "chatkit": "openai-chatkit also reads what it never writes; how its types were compared is in docs/reference/formats.md",
    "dify": "no client library with models",
    "haystack": "written by its own serializers, in write_haystack.py",
    "langchain": "written by its own serializers, in write_langchain.py and write_langchain.mjs",
    "llamaindex": "the response is serialised by the caller, as it likes",
    "m365-copilot-chat": "the models of msgraph-beta-sdk take anything",
    "mcp": "the protocol has a schema for blocks, and none for findings in them",
    "native": "the format of citewire",
    "openwebui": "events have no models",
    "pydantic-ai": "write.py has the library write its samples again",
    "vercel-ai-sdk": "write.mjs has the library write its samples again",
    "xai": "xai-sdk speaks gRPC and has no models of the JSON",
}

# Samples of a provider that come from another service, with the provider whose models it follows, or None and the reason.
OF_ANOTHER = {
    "gemini/citations-stream": (None, "of google-generativeai, whose protocol buffers say citationSources"),
    "openai-chat/untyped": (None, "of gateways that leave out the type of an annotation"),
    "openai-responses/ai-search": (None, "of Foundry, with items that the models of openai do not have"),
    "openai-responses/ai-search-stream": (None, "of Foundry, with items that the models of openai do not have"),
    "openai-responses/search-names": (None, "of Foundry, with an annotation's get_url"),
    "perplexity/openrouter": ("openai-chat", "of OpenRouter"),
    "perplexity/openrouter-stream": ("openai-chat", "of OpenRouter"),
}

# What samples leave out and models require: the tag of the object (its `type` or `object`; None is the document), the
# member, `*` standing for every entry of a list, and a value that will do.
ABRIDGED = {
    "bedrock-converse": [(None, "metrics", {"latencyMs": 1})],
    "mistral": [
        ("chat.completion", "created", 1),
        ("chat.completion", "usage", {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}),
        ("tool.execution", "arguments", "{}"),
        ("tool.execution.started", "arguments", "{}"),
    ],
    "openai-assistants": [("thread.message", "status", "completed")],
    "openai-chat": [
        # Gateways leave places out.
        ("url_citation", "url_citation/start_index", 0),
        ("url_citation", "url_citation/end_index", 0),
    ],
    "openai-responses": [
        ("response", "created_at", 1),
        ("response", "parallel_tool_calls", True),
        ("response", "tool_choice", "auto"),
        ("response", "tools", []),
        ("response.output_text.delta", "logprobs", []),
        ("response.output_text.done", "logprobs", []),
    ],
    "perplexity": [
        (None, "choices/*/message", {"role": "assistant", "content": ""}),
        (None, "usage/cost", {"input_tokens_cost": 0.1, "output_tokens_cost": 0.1, "total_cost": 0.2}),
    ],
    "perplexity-agent": [("response", "created_at", 1)],
}

# What services send and models do not have: the way to it, and how that is known.
BEYOND = {
    "anthropic": {
        "/context_management": "in the model of the beta message",
    },
    "cohere": {
        "/delta/message/content": "empty lists, seen in recorded message-start events",
        "/delta/message/citations": "empty lists, seen in recorded message-start events",
    },
    "gemini-interactions": {"/object": "in the model of the interaction that events carry"},
    "openai-chat": {
        "/choices/0/delta/annotations": "sent late in streams; the whole message has them in the model",
        "/choices/0/delta/final_content": "of RAGFlow",
        "/choices/0/delta/provider_specific_fields": "of LiteLLM",
        "/choices/0/delta/reference": "of RAGFlow",
        "/choices/0/message/executed_tools": "of Groq",
        "/choices/0/message/provider_specific_fields": "of LiteLLM",
        "/choices/0/message/reference": "of RAGFlow",
        "/vertex_ai_grounding_metadata": "of LiteLLM",
        "/web_search": "of Zhipu",
    } | {
        at: "of OpenRouter"
        for at in (
            "/provider",
            "/choices/0/native_finish_reason",
            "/choices/0/message/reasoning",
            "/usage/cost",
            "/usage/cost_details",
            "/usage/is_byok",
            "/usage/completion_tokens_details/image_tokens",
            "/usage/prompt_tokens_details/video_tokens",
        )
    },
    "openai-responses": {
        "/billing": "in recorded responses",
        "/frequency_penalty": "in recorded responses",
        "/obfuscation": "in the description of include_obfuscation",
        "/presence_penalty": "in recorded responses",
        "/store": "in recorded responses",
    },
    "perplexity": {
        "/images": "in recorded responses, where images are asked for",
        "/related_questions": "in recorded responses, where questions are asked for",
    },
    "perplexity-agent": {
        f"/{name}": "in recorded responses, as those of OpenAI have it"
        for name in (
            "completed_at",
            "frequency_penalty",
            "incomplete_details",
            "instructions",
            "max_output_tokens",
            "max_tool_calls",
            "metadata",
            "parallel_tool_calls",
            "presence_penalty",
            "reasoning",
            "safety_identifier",
            "temperature",
            "text",
            "tool_choice",
            "tools",
            "top_logprobs",
            "top_p",
            "truncation",
            "user",
        )
    },
}

# Events that the SDK takes care of before its models see them.
NO_MODEL = {"anthropic": {"ping", "error"}}


class Fault(Exception):
    """A sample is not what the model says."""


class PydanticModel:
    """A model, or a union of models, of an SDK that is built on pydantic."""

    def __init__(self, name, kind):
        self.name = name
        self.adapter = pydantic.TypeAdapter(kind)

    def check(self, document, beyond):
        text = json.dumps(document)
        try:
            try:
                value = self.adapter.validate_json(text, strict=True)
            except pydantic.ValidationError as error:
                errors = meant(error.errors(include_url=False))
                if errors:
                    raise Fault("; ".join(described(error) for error in errors[:5])) from error
                # Only open enumerations are left, which are so where pydantic is not strict.
                value = self.adapter.validate_json(text)
        except pydantic.ValidationError as error:
            raise Fault("; ".join(described(error) for error in error.errors(include_url=False)[:5])) from error
        except (AttributeError, TypeError, ValueError) as error:
            raise Fault(f"the SDK stumbles: {error}") from error
        unknown = [at for at in unknown_members(value, "") if at not in beyond]
        if unknown:
            raise Fault("the model does not know " + ", ".join(unknown))


TAGS = {"type", "object", "event", "event_type", "role"}

# In the way to an error: an enumeration that takes other values as well, except where pydantic is strict.
OPEN = "lax-or-strict["


def meant(errors):
    """The errors that concern the sample: not those of variants with another tag, and not those of open enumerations."""
    is_tag = lambda error: error["loc"] and error["loc"][-1] in TAGS and error["type"] == "literal_error"
    others = [error["loc"][:-1] for error in errors if is_tag(error)]
    errors = [error for error in errors if not any(error["loc"][: len(other)] == other for other in others)] or errors
    is_open = lambda part: isinstance(part, str) and part.startswith(OPEN)
    enumerations = [error["loc"][: at] for error in errors for at, part in enumerate(error["loc"]) if is_open(part)]
    return [error for error in errors if not any(error["loc"][: len(at)] == at for at in enumerations)]


def described(error):
    # Names of variants stand between the members; those of models begin with a capital letter.
    members = [str(part) for part in error["loc"] if isinstance(part, int) or part.isidentifier() and part[0].islower()]
    return f"/{'/'.join(members)}: {error['msg'][:160]}"


def unknown_members(value, at):
    """The members that a model keeps without knowing them, and the variants that it could not read."""
    if isinstance(value, pydantic.BaseModel):
        if getattr(value, "is_unknown", False) is True:
            yield f"{at or '/'} as any variant: {json.dumps(value.raw)[:80]}"
            return
        for name in value.model_extra or {}:
            yield f"{at}/{name}"
        for name in type(value).model_fields:
            # Not by getattr, which warns of deprecated members.
            yield from unknown_members(value.__dict__.get(name), f"{at}/{name}")
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from unknown_members(member, f"{at}/{name}")
    elif isinstance(value, (list, tuple)):
        for n, member in enumerate(value):
            yield from unknown_members(member, f"{at}/{n}")


JSON_TYPES = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "long": int,
    "float": (int, float),
    "double": (int, float),
    "timestamp": str,
    "blob": str,
}


class BotocoreModel:
    """The output of an operation of an AWS service, as its service model describes it."""

    def __init__(self, service, operation):
        self.name = operation
        model = botocore.session.get_session().get_service_model(service).operation_model(operation)
        self.shape, self.stream = model.output_shape, model.get_event_stream_output()

    def check(self, document, beyond):
        # The client puts the metadata of the transfer beside what the service sends.
        self.value({name: value for name, value in document.items() if name != "ResponseMetadata"}, self.shape, "")

    def value(self, value, shape, at):
        # Samples hold the events of a stream as a list.
        if shape is self.stream or isinstance(shape, ListShape):
            entry = shape if shape is self.stream else shape.member
            for n, member in enumerate(wanted(value, list, "a list", at)):
                (self.members if shape is self.stream else self.value)(member, entry, f"{at}/{n}")
        elif isinstance(shape, StructureShape):
            if not shape.is_document_type:
                self.members(value, shape, at)
        elif isinstance(shape, MapShape):
            for name, member in wanted(value, dict, "an object", at).items():
                self.value(member, shape.value, f"{at}/{name}")
        else:
            wanted(value, JSON_TYPES[shape.type_name], shape.type_name, at)
            if shape.type_name != "boolean" and isinstance(value, bool):
                raise Fault(f"{at}: {shape.type_name} is wanted")
            if shape.type_name == "string" and shape.enum and value not in shape.enum:
                raise Fault(f"{at}: {value} is none of {', '.join(shape.enum)}")

    def members(self, value, shape, at):
        wanted(value, dict, "an object", at)
        if (shape is self.stream or shape.is_tagged_union) and len(value) != 1:
            raise Fault(f"{at}: a union has one member, not {len(value)}")
        for name in shape.required_members:
            if name not in value:
                raise Fault(f"{at}/{name}: missing")
        for name, member in value.items():
            if name not in shape.members:
                raise Fault(f"the model does not know {at}/{name}")
            self.value(member, shape.members[name], f"{at}/{name}")


def wanted(value, kind, words, at):
    if not isinstance(value, kind):
        raise Fault(f"{at}: {words} is wanted, not {json.dumps(value)[:80]}")
    return value


def bare(_, data):
    return data


def named(name, data):
    return {"event": name, "data": data}


class Format:
    """The models of a provider: of a whole answer, of an event, and the form in which an event is given to it."""

    def __init__(self, whole, event, form=bare):
        self.whole, self.event, self.form = whole, event, form

    def whole_of(self, document):
        if self.event is not None and "stream" in document:
            return self.event
        return self.whole[document.get("object")] if isinstance(self.whole, dict) else self.whole


def formats():
    mistral, threads = mistralai.client.models, openai.types.beta.threads
    beta, chat, responses = openai.types.beta, openai.types.chat, openai.types.responses
    interactions, sonar = google.genai.interactions, perplexity.types
    gemini = PydanticModel("GenerateContentResponse", google.genai.types.GenerateContentResponse)
    stream_chunk = PydanticModel("StreamChunk", sonar.StreamChunk)
    agent_runtime, runtime = "bedrock-agent-runtime", "bedrock-runtime"
    return {
        "anthropic": Format(
            PydanticModel("Message", anthropic.types.Message),
            PydanticModel("RawMessageStreamEvent", anthropic.types.RawMessageStreamEvent),
        ),
        "bedrock-converse": Format(BotocoreModel(runtime, "Converse"), BotocoreModel(runtime, "ConverseStream")),
        "bedrock-rag": Format(
            BotocoreModel(agent_runtime, "RetrieveAndGenerate"),
            BotocoreModel(agent_runtime, "RetrieveAndGenerateStream"),
        ),
        "cohere": Format(
            PydanticModel("V2ChatResponse", cohere.V2ChatResponse),
            PydanticModel("V2ChatStreamResponse", cohere.V2ChatStreamResponse),
        ),
        "gemini": Format(gemini, gemini),
        "gemini-interactions": Format(
            PydanticModel("Interaction", interactions.Interaction),
            PydanticModel("InteractionSSEEvent", interactions.InteractionSSEEvent),
        ),
        "mistral": Format(
            {
                "conversation.response": PydanticModel("ConversationResponse", mistral.ConversationResponse),
                "chat.completion": PydanticModel("ChatCompletionResponse", mistral.ChatCompletionResponse),
            },
            PydanticModel("ConversationEvents", mistral.ConversationEvents),
            named,
        ),
        "openai-assistants": Format(
            PydanticModel("threads.Message", threads.Message),
            PydanticModel("AssistantStreamEvent", beta.AssistantStreamEvent),
            named,
        ),
        "openai-chat": Format(
            PydanticModel("ChatCompletion", chat.ChatCompletion),
            PydanticModel("ChatCompletionChunk", chat.ChatCompletionChunk),
        ),
        "openai-responses": Format(
            PydanticModel("Response", responses.Response),
            PydanticModel("ResponseStreamEvent", responses.ResponseStreamEvent),
        ),
        "perplexity": Format(stream_chunk, stream_chunk),
        "perplexity-agent": Format(
            PydanticModel("ResponseCreateResponse", sonar.ResponseCreateResponse),
            PydanticModel("ResponseStreamChunk", sonar.ResponseStreamChunk),
        ),
    }


def events(text):
    """The events of a stream, as pairs of name and data."""
    for block in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n"):
        fields = [line.partition(":")[::2] for line in block.split("\n")]
        data = "\n".join(value.removeprefix(" ") for name, value in fields if name == "data")
        name = next((value.strip() for name, value in fields if name == "event"), None)
        if data.strip() not in ("", "[DONE]"):
            yield name, json.loads(data)


def complete(document, provider):
    """Adds what the sample leaves out."""
    for tag, way, value in ABRIDGED.get(provider, []):
        for found in tagged(document, tag):
            add(found, way.split("/"), value)


def tagged(value, tag):
    if tag is None:
        yield value
        return
    if isinstance(value, dict):
        if tag in (value.get("type"), value.get("object")):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from tagged(member, tag)


def add(value, way, added):
    name, *rest = way
    if not rest:
        value.setdefault(name, added)
        return
    for member in value if name == "*" else [value.get(name)]:
        if member is not None:
            add(member, rest, added)


def check(provider, case, known):
    """The name of the model that the sample was held against; raises what is wrong."""
    beyond = BEYOND.get(provider, {})
    stream = case / "input.sse"
    if not stream.exists():
        document = json.loads((case / "input.json").read_text(encoding="utf-8"))
        complete(document, provider)
        model = known.whole_of(document)
        model.check(document, beyond)
        return model.name
    count = 0
    for count, (name, data) in enumerate(events(stream.read_text(encoding="utf-8")), 1):
        if data.get("type") in NO_MODEL.get(provider, ()):
            continue
        complete(data, provider)
        try:
            known.event.check(known.form(name, data), beyond)
        except Fault as fault:
            raise Fault(f"event {count}: {fault}") from fault
    if count == 0:
        raise Fault("no events")
    return f"{known.event.name}, {count} events"


def main():
    samples = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "answers"
    known = formats()
    cases = sorted(path for path in samples.glob("*/*") if path.is_dir())
    covered = faults = 0
    for case in cases:
        provider = case.parent.name
        line = f"{provider}/{case.name}"
        provider, reason = OF_ANOTHER.get(line, (provider, NOT_COVERED.get(provider)))
        if provider is None or provider in NOT_COVERED:
            print(f"{line:38} not covered: {reason}")
            continue
        covered += 1
        try:
            if provider not in known:
                raise Fault("it is not said here which model this is")
            print(f"{line:38} ok: {check(provider, case, known[provider])}")
        except Fault as fault:
            faults += 1
            print(f"{line:38} FAULT: {fault}")
    print(f"{len(cases)} samples, {covered} held against a model, {faults} with a fault")
    return 1 if faults or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
