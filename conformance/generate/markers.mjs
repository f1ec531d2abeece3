// The forms in which models write that a sentence cites a source, each in several places of a text.

import { json } from "./framing.mjs";

const PAGES = {
  numbers: "https://github.com/microsoft/BotFramework-WebChat/blob/main/docs/CITATION.md",
  footnotes: "https://github.github.com/gfm/",
  azure: "https://learn.microsoft.com/azure/foundry-classic/openai/references/on-your-data",
  openai: "https://platform.openai.com/docs/assistants/tools/file-search",
  copilot:
    "https://learn.microsoft.com/microsoft-365/copilot/extensibility/api/ai-services/chat/copilotconversation-chat",
  search: "https://learn.microsoft.com/azure/search/agentic-retrieval-how-to-retrieve",
  demo: "https://github.com/Azure-Samples/azure-search-openai-demo",
  ragflow: "https://ragflow.io/docs/http_api_reference",
  prompt: "https://docs.llamaindex.ai/en/stable/api_reference/query_engine/citation",
  zhipu: "https://docs.bigmodel.cn/cn/guide/tools/web-search",
  perplexity: "https://docs.perplexity.ai/docs/sonar/openai-compatibility",
};

export const SOURCES = {
  leave: { title: "Leave policy", url: "https://hr.contoso.example/leave", quote: "Notice is given in writing." },
  travel: { title: "Travel policy", url: "https://hr.contoso.example/travel", quote: "Travel is paid in advance." },
};
const FILES = { leave: "plan.pdf", travel: "travel.pdf" };
const place = { leave: 1, travel: 2 };

/** A form: how one source is marked, and how two are, where the form can. */
const form = (id, page, one, two, more = {}) => ({ id, page: PAGES[page], one, two, ...more });
const word = (id, page, before, after = "]", more) => form(id, page, (n) => `${before}${n}${after}`, undefined, more);

const FORMS = [
  form("number", "numbers", (n) => `[${n}]`, "[1][2]"),
  form("number-comma", "numbers", (n) => `[${n}]`, "[1, 2]"),
  form("number-semicolon", "numbers", (n) => `[${n}]`, "[1; 2]"),
  form("number-fullwidth-comma", "numbers", (n) => `[${n}]`, "[1，2]"),
  form("number-range", "numbers", (n) => `[${n}]`, "[1-2]"),
  form("number-blanks", "numbers", (n) => `[ ${n} ]`, "[1] [2]"),
  form("caret-number-caret", "copilot", (n) => `[^${n}^]`, "[^1^, ^2^]"),
  form("caret-number-caret-apart", "copilot", (n) => `[^${n}^]`, "[^1^][^2^]"),
  form("footnote", "footnotes", (n) => `[^${n}]`, "[^1][^2]"),
  form("fullwidth", "numbers", (n) => `［${n}］`, "［1］［2］"),
  form("dagger", "openai", (n) => `[${n}†source]`, "[1†source][2†source]"),
  form("arrow", "openai", (n) => `[${n}↑source]`),
  form("docN", "azure", (n) => `[doc${n}]`, "[doc1][doc2]"),
  form("docN-list", "azure", (n) => `[doc${n}]`, "[doc1, doc2]"),
  form("docs-blank", "azure", (n) => `[Docs ${n}]`),
  form("lenticular-file", "openai", (n) => `【4:${n - 1}†${n === 1 ? "plan.pdf" : "travel.pdf"}】`, undefined, {
    files: true,
  }),
  form("lenticular-number", "openai", (n) => `【${n}】`, "【1】【2】"),
  form("lenticular-source", "openai", (n) => `【${n}†source】`, "【1†source】【2†source】"),
  form("file-name", "demo", (n) => `[${n === 1 ? "plan.pdf" : "travel.pdf"}]`, "[plan.pdf][travel.pdf]", {
    files: true,
  }),
  word("source", "prompt", "[Source "),
  word("source-lower-case", "prompt", "[source "),
  word("source-capitals", "prompt", "[SOURCE "),
  word("source-colon", "prompt", "[Source: "),
  word("source-number-sign", "prompt", "[Source #"),
  word("source-parentheses", "prompt", "(source ", ")"),
  word("source-parentheses-capital", "prompt", "(Source ", ")"),
  word("src", "prompt", "[src_"),
  form("sources-list", "prompt", (n) => `[Source ${n}]`, "[Sources 1, 2]"),
  form("source-each", "prompt", (n) => `[Source ${n}]`, "[Source 1, Source 2]"),
  form("source-file", "demo", (n) => `[source:${n === 1 ? "plan.pdf" : "travel.pdf"}]`, undefined, { files: true }),
  word("quelle", "prompt", "[Quelle "),
  word("fuente", "prompt", "[Fuente "),
  word("fonte", "prompt", "[Fonte "),
  word("bron", "prompt", "[Bron "),
  word("kilde", "prompt", "[Kilde "),
  word("kaella", "prompt", "[Källa "),
  word("zrodlo", "prompt", "[Źródło "),
  word("kaynak", "prompt", "[Kaynak "),
  word("istochnik", "prompt", "[Источник "),
  word("laiyuan-fullwidth", "prompt", "（来源", "）"),
  word("laiyuan-lenticular", "prompt", "【来源", "】"),
  word("shutten", "prompt", "[出典"),
  word("chulcheo", "prompt", "[출처 "),
  form("citation-colon", "prompt", (n) => `[citation:${n}]`, "[citation:1][citation:2]"),
  form("citation-list", "prompt", (n) => `[citation:${n}]`, "[citation:1, 2]"),
  word("yinyong", "prompt", "[引用"),
  form("cite-colon", "prompt", (n) => `[cite:${n}]`, "[cite: 1, 2]"),
  word("web-colon", "perplexity", "[web:"),
  word("search-colon", "perplexity", "[search:"),
  word("attached-file", "perplexity", "[attached_file:"),
  form("ref-id", "search", (n) => `[ref_id:${n - 1}]`, "[ref_id:0][ref_id:1]", { isCounted: true }),
  form("ref-id-blank", "search", (n) => `[ref_id: ${n - 1}]`, undefined, { isCounted: true }),
  form("ref-underscore", "zhipu", (n) => `[ref_${n}]`, "[REF_1, REF_2]"),
  word("ref-dot", "zhipu", "[Ref. "),
  word("reference", "zhipu", "[Reference "),
  word("document", "prompt", "[Document "),
  word("wendang", "prompt", "[文档"),
  word("context", "prompt", "[Context "),
  word("chunk", "prompt", "[chunk_"),
  form("id-colon", "ragflow", (n) => `[ID:${n - 1}]`, "[ID:0][ID:1]", { isCounted: true }),
  form("id-list", "ragflow", (n) => `[ID:${n - 1}]`, "[ID: 0, 1]", { isCounted: true }),
  form("s-number", "prompt", (n) => `[S${n}]`, "[S1, S2]"),
  form("caret", "prompt", (n) => `^${n}^`, "^1,2^", { isRaised: true }),
  form("superscript", "prompt", (n) => "¹²"[n - 1], undefined, { isRaised: true }),
  form("sup-element", "prompt", (n) => `<sup>${n}</sup>`, undefined, { isRaised: true }),
  form("hashes", "ragflow", (n) => `##${n - 1}$$`, "##0$$ ##1$$"),
  form("turn", "openai", (n) => `turn0file${n - 1}`, undefined, { ids: true }),
];

/** The places of a text in which a marker stands; `$1` and `$2` are markers, `$B` one of both sources. */
const PLACES = [
  [
    "sentence",
    "before the full stop",
    "Notice is given in writing $1. Travel is paid in advance $2.",
    "Notice is given in writing⟦leave⟧. Travel is paid in advance⟦travel⟧.",
  ],
  [
    "item",
    "at the end of items of a list",
    "Rules:\n\n- Notice is given in writing $1\n- Travel is paid in advance $2\n",
    "Rules:\n\n- Notice is given in writing⟦leave⟧\n- Travel is paid in advance⟦travel⟧\n",
  ],
  [
    "again",
    "in another order, and again",
    "Travel is paid in advance $2, notice is given in writing $1, and fares are paid $2.",
    "Travel is paid in advance⟦travel⟧, notice is given in writing⟦leave⟧, and fares are paid⟦travel⟧.",
  ],
  [
    "both",
    "for two sources at once",
    "Notice is given in writing $1. Both are binding $B. Travel is paid in advance $2.",
    "Notice is given in writing⟦leave⟧. Both are binding⟦leave⟧⟦travel⟧. Travel is paid in advance⟦travel⟧.",
  ],
];

function vector({ id, page, one, two, files, ids, isRaised }, [name, where, text, reads]) {
  const behind = isRaised ? / (?=\$)/g : /(?!)/g;
  const answer = text
    .replace(behind, "")
    .replaceAll("$1", () => one(1))
    .replaceAll("$2", () => one(2))
    .replaceAll("$B", () => two);
  return {
    id: `markers/${id}-${name}`,
    format: "answer",
    page,
    shows: `The marker \`${name === "both" ? two : one(1)}\` ${where} names its source.`,
    input: json({
      text: answer,
      sources: Object.entries(SOURCES).map(([key, { title, url, quote }]) => ({
        ...(ids ? { id: `turn0file${place[key] - 1}` } : {}),
        title,
        url,
        content: quote,
        ...(files ? { filepath: FILES[key] } : {}),
      })),
    }),
    sources: SOURCES,
    expect: { reads },
  };
}

/** Each form in each place that it can have. */
export const markers = () =>
  FORMS.flatMap((form) => PLACES.filter(([name]) => name !== "both" || form.two).map((place) => vector(form, place)));

/** What looks like a marker and names no source: the text, and how it reads. */
const UNRESOLVED = [
  [
    "number",
    "A number that people write, too, stays.",
    "It was 25 days [9] before [1].",
    "It was 25 days [9] before⟦leave⟧.",
  ],
  [
    "docN",
    "What only machines write vanishes.",
    "It was 25 days [doc9] before [1].",
    "It was 25 days before⟦leave⟧.",
    ["doc9"],
  ],
  [
    "lenticular",
    "A marker of a file search without its file vanishes.",
    "It was 25 days【9†old】 before [1].",
    "It was 25 days before⟦leave⟧.",
    ["【9"],
  ],
  [
    "one-of-two",
    "Of a list, the number that names a source stays a citation.",
    "It is binding [1, 9].",
    "It is binding⟦leave⟧.",
  ],
  [
    "year",
    "A list with a year is no marker.",
    "It is binding [1, 2019], see [2].",
    "It is binding [1, 2019], see⟦travel⟧.",
  ],
  [
    "source-word",
    "A word and a number without its source stay.",
    "It is binding [Source 9], see [2].",
    "It is binding [Source 9], see⟦travel⟧.",
  ],
  ["exponent", "An exponent is no marker.", "The area is 10^2^ m² [1].", "The area is 10^2^ m²⟦leave⟧."],
  [
    "task",
    "The box of a task is no marker.",
    "- [x] done [1]\n- [ ] open [2]",
    "- [x] done⟦leave⟧\n- [ ] open⟦travel⟧",
  ],
  ["escaped", "Escaped brackets are text.", "Write \\[1\\] for a note [1].", "Write \\[1\\] for a note⟦leave⟧."],
  ["assignment", "A value of a program is no marker.", "Set x = [1, 9] first [1].", "Set x = [1, 9] first⟦leave⟧."],
  ["word-in-brackets", "A word in brackets is text.", "See [note] and [1].", "See [note] and⟦leave⟧."],
  ["zero", "A zero is no place of a list that begins with 1.", "It is [0] or more [1].", "It is [0] or more⟦leave⟧."],
  [
    "code-span",
    "Brackets in code are code.",
    "Read `rows[1]` first [1].",
    "Read `rows[1]` first⟦leave⟧.",
    [],
    ["`rows[1]`"],
  ],
  [
    "code-block",
    "Brackets in a code block are code.",
    "Run this [1]:\n\n```js\nconst a = b[1] + c[2];\n```\n\nThen stop [2].",
    "Run this⟦leave⟧:\n\n```js\nconst a = b[1] + c[2];\n```\n\nThen stop⟦travel⟧.",
    [],
    ["const a = b[1] + c[2];"],
  ],
  [
    "tilde-block",
    "Brackets in a block of tildes are code.",
    "Run this [1]:\n\n~~~\na[1]\n~~~\n\nThen stop [2].",
    "Run this⟦leave⟧:\n\n~~~\na[1]\n~~~\n\nThen stop⟦travel⟧.",
    [],
    ["a[1]"],
  ],
  [
    "math",
    "Brackets in math are math.",
    "It is $a_{[1]}$ in all [2].",
    "It is $a_{[1]}$ in all⟦travel⟧.",
    [],
    ["$a_{[1]}$"],
  ],
  [
    "address",
    "Brackets in the address of a link belong to it.",
    "Read [the page](https://ok.example/a?b=[1]) first [2].",
    [
      "Read [the page](https://ok.example/a?b=[1]) first⟦travel⟧.",
      "Read [the page](https://ok.example/a?b=%5B1%5D) first⟦travel⟧.",
    ],
  ],
];

/** What people read of some rows where their Markdown is drawn as plain text. */
const AS_PLAIN = {
  "code-span": { reads: "Read rows[1] first⟦leave⟧.", kept: ["rows[1]"] },
  "code-block": { reads: "Run this⟦leave⟧:\n\nconst a = b[1] + c[2];\n\nThen stop⟦travel⟧." },
};

export const unresolved = () =>
  UNRESOLVED.map(([name, shows, text, reads, absent = [], kept = []]) => ({
    id: `no-markers/${name}`,
    format: "answer",
    page: "https://spec.commonmark.org/0.31.2/",
    shows,
    input: json({
      text,
      sources: Object.values(SOURCES).map(({ title, url, quote }) => ({ title, url, content: quote })),
    }),
    sources: SOURCES,
    expect: { reads, absent, kept },
    // Programs may want to see what names no source.
    ...(name === "docN" ? { channels: { "web-chat": {}, teams: {}, plain: {} } } : {}),
    ...(name in AS_PLAIN
      ? {
          channels: {
            neutral: {},
            "web-chat": {},
            teams: {},
            plain: { ...AS_PLAIN[name], reads: [reads, AS_PLAIN[name].reads] },
          },
        }
      : {}),
  }));
