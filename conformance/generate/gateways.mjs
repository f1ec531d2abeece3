// Bodies of gateways, demos and bots whose text has markers of their own.

import { all, keys, written } from "./contents.mjs";
import { json } from "./framing.mjs";
import { bracketed, completion, list, marked } from "./providers-marked.mjs";

const noQuote = { quote: undefined };
const MESSAGE = { type: "https://schema.org/Message", "@context": "https://schema.org", "@type": "Message", "@id": "" };

/** The text of Responses with markers between U+E200 and U+E201, which the annotations cover. */
function privateUse(answer) {
  const annotations = [];
  let text = "";
  answer.sentences.forEach(([words, end, cited], at) => {
    text += (at > 0 ? answer.between : "") + words;
    for (const key of cited) {
      const { title, url } = all(answer)[key];
      const start = [...text].length;
      text += `\ue200cite\ue202turn0search${keys(answer).indexOf(key)}\ue201`;
      annotations.push({ type: "url_citation", start_index: start, end_index: [...text].length, url, title });
    }
    text += end;
  });
  return { text, annotations };
}

/** The claims of an activity, each at its position. */
const claims = (answer, position) =>
  list(answer, ({ title, url, quote }, place) => ({
    "@type": "Claim",
    position: position(place + 1),
    appearance: { "@type": "DigitalDocument", name: title, url, abstract: quote },
  }));

const fileOf = (key) => `${key}.pdf`;

export const GATEWAYS = [
  {
    id: "openai-private-use",
    format: "openai-responses",
    page: "https://platform.openai.com/docs/api-reference/responses",
    isCitedOnly: true,
    source: noQuote,
    body: (answer) => {
      const { text, annotations } = privateUse(answer);
      const content = [{ type: "output_text", text, annotations, logprobs: [] }];
      const message = { id: "msg_1", type: "message", status: "completed", role: "assistant", content };
      const search = {
        id: "ws_1",
        type: "web_search_call",
        status: "completed",
        action: { type: "search", query: "why" },
      };
      return json({
        id: "resp_1",
        object: "response",
        status: "completed",
        model: "gpt-5-mini",
        output: [search, message],
      });
    },
  },
  {
    id: "ragflow",
    page: "https://ragflow.io/docs/http_api_reference",
    source: { url: null },
    body: (answer) => {
      const reference = list(answer, ({ title, quote }, place) => ({
        id: `c${place}`,
        content: quote,
        document_id: `d${place}`,
        document_name: title,
        dataset_id: "k",
        image_id: "",
        positions: [],
        url: null,
        similarity: 0.8,
      }));
      return json(completion({ content: marked(answer, (place) => `[ID:${place}]`), reference }));
    },
  },
  {
    id: "zhipu",
    page: "https://docs.bigmodel.cn/cn/guide/tools/web-search",
    body: (answer) => {
      const found = list(answer, ({ title, url, quote }, place) => ({
        refer: `ref_${place + 1}`,
        title,
        link: url,
        media: "",
        icon: "",
        content: quote,
      }));
      return json(completion({ content: marked(answer, (place) => `[ref_${place + 1}]`) }, { web_search: found }));
    },
  },
  {
    id: "azsearch-demo",
    page: "https://github.com/Azure-Samples/azure-search-openai-demo",
    isFile: true,
    isCitedOnly: true,
    source: noQuote,
    body: (answer) => {
      const cited = keys(answer).filter((key) => key !== "spare");
      const content = written(
        answer,
        (some) => (some.length ? " " : "") + some.map((key) => `[${fileOf(key)}]`).join(""),
      );
      const texts = cited.map((key) => `${fileOf(key)}: ${answer.sources[key].quote}`);
      const data_points = { text: texts, images: [], citations: cited.map(fileOf) };
      const context = { data_points, thoughts: [], followup_questions: null };
      return json({ message: { role: "assistant", content }, context, session_state: null });
    },
  },
  {
    id: "activity-web-chat",
    format: "activity",
    page: "https://github.com/microsoft/BotFramework-WebChat/blob/main/docs/CITATION.md",
    source: noQuote,
    body: (answer) => {
      const definitions = list(answer, ({ title, url }, place) => `[${place + 1}]: ${url} "${title}"`).join("\n");
      const citation = claims(answer, String);
      const text = `${bracketed(answer)}\n\n${definitions}`;
      const from = { id: "bot", role: "bot" };
      return json({
        type: "message",
        id: "a1",
        from,
        textFormat: "markdown",
        text,
        entities: [{ ...MESSAGE, citation }],
      });
    },
  },
  {
    id: "activity-teams",
    format: "activity",
    page: "https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content",
    source: noQuote,
    body: (answer) => {
      const citation = claims(answer, Number);
      const from = { id: "28:bot" };
      return json({
        type: "message",
        textFormat: "markdown",
        from,
        text: bracketed(answer),
        entities: [{ ...MESSAGE, citation }],
      });
    },
  },
];
