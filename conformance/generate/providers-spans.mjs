// Bodies of providers that cite beside the text: by spans, points or blocks.

import { all, keys, pieces, spans, written } from "./contents.mjs";
import { events, json } from "./framing.mjs";
import { points } from "./providers-openai.mjs";

const bare = (answer) => written(answer, () => "");
const cited = (answer) => keys(answer).filter((key) => key !== "spare");

/** Gemini's grounding, in bytes of UTF-8. */
const grounding = (answer) => ({
  webSearchQueries: ["why"],
  groundingChunks: cited(answer).map((key) => ({
    web: { uri: answer.sources[key].url, title: answer.sources[key].title },
  })),
  groundingSupports: spans(answer, "utf8", true).map(([startIndex, endIndex, found, text]) => ({
    segment: { ...(startIndex > 0 ? { startIndex } : {}), endIndex, text },
    groundingChunkIndices: found.map((key) => cited(answer).indexOf(key)),
  })),
});
const candidate = (text, more) => ({ content: { role: "model", parts: [{ text }] }, index: 0, ...more });

/** Cohere's citations, in code points. */
const cohere = (answer) =>
  spans(answer, "char").map(([start, end, found, text]) => ({
    start,
    end,
    text,
    type: "TEXT_CONTENT",
    sources: found.map((key) => {
      const { title, url, quote } = answer.sources[key];
      return { type: "document", id: `doc:${key}`, document: { id: `doc:${key}`, title, snippet: quote, url } };
    }),
  }));

function cohereStream(answer) {
  const list = [
    { type: "message-start", id: "co-1", delta: { message: { role: "assistant", content: [], citations: [] } } },
    { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
    ...pieces(bare(answer)).map((text) => ({
      type: "content-delta",
      index: 0,
      delta: { message: { content: { text } } },
    })),
    ...cohere(answer).flatMap((citations, index) => [
      { type: "citation-start", index, delta: { message: { citations } } },
      { type: "citation-end", index },
    ]),
    { type: "content-end", index: 0 },
    { type: "message-end", delta: { finish_reason: "COMPLETE", usage: {} } },
  ];
  return events(list.map((event) => [event.type, event]));
}

const noQuote = { quote: undefined };
const GEMINI = "https://ai.google.dev/gemini-api/docs/google-search";
const COHERE = "https://docs.cohere.com/docs/rag-citations";

export const SPANS = [
  {
    id: "gemini",
    page: GEMINI,
    isCitedOnly: true,
    source: noQuote,
    body: (answer) =>
      json({
        candidates: [candidate(bare(answer), { finishReason: "STOP", groundingMetadata: grounding(answer) })],
        modelVersion: "gemini-2.5-flash",
      }),
  },
  {
    id: "gemini-stream",
    format: "gemini",
    page: GEMINI,
    isCitedOnly: true,
    source: noQuote,
    body: (answer) =>
      events([
        ...pieces(bare(answer), 13).map((text) => ({
          candidates: [candidate(text)],
          modelVersion: "gemini-2.5-flash",
        })),
        {
          candidates: [candidate("", { finishReason: "STOP", groundingMetadata: grounding(answer) })],
          modelVersion: "gemini-2.5-flash",
        },
      ]),
  },
  {
    id: "gemini-interactions",
    page: "https://ai.google.dev/api/interactions-api",
    isCitedOnly: true,
    source: noQuote,
    body: (answer) =>
      json({
        id: "int_1",
        object: "interaction",
        status: "completed",
        model: "gemini-3-flash",
        steps: [
          {
            type: "model_output",
            content: [
              {
                type: "text",
                text: bare(answer),
                annotations: spans(answer, "utf8").flatMap(([start_index, end_index, found]) =>
                  found.map((key) => ({
                    type: "url_citation",
                    start_index,
                    end_index,
                    url: answer.sources[key].url,
                    title: answer.sources[key].title,
                  })),
                ),
              },
            ],
          },
        ],
      }),
  },
  {
    id: "cohere",
    page: COHERE,
    isCitedOnly: true,
    body: (answer) =>
      json({
        id: "co-1",
        message: { role: "assistant", content: [{ type: "text", text: bare(answer) }], citations: cohere(answer) },
        finish_reason: "COMPLETE",
      }),
  },
  { id: "cohere-stream", format: "cohere", page: COHERE, isCitedOnly: true, body: cohereStream },
  {
    id: "bedrock-rag",
    page: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_RetrieveAndGenerate.html",
    isCitedOnly: true,
    source: { title: undefined },
    body: (answer) =>
      json({
        sessionId: "s-1",
        output: { text: bare(answer) },
        citations: spans(answer, "char", true).map(([start, end, found, text]) => ({
          generatedResponsePart: { textResponsePart: { text, span: { start, end: end - 1 } } },
          retrievedReferences: found.map((key) => ({
            content: { type: "TEXT", text: answer.sources[key].quote },
            location: { type: "WEB", webLocation: { url: answer.sources[key].url } },
            metadata: {},
          })),
        })),
      }),
  },
  {
    id: "pydantic-ai",
    page: "https://ai.pydantic.dev/message-history/",
    isCitedOnly: true,
    body: (answer) =>
      json({
        kind: "response",
        model_name: "gpt-tea",
        timestamp: "2026-11-26T00:00:00Z",
        finish_reason: "stop",
        usage: {},
        parts: [
          {
            part_kind: "text",
            content: bare(answer),
            citations: spans(answer, "char").map(([start, end, found]) => ({
              sources: found.map((key) => ({
                url: answer.sources[key].url,
                title: answer.sources[key].title,
                excerpts: [answer.sources[key].quote],
                kind: "web",
              })),
              anchor: { start, end, kind: "content" },
            })),
          },
        ],
      }),
  },
  {
    id: "langchain-message",
    format: "langchain",
    page: "https://docs.langchain.com/oss/python/langchain/rag",
    isCitedOnly: true,
    body: (answer) =>
      json({
        type: "ai",
        id: "m1",
        name: null,
        additional_kwargs: {},
        response_metadata: { output_version: "v1", model_provider: "openai" },
        tool_calls: [],
        invalid_tool_calls: [],
        usage_metadata: null,
        content: [
          {
            type: "text",
            text: bare(answer),
            annotations: spans(answer, "char").flatMap(([start_index, end_index, found]) =>
              found.map((key) => ({
                type: "citation",
                url: answer.sources[key].url,
                title: answer.sources[key].title,
                start_index,
                end_index,
                cited_text: answer.sources[key].quote,
              })),
            ),
          },
        ],
      }),
  },
  {
    id: "agent-framework",
    page: "https://learn.microsoft.com/agent-framework/",
    isCitedOnly: true,
    source: noQuote,
    body: (answer) =>
      json({
        type: "agent_response",
        response_id: "r1",
        messages: [
          {
            type: "message",
            role: "assistant",
            message_id: "m1",
            contents: [
              {
                type: "text",
                text: bare(answer),
                annotations: spans(answer, "char").flatMap(([start_index, end_index, found]) =>
                  found.map((key) => ({
                    type: "citation",
                    title: answer.sources[key].title,
                    url: answer.sources[key].url,
                    annotated_regions: [{ type: "text_span", start_index, end_index }],
                  })),
                ),
              },
            ],
          },
        ],
      }),
  },
  {
    id: "chatkit",
    page: "https://openai.github.io/chatkit-python/",
    isCitedOnly: true,
    source: noQuote,
    body: (answer) =>
      json({
        id: "thr_1",
        created_at: "2026-11-20T08:58:00",
        status: { type: "active" },
        metadata: {},
        items: {
          has_more: false,
          data: [
            {
              id: "msg_1",
              thread_id: "thr_1",
              created_at: "2026-11-20T09:00:05",
              type: "assistant_message",
              content: [
                {
                  type: "output_text",
                  text: bare(answer),
                  annotations: points(answer).map(({ key, at }) => ({
                    type: "annotation",
                    source: { type: "url", title: answer.sources[key].title, url: answer.sources[key].url },
                    index: at,
                  })),
                },
              ],
            },
          ],
        },
      }),
  },
  {
    id: "annotated-bytes",
    format: "answer",
    page: "https://www.unicode.org/versions/latest/",
    body: (answer) => annotated(answer, "utf8"),
  },
  {
    id: "annotated-code-points",
    format: "answer",
    page: "https://www.unicode.org/versions/latest/",
    body: (answer) => annotated(answer, "char"),
  },
  {
    id: "annotated-utf-16",
    format: "answer",
    page: "https://www.unicode.org/versions/latest/",
    body: (answer) => annotated(answer, "utf16"),
  },
];

/** The neutral form with spans. */
function annotated(answer, unit) {
  return json({
    text: bare(answer),
    sources: keys(answer).map((key) => ({
      id: key,
      title: all(answer)[key].title,
      url: all(answer)[key].url,
      content: all(answer)[key].quote,
    })),
    annotations: spans(answer, unit).map(([start, end, found]) => ({ start, end, unit, sources: found })),
  });
}
