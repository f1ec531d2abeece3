// Bodies of providers that cite for a block of text, or between two.

import { all, keys, pieces } from "./contents.mjs";
import { events, json } from "./framing.mjs";

const host = (url) => new URL(url).host;

/** Claude's blocks: what lies between cited ones has none. */
const blocks = (answer) =>
  answer.sentences.flatMap(([words, end, found], at) => {
    const citations = found.map((key) => {
      const { title, url, quote } = answer.sources[key];
      return { type: "web_search_result_location", cited_text: quote, url, title, encrypted_index: "Eo8B" };
    });
    const rest = end + (at < answer.sentences.length - 1 ? answer.between : "");
    return [
      found.length > 0 ? { type: "text", text: words, citations } : { type: "text", text: words },
      { type: "text", text: rest },
    ];
  });
const results = (answer) => ({
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: keys(answer).map((key) => {
    const { title, url } = all(answer)[key];
    return { type: "web_search_result", title, url, encrypted_content: "Eqc", page_age: null };
  }),
});
const USE = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "why" } };

function claudeStream(answer) {
  const list = [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    },
  ];
  [USE, results(answer), ...blocks(answer)].forEach((block, index) => {
    const isText = block.type === "text";
    list.push({
      type: "content_block_start",
      index,
      content_block: isText ? { type: "text", text: "", ...(block.citations ? { citations: [] } : {}) } : block,
    });
    for (const citation of block.citations ?? [])
      list.push({ type: "content_block_delta", index, delta: { type: "citations_delta", citation } });
    for (const text of isText ? pieces(block.text) : [])
      list.push({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
    list.push({ type: "content_block_stop", index });
  });
  list.push(
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 30 } },
    { type: "message_stop" },
  );
  return events(list.map((event) => [event.type, event]));
}

/** Pieces of a conversation of Mistral: a text, and behind it what it cites. */
const mistral = (answer) =>
  answer.sentences.flatMap(([words, end, found], at) => [
    { type: "text", text: words },
    ...found.map((key) => ({
      type: "tool_reference",
      tool: "web_search",
      title: answer.sources[key].title,
      url: answer.sources[key].url,
      description: null,
    })),
    { type: "text", text: end + (at < answer.sentences.length - 1 ? answer.between : "") },
  ]);

const noQuote = { quote: undefined };
const CLAUDE = "https://platform.claude.com/docs/en/build-with-claude/citations";
const MISTRAL = "https://docs.mistral.ai/capabilities/citations";

export const BLOCKS = [
  {
    id: "anthropic",
    page: CLAUDE,
    body: (answer) =>
      json({
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [USE, results(answer), ...blocks(answer)],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 9, output_tokens: 30 },
      }),
    spare: noQuote,
  },
  { id: "anthropic-stream", format: "anthropic", page: CLAUDE, body: claudeStream, spare: noQuote },
  {
    id: "bedrock-converse",
    page: "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html",
    isCitedOnly: true,
    body: (answer) =>
      json({
        output: {
          message: {
            role: "assistant",
            content: answer.sentences.flatMap(([words, end, found], at) => {
              const citations = found.map((key) => ({
                title: answer.sources[key].title,
                source: answer.sources[key].url,
                sourceContent: [{ text: answer.sources[key].quote }],
                location: { web: { url: answer.sources[key].url, domain: host(answer.sources[key].url) } },
              }));
              const rest = end + (at < answer.sentences.length - 1 ? answer.between : "");
              return [
                found.length > 0 ? { citationsContent: { content: [{ text: words }], citations } } : { text: words },
                { text: rest },
              ];
            }),
          },
        },
        stopReason: "end_turn",
        usage: { inputTokens: 410, outputTokens: 24, totalTokens: 434 },
        metrics: { latencyMs: 812 },
      }),
  },
  {
    id: "mistral",
    page: MISTRAL,
    isCitedOnly: true,
    source: noQuote,
    body: (answer) =>
      json({
        conversation_id: "conv_1",
        object: "conversation.response",
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        outputs: [
          {
            type: "message.output",
            object: "entry",
            role: "assistant",
            id: "mo1",
            model: "mistral-medium",
            content: mistral(answer),
          },
        ],
      }),
  },
  {
    id: "mistral-stream",
    format: "mistral",
    page: MISTRAL,
    isCitedOnly: true,
    source: noQuote,
    body: (answer) =>
      events([
        ["conversation.response.started", { type: "conversation.response.started", conversation_id: "conv_1" }],
        ...mistral(answer).map((piece, content_index) => [
          "message.output.delta",
          {
            type: "message.output.delta",
            id: "mo1",
            output_index: 0,
            content_index,
            role: "assistant",
            content: piece.type === "text" ? piece.text : piece,
          },
        ]),
        [
          "conversation.response.done",
          { type: "conversation.response.done", usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
        ],
      ]),
  },
];
