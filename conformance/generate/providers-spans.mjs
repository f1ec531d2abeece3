// Bodies of providers that cite beside the text: by spans, points or blocks.

import { all, keys, pieces, spans, written } from "./contents.mjs";
import { events, json } from "./framing.mjs";

const bare = (answer) => written(answer, () => "");
const host = (url) => new URL(url).host;
const cited = (answer) => keys(answer).filter((key) => key !== "spare");

/** The text of OpenAI's searches: a link in parentheses behind the words, which the annotation covers, in code points. */
function linked(answer, label = (url) => `([${host(url)}](${url}))`) {
  let text = "";
  const places = [];
  answer.sentences.forEach(([words, end, found], at) => {
    text += (at > 0 ? answer.between : "") + words + (found.length > 0 ? " " : "");
    for (const key of found) {
      const { title, url } = answer.sources[key];
      const link = label(url, key);
      const start = [...text].length;
      text += link;
      places.push({ start_index: start, end_index: [...text].length, url, title });
    }
    text += end;
  });
  return { text, places };
}

/** How such a text reads for whom the link stays: the number stands behind it. */
export const linkedReads = (answer) =>
  written(answer, (found) => (found.length > 0 ? " " : "") + found.map((key) => `([${host(answer.sources[key].url)}](${answer.sources[key].url}))⟦${key}⟧`).join(""));

const message = (text, annotations) => ({
  id: "msg_1", type: "message", status: "completed", role: "assistant", content: [{ type: "output_text", text, annotations, logprobs: [] }],
});
const response = (output, more) =>
  ({ id: "resp_1", object: "response", created_at: 1767000100, status: "completed", error: null, model: "gpt-5-mini", output, ...more });
const SEARCH = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "why" } };
const urlCitations = (places) => places.map((place) => ({ type: "url_citation", ...place }));

function responsesStream(answer) {
  const { text, places } = linked(answer);
  const done = [SEARCH, message(text, urlCitations(places))];
  const part = { item_id: "msg_1", output_index: 1, content_index: 0 };
  const list = [
    { type: "response.created", response: { ...response([]), status: "in_progress" } },
    { type: "response.output_item.added", output_index: 0, item: { ...SEARCH, status: "in_progress" } },
    { type: "response.output_item.done", output_index: 0, item: SEARCH },
    { type: "response.output_item.added", output_index: 1, item: { ...message("", []), status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...part, part: { type: "output_text", annotations: [], text: "" } },
    ...pieces(text, 11).map((delta) => ({ type: "response.output_text.delta", ...part, delta })),
    ...urlCitations(places).map((annotation, annotation_index) =>
      ({ type: "response.output_text.annotation.added", ...part, annotation_index, annotation })),
    { type: "response.output_text.done", ...part, text },
    { type: "response.output_item.done", output_index: 1, item: done[1] },
    { type: "response.completed", response: response(done) },
  ];
  return events(list.map((event, sequence_number) => [event.type, { ...event, sequence_number }]));
}

/** Points behind the words, in code points. */
const points = (answer) => spans(answer, "char").flatMap(([, end, found]) => found.map((key) => ({ key, at: end })));

const fileName = (key) => `${key}.pdf`;
const chat = (message) => ({
  id: "chatcmpl-1", object: "chat.completion", created: 1767000200, model: "gpt-4o-search-preview",
  choices: [{ index: 0, message: { role: "assistant", refusal: null, ...message }, finish_reason: "stop" }],
});
const chatChunk = (delta, finish = null) => ({
  id: "chatcmpl-1", object: "chat.completion.chunk", created: 1767000200, model: "gpt-4o-search-preview",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const nested = (places) => places.map((place) => ({ type: "url_citation", url_citation: place }));

/** Gemini's grounding, in bytes of UTF-8. */
const grounding = (answer) => ({
  webSearchQueries: ["why"],
  groundingChunks: cited(answer).map((key) => ({ web: { uri: answer.sources[key].url, title: answer.sources[key].title } })),
  groundingSupports: spans(answer, "utf8", true).map(([startIndex, endIndex, found, text]) => ({
    segment: { ...(startIndex > 0 ? { startIndex } : {}), endIndex, text },
    groundingChunkIndices: found.map((key) => cited(answer).indexOf(key)),
  })),
});
const candidate = (text, more) => ({ content: { role: "model", parts: [{ text }] }, index: 0, ...more });

/** Claude's blocks: what lies between cited ones has none. */
const blocks = (answer) => answer.sentences.flatMap(([words, end, found], at) => {
  const citations = found.map((key) => {
    const { title, url, quote } = answer.sources[key];
    return { type: "web_search_result_location", cited_text: quote, url, title, encrypted_index: "Eo8B" };
  });
  const rest = end + (at < answer.sentences.length - 1 ? answer.between : "");
  return [found.length > 0 ? { type: "text", text: words, citations } : { type: "text", text: words }, { type: "text", text: rest }];
});
const results = (answer) => ({ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: keys(answer).map((key) => {
  const { title, url } = all(answer)[key];
  return { type: "web_search_result", title, url, encrypted_content: "Eqc", page_age: null };
}) });
const USE = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "why" } };

function claudeStream(answer) {
  const list = [{ type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [], stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } } }];
  [USE, results(answer), ...blocks(answer)].forEach((block, index) => {
    const isText = block.type === "text";
    list.push({ type: "content_block_start", index, content_block: isText ? { type: "text", text: "", ...(block.citations ? { citations: [] } : {}) } : block });
    for (const citation of block.citations ?? []) list.push({ type: "content_block_delta", index, delta: { type: "citations_delta", citation } });
    for (const text of isText ? pieces(block.text) : []) list.push({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
    list.push({ type: "content_block_stop", index });
  });
  list.push({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 30 } }, { type: "message_stop" });
  return events(list.map((event) => [event.type, event]));
}

/** Cohere's citations, in code points. */
const cohere = (answer) => spans(answer, "char").map(([start, end, found, text]) => ({
  start, end, text, type: "TEXT_CONTENT",
  sources: found.map((key) => {
    const { title, url, quote } = answer.sources[key];
    return { type: "document", id: `doc:${key}`, document: { id: `doc:${key}`, title, snippet: quote, url } };
  }),
}));

function cohereStream(answer) {
  const list = [
    { type: "message-start", id: "co-1", delta: { message: { role: "assistant", content: [], citations: [] } } },
    { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
    ...pieces(bare(answer)).map((text) => ({ type: "content-delta", index: 0, delta: { message: { content: { text } } } })),
    ...cohere(answer).flatMap((citations, index) => [
      { type: "citation-start", index, delta: { message: { citations } } }, { type: "citation-end", index }]),
    { type: "content-end", index: 0 },
    { type: "message-end", delta: { finish_reason: "COMPLETE", usage: {} } },
  ];
  return events(list.map((event) => [event.type, event]));
}

/** Pieces of a conversation of Mistral: a text, and behind it what it cites. */
const mistral = (answer) => answer.sentences.flatMap(([words, end, found], at) => [
  { type: "text", text: words },
  ...found.map((key) => ({ type: "tool_reference", tool: "web_search", title: answer.sources[key].title, url: answer.sources[key].url, description: null })),
  { type: "text", text: end + (at < answer.sentences.length - 1 ? answer.between : "") },
]);

const vercelCitations = (answer) => {
  const { text, places } = linked(answer);
  const citations = places.map(({ start_index, end_index, url, title }) => ({
    source: { type: "source", sourceType: "url", id: url, url, title }, startIndex: start_index, endIndex: end_index }));
  return { text, places, citations };
};

const noQuote = { quote: undefined };
const RESPONSES = "https://platform.openai.com/docs/api-reference/responses";
const CHAT = "https://platform.openai.com/docs/api-reference/chat";
const GEMINI = "https://ai.google.dev/gemini-api/docs/google-search";
const CLAUDE = "https://platform.claude.com/docs/en/build-with-claude/citations";
const COHERE = "https://docs.cohere.com/docs/rag-citations";
const MISTRAL = "https://docs.mistral.ai/capabilities/citations";

export const SPANS = [
  { id: "openai-responses", isLinked: true, page: RESPONSES, isCitedOnly: true, source: noQuote, body: (answer) => {
    const { text, places } = linked(answer);
    return json(response([SEARCH, message(text, urlCitations(places))]));
  } },
  { id: "openai-responses-stream", format: "openai-responses", isLinked: true, page: RESPONSES, isCitedOnly: true, source: noQuote, body: responsesStream },
  { id: "openai-files", format: "openai-responses", page: RESPONSES, isCitedOnly: true, isFile: true, body: (answer) => json(response([
    { id: "fs_1", type: "file_search_call", status: "completed", queries: ["why"], results: cited(answer).map((key) =>
      ({ file_id: `file-${key}`, filename: fileName(key), score: 0.9, text: answer.sources[key].quote, attributes: {} })) },
    message(bare(answer), points(answer).map(({ key, at }) =>
      ({ type: "file_citation", file_id: `file-${key}`, filename: fileName(key), index: at }))),
  ])) },
  { id: "openai-chat", isLinked: true, page: CHAT, isCitedOnly: true, source: noQuote, body: (answer) => {
    const { text, places } = linked(answer);
    return json(chat({ content: text, annotations: nested(places) }));
  } },
  { id: "openai-chat-stream", format: "openai-chat", isLinked: true, page: CHAT, isCitedOnly: true, source: noQuote, body: (answer) => {
    const { text, places } = linked(answer);
    return events([chatChunk({ role: "assistant", content: "" }), ...pieces(text).map((content) => chatChunk({ content })),
      chatChunk({ annotations: nested(places) }), chatChunk({}, "stop")], "[DONE]");
  } },
  { id: "xai", page: "https://docs.x.ai/developers/tools/citations", isCitedOnly: true, source: { quote: undefined, title: undefined }, body: (answer) => {
    const order = cited(answer);
    const { text, places } = linked(answer, (url, key) => `[[${order.indexOf(key) + 1}]](${url})`);
    const citations = places.map((place) => ({ type: "url_citation", ...place, title: `${order.findIndex((key) => answer.sources[key].url === place.url) + 1}` }));
    return json({ ...response([SEARCH, message(text, citations)]), model: "grok-4-fast", citations: order.map((key) => answer.sources[key].url) });
  } },
  { id: "gemini", page: GEMINI, isCitedOnly: true, source: noQuote, body: (answer) => json({
    candidates: [candidate(bare(answer), { finishReason: "STOP", groundingMetadata: grounding(answer) })], modelVersion: "gemini-2.5-flash",
  }) },
  { id: "gemini-stream", format: "gemini", page: GEMINI, isCitedOnly: true, source: noQuote, body: (answer) => events([
    ...pieces(bare(answer), 13).map((text) => ({ candidates: [candidate(text)], modelVersion: "gemini-2.5-flash" })),
    { candidates: [candidate("", { finishReason: "STOP", groundingMetadata: grounding(answer) })], modelVersion: "gemini-2.5-flash" },
  ]) },
  { id: "gemini-interactions", page: "https://ai.google.dev/api/interactions-api", isCitedOnly: true, source: noQuote, body: (answer) => json({
    id: "int_1", object: "interaction", status: "completed", model: "gemini-3-flash", steps: [{ type: "model_output", content: [{
      type: "text", text: bare(answer), annotations: spans(answer, "utf8").flatMap(([start_index, end_index, found]) => found.map((key) =>
        ({ type: "url_citation", start_index, end_index, url: answer.sources[key].url, title: answer.sources[key].title }))),
    }] }],
  }) },
  { id: "anthropic", page: CLAUDE, body: (answer) => json({
    id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [USE, results(answer), ...blocks(answer)],
    stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 9, output_tokens: 30 },
  }), spare: noQuote },
  { id: "anthropic-stream", format: "anthropic", page: CLAUDE, body: claudeStream, spare: noQuote },
  { id: "cohere", page: COHERE, isCitedOnly: true, body: (answer) => json({
    id: "co-1", message: { role: "assistant", content: [{ type: "text", text: bare(answer) }], citations: cohere(answer) }, finish_reason: "COMPLETE",
  }) },
  { id: "cohere-stream", format: "cohere", page: COHERE, isCitedOnly: true, body: cohereStream },
  { id: "bedrock-rag", page: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_RetrieveAndGenerate.html", isCitedOnly: true,
    source: { title: undefined }, body: (answer) => json({
      sessionId: "s-1", output: { text: bare(answer) }, citations: spans(answer, "char", true).map(([start, end, found, text]) => ({
        generatedResponsePart: { textResponsePart: { text, span: { start, end: end - 1 } } },
        retrievedReferences: found.map((key) => ({
          content: { type: "TEXT", text: answer.sources[key].quote }, location: { type: "WEB", webLocation: { url: answer.sources[key].url } }, metadata: {} })),
      })),
    }) },
  { id: "bedrock-converse", page: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html", isCitedOnly: true,
    body: (answer) => json({
      output: { message: { role: "assistant", content: answer.sentences.flatMap(([words, end, found], at) => {
        const citations = found.map((key) => ({ title: answer.sources[key].title, source: answer.sources[key].url,
          sourceContent: [{ text: answer.sources[key].quote }], location: { web: { url: answer.sources[key].url, domain: host(answer.sources[key].url) } } }));
        const rest = end + (at < answer.sentences.length - 1 ? answer.between : "");
        return [found.length > 0 ? { citationsContent: { content: [{ text: words }], citations } } : { text: words }, { text: rest }];
      }) } },
      stopReason: "end_turn", usage: { inputTokens: 410, outputTokens: 24, totalTokens: 434 }, metrics: { latencyMs: 812 },
    }) },
  { id: "mistral", page: MISTRAL, isCitedOnly: true, source: noQuote, body: (answer) => json({
    conversation_id: "conv_1", object: "conversation.response", usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    outputs: [{ type: "message.output", object: "entry", role: "assistant", id: "mo1", model: "mistral-medium", content: mistral(answer) }],
  }) },
  { id: "mistral-stream", format: "mistral", page: MISTRAL, isCitedOnly: true, source: noQuote, body: (answer) => events([
    ["conversation.response.started", { type: "conversation.response.started", conversation_id: "conv_1" }],
    ...mistral(answer).map((piece, content_index) => ["message.output.delta", {
      type: "message.output.delta", id: "mo1", output_index: 0, content_index, role: "assistant", content: piece.type === "text" ? piece.text : piece }]),
    ["conversation.response.done", { type: "conversation.response.done", usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }],
  ]) },
  { id: "vercel-ai-sdk", isLinked: true, page: "https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol", isCitedOnly: true, source: noQuote, body: (answer) => {
    const { text, places, citations } = vercelCitations(answer);
    return json({ id: "m1", role: "assistant", parts: [{ type: "step-start" }, {
      type: "text", text, state: "done", citations, providerMetadata: { openai: { itemId: "msg_1", annotations: urlCitations(places) } },
    }] });
  } },
  { id: "pydantic-ai", page: "https://ai.pydantic.dev/message-history/", isCitedOnly: true, body: (answer) => json({
    kind: "response", model_name: "gpt-tea", timestamp: "2026-11-26T00:00:00Z", finish_reason: "stop", usage: {},
    parts: [{ part_kind: "text", content: bare(answer), citations: spans(answer, "char").map(([start, end, found]) => ({
      sources: found.map((key) => ({ url: answer.sources[key].url, title: answer.sources[key].title, excerpts: [answer.sources[key].quote], kind: "web" })),
      anchor: { start, end, kind: "content" } })) }],
  }) },
  { id: "langchain-message", format: "langchain", page: "https://docs.langchain.com/oss/python/langchain/rag", isCitedOnly: true, body: (answer) => json({
    type: "ai", id: "m1", name: null, additional_kwargs: {}, response_metadata: { output_version: "v1", model_provider: "openai" }, tool_calls: [],
    invalid_tool_calls: [], usage_metadata: null, content: [{ type: "text", text: bare(answer), annotations: spans(answer, "char").flatMap(
      ([start_index, end_index, found]) => found.map((key) => ({ type: "citation", url: answer.sources[key].url, title: answer.sources[key].title,
        start_index, end_index, cited_text: answer.sources[key].quote }))) }],
  }) },
  { id: "agent-framework", page: "https://learn.microsoft.com/agent-framework/", isCitedOnly: true, source: noQuote, body: (answer) => json({
    type: "agent_response", response_id: "r1", messages: [{ type: "message", role: "assistant", message_id: "m1", contents: [{
      type: "text", text: bare(answer), annotations: spans(answer, "char").flatMap(([start_index, end_index, found]) => found.map((key) => ({
        type: "citation", title: answer.sources[key].title, url: answer.sources[key].url, annotated_regions: [{ type: "text_span", start_index, end_index }] }))),
    }] }],
  }) },
  { id: "chatkit", page: "https://openai.github.io/chatkit-python/", isCitedOnly: true, source: noQuote, body: (answer) => json({
    id: "thr_1", created_at: "2026-11-20T08:58:00", status: { type: "active" }, metadata: {}, items: { has_more: false, data: [{
      id: "msg_1", thread_id: "thr_1", created_at: "2026-11-20T09:00:05", type: "assistant_message", content: [{
        type: "output_text", text: bare(answer), annotations: points(answer).map(({ key, at }) => ({
          type: "annotation", source: { type: "url", title: answer.sources[key].title, url: answer.sources[key].url }, index: at })) }],
    }] },
  }) },
  { id: "annotated-bytes", format: "answer", page: "https://www.unicode.org/versions/latest/", body: (answer) => annotated(answer, "utf8") },
  { id: "annotated-code-points", format: "answer", page: "https://www.unicode.org/versions/latest/", body: (answer) => annotated(answer, "char") },
  { id: "annotated-utf-16", format: "answer", page: "https://www.unicode.org/versions/latest/", body: (answer) => annotated(answer, "utf16") },
];

/** The neutral form with spans. */
function annotated(answer, unit) {
  return json({
    text: bare(answer), sources: keys(answer).map((key) => ({ id: key, title: all(answer)[key].title, url: all(answer)[key].url, content: all(answer)[key].quote })),
    annotations: spans(answer, unit).map(([start, end, found]) => ({ start, end, unit, sources: found })),
  });
}
