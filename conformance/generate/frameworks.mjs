// What frameworks, front ends and tools make of answers whose text has markers.

import { keys, pieces } from "./contents.mjs";
import { events, json } from "./framing.mjs";
import { bracketed, completion, list } from "./providers-marked.mjs";

const VERCEL = (answer) =>
  list(answer, ({ title, url }, place) => ({ type: "source-url", sourceId: `${place + 1}`, url, title }));

const noQuote = { quote: undefined };
const UI_STREAM = "https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol";

export const FRAMEWORKS = [
  {
    id: "langchain-documents",
    format: "langchain",
    page: "https://docs.langchain.com/oss/python/langchain/rag",
    body: (answer) =>
      json({
        answer: bracketed(answer),
        context: list(answer, ({ title, url, quote }) => ({
          id: null,
          page_content: quote,
          metadata: { source: url, title },
          type: "Document",
        })),
      }),
  },
  {
    id: "llamaindex",
    page: "https://docs.llamaindex.ai/en/stable/api_reference/query_engine/citation",
    body: (answer) =>
      json({
        response: bracketed(answer),
        source_nodes: list(answer, ({ title, url, quote }, place) => ({
          node: {
            id_: `n${place}`,
            text: `Source ${place + 1}:\n${quote}\n`,
            metadata: { title, url },
            class_name: "TextNode",
          },
          score: 0.8,
        })),
        metadata: {},
      }),
  },
  {
    id: "haystack",
    page: "https://docs.haystack.deepset.ai/docs/answerbuilder",
    body: (answer) =>
      json({
        answer_builder: {
          answers: [
            {
              data: bracketed(answer),
              query: "Why?",
              meta: { all_messages: [bracketed(answer)] },
              documents: list(answer, ({ title, url, quote }, place) => ({
                id: `k${place}`,
                content: quote,
                blob: null,
                meta: { title, url, source_index: place + 1, referenced: true },
                score: 0.9,
                embedding: null,
                sparse_embedding: null,
              })),
            },
          ],
        },
      }),
  },
  {
    id: "assistanthub",
    page: "https://github.com/jchristn/AssistantHub",
    source: { url: null, quote: undefined },
    body: (answer) =>
      json({
        ...completion({ content: bracketed(answer) }),
        retrieval: { collection_id: "col_1", chunks_returned: keys(answer).length },
        citations: {
          sources: list(answer, ({ title, quote }, place) => ({
            index: place + 1,
            document_id: `adoc_${place}`,
            document_name: title,
            content_type: "text/plain",
            score: 0.8,
            excerpt: quote,
          })),
          referenced_indices: [1],
        },
      }),
  },
  {
    id: "openwebui",
    page: "https://docs.openwebui.com/features/extensibility/plugin/development/events/",
    body: (answer) =>
      json({
        type: "chat:completion",
        data: {
          content: bracketed(answer),
          done: true,
          sources: list(answer, ({ title, url, quote }) => ({
            source: { name: title, url },
            document: [quote],
            metadata: [{ source: url, name: title }],
            distances: [0.9],
          })),
        },
      }),
  },
  {
    id: "mcp",
    page: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
    source: noQuote,
    body: (answer) =>
      json({
        jsonrpc: "2.0",
        id: 7,
        result: {
          content: [{ type: "text", text: bracketed(answer) }],
          isError: false,
          structuredContent: {
            answer: bracketed(answer),
            sources: list(answer, ({ title, url }, place) => ({ id: `${place + 1}`, title, url })),
          },
        },
      }),
  },
  {
    id: "vercel-numbered-stream",
    format: "vercel-ai-sdk",
    page: UI_STREAM,
    source: noQuote,
    body: (answer) =>
      events(
        [
          { type: "start", messageId: "m2" },
          ...VERCEL(answer),
          { type: "text-start", id: "t1" },
          ...pieces(bracketed(answer)).map((delta) => ({ type: "text-delta", id: "t1", delta })),
          { type: "text-end", id: "t1" },
          { type: "finish" },
        ],
        "[DONE]",
      ),
  },
  {
    id: "answer",
    page: "https://github.com/microsoft/BotFramework-WebChat/blob/main/docs/CITATION.md",
    body: (answer) =>
      json({
        text: bracketed(answer),
        sources: list(answer, ({ title, url, quote }) => ({ title, url, content: quote })),
      }),
  },
  {
    id: "answer-stream",
    format: "answer",
    page: "https://html.spec.whatwg.org/multipage/server-sent-events.html",
    body: (answer) =>
      events([
        { sources: list(answer, ({ title, url, quote }) => ({ title, url, content: quote })) },
        ...pieces(bracketed(answer)).map((delta) => ({ delta })),
        { done: true },
      ]),
  },
];
