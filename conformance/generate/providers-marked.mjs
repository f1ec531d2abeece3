// Bodies of providers that write markers into the text.

import { all, keys, pieces, written } from "./contents.mjs";
import { events, json } from "./framing.mjs";

/** The text with a marker for each cited source, by its place from 0. */
export const marked = (answer, mark) => {
  const order = keys(answer);
  return written(answer, (cited) => (cited.length ? " " : "") + cited.map((key) => mark(order.indexOf(key))).join(""));
};
export const bracketed = (answer) => marked(answer, (place) => `[${place + 1}]`);
export const list = (answer, of) => keys(answer).map((key, place) => of(all(answer)[key], place, key));

export const completion = (message, more) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1767000000,
  model: "gpt-4o",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
  ...more,
});
const chunk = (delta, more, finish = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1767000000,
  model: "gpt-4o",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

const citationsOfAzure = (answer) =>
  list(answer, ({ title, url, quote }, place) => ({
    content: quote,
    title,
    url,
    filepath: null,
    chunk_id: `${place}`,
  }));

const pages = (answer) => ({
  citations: list(answer, ({ url }) => url),
  search_results: list(answer, ({ title, url, quote }) => ({ title, url, date: null, snippet: quote, source: "web" })),
});

const resources = (answer) =>
  list(answer, ({ title, url, quote }, place) => ({
    position: place + 1,
    dataset_id: "d1",
    dataset_name: "Depot",
    document_id: `doc-${place}`,
    document_name: title,
    segment_id: `seg-${place}`,
    score: 0.9 - place / 10,
    content: quote,
    doc_metadata: { url },
  }));

const dify = (answer, more) => ({
  message_id: "m1",
  conversation_id: "c1",
  task_id: "t1",
  created_at: 1767000500,
  ...more,
});

const lenticular = (answer, whole) => {
  const annotations = [];
  const order = keys(answer);
  let text = "";
  answer.sentences.forEach(([words, end, cited], at) => {
    text += (at > 0 ? answer.between : "") + words;
    for (const key of cited) {
      const { title, url } = all(answer)[key];
      const marker = `【4:${order.indexOf(key)}†source】`;
      const [start, stop] = [[...text].length, [...(text + marker)].length];
      const place = { text: marker, start_index: start, end_index: stop };
      annotations.push(whole({ title, url, key, ...place }));
      text += marker;
    }
    text += end;
  });
  return { text, annotations };
};

const thread = ({ text, annotations }) => ({
  id: "msg_1",
  object: "thread.message",
  created_at: 1767000301,
  thread_id: "thread_1",
  run_id: "run_1",
  assistant_id: "asst_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "text", text: { value: text, annotations } }],
  attachments: [],
  metadata: {},
});
const ofAzure = ({ title, url, text, start_index, end_index }) => ({
  type: "url_citation",
  text,
  start_index,
  end_index,
  url_citation: { url, title },
});
const ofFile = ({ key, text, start_index, end_index }) => ({
  type: "file_citation",
  text,
  start_index,
  end_index,
  file_citation: { file_id: `file-${key}` },
});

const noQuote = { quote: undefined };
const AZURE = "https://learn.microsoft.com/azure/foundry-classic/openai/references/on-your-data";
const PERPLEXITY = "https://docs.perplexity.ai/docs/sonar/openai-compatibility";
const DIFY = "https://docs.dify.ai/api-reference/chat/send-chat-message";

/** Each form: the format, the vendor's page, the body, what becomes of a source, and whether found ones are in it. */
export const MARKED = [
  {
    id: "azure-oyd",
    page: AZURE,
    body: (answer) =>
      json(
        completion({
          content: marked(answer, (place) => `[doc${place + 1}]`),
          context: { citations: citationsOfAzure(answer), intent: "[]" },
        }),
      ),
  },
  {
    id: "azure-oyd-stream",
    format: "azure-oyd",
    page: AZURE,
    body: (answer) =>
      events(
        [
          chunk({ role: "assistant", context: { citations: citationsOfAzure(answer), intent: "[]" } }),
          ...pieces(marked(answer, (place) => `[doc${place + 1}]`)).map((content) => chunk({ content })),
          chunk({}, {}, "stop"),
        ],
        "[DONE]",
      ),
  },
  {
    id: "perplexity",
    page: PERPLEXITY,
    body: (answer) => json({ ...completion({ content: bracketed(answer) }, pages(answer)), model: "sonar" }),
  },
  {
    id: "perplexity-stream",
    format: "perplexity",
    page: PERPLEXITY,
    body: (answer) =>
      events([
        ...pieces(bracketed(answer)).map((content) => ({
          ...chunk({ role: "assistant", content }, pages(answer)),
          model: "sonar",
        })),
        { ...chunk({ content: "" }, pages(answer), "stop"), model: "sonar" },
      ]),
  },
  {
    id: "dify",
    page: DIFY,
    body: (answer) =>
      json(
        dify(answer, {
          event: "message",
          id: "m1",
          mode: "chat",
          answer: bracketed(answer),
          metadata: { retriever_resources: resources(answer), usage: {} },
        }),
      ),
  },
  {
    id: "dify-stream",
    format: "dify",
    page: DIFY,
    body: (answer) =>
      events([
        ...pieces(bracketed(answer)).map((piece) => dify(answer, { event: "message", id: "m1", answer: piece })),
        dify(answer, {
          event: "message_end",
          id: "m1",
          metadata: { retriever_resources: resources(answer), usage: {} },
        }),
      ]),
  },
  {
    id: "azure-agents",
    page: "https://learn.microsoft.com/rest/api/aifoundry/aiagents",
    isCitedOnly: true,
    source: noQuote,
    body: (answer) => json(thread(lenticular(answer, ofAzure))),
  },
  {
    id: "openai-assistants",
    page: "https://platform.openai.com/docs/api-reference/messages",
    isCitedOnly: true,
    source: { quote: undefined, title: undefined, url: null },
    hasOneName: true,
    body: (answer) => json(thread(lenticular(answer, ofFile))),
  },
  {
    id: "azure-knowledge-base",
    page: "https://learn.microsoft.com/azure/search/agentic-retrieval-how-to-retrieve",
    body: (answer) =>
      json({
        response: [
          { role: "assistant", content: [{ type: "text", text: marked(answer, (place) => `[ref_id:${place}]`) }] },
        ],
        activity: [{ type: "searchIndex", id: 1, knowledgeSourceName: "handbook", count: 3, elapsedMs: 41 }],
        references: list(answer, ({ title, url, quote }, place) => ({
          type: "web",
          id: `${place}`,
          activitySource: 1,
          url,
          title,
          sourceData: { content: quote },
        })),
      }),
    source: noQuote,
  },
  {
    id: "m365-copilot-chat",
    page: "https://learn.microsoft.com/microsoft-365/copilot/extensibility/api/ai-services/chat/copilotconversation-chat",
    source: noQuote,
    body: (answer) =>
      json({
        "@odata.context": "https://graph.microsoft.com/beta/$metadata#microsoft.graph.copilotConversation",
        id: "c",
        state: "active",
        turnCount: 1,
        messages: [
          {
            "@odata.type": "#microsoft.graph.copilotConversationResponseMessage",
            id: "a",
            createdDateTime: "2026-03-01T08:00:00Z",
            adaptiveCards: [],
            text: marked(answer, (place) => `[^${place + 1}^]`),
            attributions: list(answer, ({ title, url }) => ({
              attributionType: "citation",
              providerDisplayName: title,
              attributionSource: "grounding",
              seeMoreWebUrl: url,
              imageWebUrl: "",
            })),
          },
        ],
      }),
  },
  {
    id: "perplexity-agent",
    page: "https://docs.perplexity.ai/docs/agent-api/quickstart",
    body: (answer) =>
      json({
        id: "resp_1",
        object: "response",
        created_at: 1767000600,
        status: "completed",
        model: "x/y",
        output: [
          {
            type: "search_results",
            queries: ["why"],
            results: list(answer, ({ title, url, quote }, place) => ({
              id: place + 3,
              title,
              url,
              snippet: quote,
              source: "web",
            })),
          },
          {
            type: "message",
            id: "m1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: marked(answer, (place) => `[${place + 3}]`), annotations: [] }],
          },
        ],
      }),
  },
];
