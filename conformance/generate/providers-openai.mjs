// Bodies of OpenAI and of those that repeat its annotations: links in the text, points behind it.

import { keys, pieces, spans, written } from "./contents.mjs";
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
  written(
    answer,
    (found) =>
      (found.length > 0 ? " " : "") +
      found.map((key) => `([${host(answer.sources[key].url)}](${answer.sources[key].url}))⟦${key}⟧`).join(""),
  );

const message = (text, annotations) => ({
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations, logprobs: [] }],
});
const response = (output, more) => ({
  id: "resp_1",
  object: "response",
  created_at: 1767000100,
  status: "completed",
  error: null,
  model: "gpt-5-mini",
  output,
  ...more,
});
const SEARCH = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "why" } };
export const urlCitations = (places) => places.map((place) => ({ type: "url_citation", ...place }));

function responsesStream(answer) {
  const { text, places } = linked(answer);
  const done = [SEARCH, message(text, urlCitations(places))];
  const part = { item_id: "msg_1", output_index: 1, content_index: 0 };
  const list = [
    { type: "response.created", response: { ...response([]), status: "in_progress" } },
    { type: "response.output_item.added", output_index: 0, item: { ...SEARCH, status: "in_progress" } },
    { type: "response.output_item.done", output_index: 0, item: SEARCH },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: { ...message("", []), status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...part, part: { type: "output_text", annotations: [], text: "" } },
    ...pieces(text, 11).map((delta) => ({ type: "response.output_text.delta", ...part, delta })),
    ...urlCitations(places).map((annotation, annotation_index) => ({
      type: "response.output_text.annotation.added",
      ...part,
      annotation_index,
      annotation,
    })),
    { type: "response.output_text.done", ...part, text },
    { type: "response.output_item.done", output_index: 1, item: done[1] },
    { type: "response.completed", response: response(done) },
  ];
  return events(list.map((event, sequence_number) => [event.type, { ...event, sequence_number }]));
}

/** Points behind the words, in code points. */
export const points = (answer) =>
  spans(answer, "char").flatMap(([, end, found]) => found.map((key) => ({ key, at: end })));

const fileName = (key) => `${key}.pdf`;
const chat = (message) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1767000200,
  model: "gpt-4o-search-preview",
  choices: [{ index: 0, message: { role: "assistant", refusal: null, ...message }, finish_reason: "stop" }],
});
const chatChunk = (delta, finish = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1767000200,
  model: "gpt-4o-search-preview",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const nested = (places) => places.map((place) => ({ type: "url_citation", url_citation: place }));

const vercelCitations = (answer) => {
  const { text, places } = linked(answer);
  const citations = places.map(({ start_index, end_index, url, title }) => ({
    source: { type: "source", sourceType: "url", id: url, url, title },
    startIndex: start_index,
    endIndex: end_index,
  }));
  return { text, places, citations };
};

const noQuote = { quote: undefined };
const RESPONSES = "https://platform.openai.com/docs/api-reference/responses";
const CHAT = "https://platform.openai.com/docs/api-reference/chat";

export const LINKED = [
  {
    id: "openai-responses",
    isLinked: true,
    page: RESPONSES,
    isCitedOnly: true,
    source: noQuote,
    body: (answer) => {
      const { text, places } = linked(answer);
      return json(response([SEARCH, message(text, urlCitations(places))]));
    },
  },
  {
    id: "openai-responses-stream",
    format: "openai-responses",
    isLinked: true,
    page: RESPONSES,
    isCitedOnly: true,
    source: noQuote,
    body: responsesStream,
  },
  {
    id: "openai-files",
    format: "openai-responses",
    page: RESPONSES,
    isCitedOnly: true,
    isFile: true,
    body: (answer) =>
      json(
        response([
          {
            id: "fs_1",
            type: "file_search_call",
            status: "completed",
            queries: ["why"],
            results: cited(answer).map((key) => ({
              file_id: `file-${key}`,
              filename: fileName(key),
              score: 0.9,
              text: answer.sources[key].quote,
              attributes: {},
            })),
          },
          message(
            bare(answer),
            points(answer).map(({ key, at }) => ({
              type: "file_citation",
              file_id: `file-${key}`,
              filename: fileName(key),
              index: at,
            })),
          ),
        ]),
      ),
  },
  {
    id: "openai-chat",
    isLinked: true,
    page: CHAT,
    isCitedOnly: true,
    source: noQuote,
    body: (answer) => {
      const { text, places } = linked(answer);
      return json(chat({ content: text, annotations: nested(places) }));
    },
  },
  {
    id: "openai-chat-stream",
    format: "openai-chat",
    isLinked: true,
    page: CHAT,
    isCitedOnly: true,
    source: noQuote,
    body: (answer) => {
      const { text, places } = linked(answer);
      return events(
        [
          chatChunk({ role: "assistant", content: "" }),
          ...pieces(text).map((content) => chatChunk({ content })),
          chatChunk({ annotations: nested(places) }),
          chatChunk({}, "stop"),
        ],
        "[DONE]",
      );
    },
  },
  {
    id: "xai",
    page: "https://docs.x.ai/developers/tools/citations",
    isCitedOnly: true,
    source: { quote: undefined, title: undefined },
    body: (answer) => {
      const order = cited(answer);
      const { text, places } = linked(answer, (url, key) => `[[${order.indexOf(key) + 1}]](${url})`);
      const citations = places.map((place) => ({
        type: "url_citation",
        ...place,
        title: `${order.findIndex((key) => answer.sources[key].url === place.url) + 1}`,
      }));
      return json({
        ...response([SEARCH, message(text, citations)]),
        model: "grok-4-fast",
        citations: order.map((key) => answer.sources[key].url),
      });
    },
  },
  {
    id: "vercel-ai-sdk",
    isLinked: true,
    page: "https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol",
    isCitedOnly: true,
    source: noQuote,
    body: (answer) => {
      const { text, places, citations } = vercelCitations(answer);
      return json({
        id: "m1",
        role: "assistant",
        parts: [
          { type: "step-start" },
          {
            type: "text",
            text,
            state: "done",
            citations,
            providerMetadata: { openai: { itemId: "msg_1", annotations: urlCitations(places) } },
          },
        ],
      });
    },
  },
];
