// Sources as they come: passages, labels, many of them, the same twice.

import { json } from "./framing.mjs";
import { PLAIN, READS, TEXT, addressed, named } from "./names.mjs";

const TEAMS = "https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content";
const WEB_CHAT = "https://github.com/microsoft/BotFramework-WebChat/blob/main/docs/CITATION.md";

/** Passages of sources without an address: name, what it shows, the passage, what of it must be seen. */
const PASSAGES = [
  ["plain", "A passage stands in for an address.", "Leave is asked for in writing."],
  ["markdown", "A passage keeps its words.", "Leave is asked for **in writing**."],
  ["html", "HTML in a passage does no harm.", "Leave <img src=x onerror=y> is asked for.", "Leave"],
  ["script", "A script in a passage does no harm.", "Leave <script>x</script> is asked for.", "Leave"],
  [
    "long",
    "A long passage is cut for Teams.",
    "Leave is asked for in writing four weeks ahead. ".repeat(30).trim(),
    "Leave is asked for in writing four weeks ahead.",
  ],
  [
    "long-emoji",
    "A long passage is not cut inside a sign.",
    "Leave 🏖️ is asked for. ".repeat(60).trim(),
    "Leave 🏖️ is asked for.",
  ],
  ["chinese", "A passage in Chinese stays.", "请假须提前四周书面申请。"],
  ["definition", "A definition in a passage is no source.", "Leave.\n\n[1]: https://evil.example", "Leave."],
  ["code", "Code in a passage stays.", "Leave:\n\n```\na[1]\n```", "Leave"],
  ["quotes", "Quotation marks in a passage stay.", 'He said "leave" \\ and left.'],
];

const quoted = () =>
  PASSAGES.map(([name, shows, content, quote = content]) => ({
    id: `passages/${name}`,
    format: "answer",
    page: WEB_CHAT,
    shows,
    input: json({ text: TEXT, sources: [{ title: "Handbook", content }] }),
    sources: { leave: { title: "Handbook", url: null, quote } },
    expect: { reads: READS },
  }));

/** Labels: name, what it shows, the labels of the sources, the label of the message. */
const SECRET = { id: "secret", name: "Secret", description: "Board only", priority: 5, color: "red" };
const INTERNAL = { id: "internal", name: "Internal", priority: 2, color: "#0078d4" };
const LABELS = [
  ["one", "The label of the cited source is the message's.", [INTERNAL], "[1]", "Internal"],
  ["highest", "Of two labels the message has the more sensitive one.", [INTERNAL, SECRET], "[1][2]", "Secret"],
  ["highest-first", "The order of labels does not matter.", [SECRET, INTERNAL], "[1][2]", "Secret"],
  ["equal", "Two sources with one label have one label.", [INTERNAL, INTERNAL], "[1][2]", "Internal"],
  ["uncited", "The label of a source that is not cited is not the message's.", [INTERNAL, SECRET], "[1]", "Internal"],
  ["none", "Without labels the message has none.", [null, null], "[1][2]", null],
  ["half", "A source without a label takes none from its neighbor.", [INTERNAL, null], "[1][2]", "Internal"],
  ["encrypted", "An encrypted source has its label.", [{ ...SECRET, encrypted: true }], "[1]", "Secret"],
  ["no-color", "A label needs no color.", [{ id: "x", name: "Confidential" }], "[1]", "Confidential"],
  [
    "wild-color",
    "A color that is none fetches nothing.",
    [{ id: "x", name: "Confidential", color: "url(https://evil.example)" }],
    "[1]",
    "Confidential",
    ["evil.example"],
  ],
];
const KEYS = ["one", "two"];

const labelled = () =>
  LABELS.map(([name, shows, labels, cited, label, absent = []]) => {
    const sources = labels.map((label, at) => ({
      title: `Report ${at + 1}`,
      url: `https://reports.example/${at + 1}`,
      ...(label ? { label } : {}),
    }));
    const reads = `Pay rises${KEYS.filter((_, at) => cited.includes(`[${at + 1}]`))
      .map((key) => `⟦${key}⟧`)
      .join("")}.`;
    const expect = { label: label === null ? null : { name: label }, absent };
    return {
      id: `labels/${name}`,
      format: "answer",
      page: TEAMS,
      shows,
      input: json({ text: `Pay rises ${cited}.`, sources }),
      sources: Object.fromEntries(sources.map(({ title, url }, at) => [KEYS[at], { title, url }])),
      expect: { reads },
      channels: { neutral: {}, "web-chat": expect, teams: expect, "m365-copilot": {} },
    };
  });

/** Answers with many sources. */
function many(count) {
  const sources = Array.from({ length: count }, (_, at) => ({
    title: `Report ${at + 1}`,
    url: `https://reports.example/${at + 1}`,
    content: `Passage ${at + 1}.`,
  }));
  const text = (mark) =>
    sources.map((_, at) => `Fact ${"abcdefghijklmnopqrstuvwxyzäöüßçñ"[at % 32]}${mark(at)}.`).join(" ");
  const key = (at) => `⟦s${at + 1}⟧`;
  const inTeams = { reads: text((at) => (at < 20 ? key(at) : "")) };
  return {
    id: `many/${count}-sources`,
    format: "answer",
    page: TEAMS,
    shows: `An answer cites ${count} sources; Teams shows at most 20.`,
    input: json({ text: text((at) => ` [${at + 1}]`), sources }),
    sources: Object.fromEntries(
      sources.map(({ title, url, content }, at) => [`s${at + 1}`, { title, url, quote: content }]),
    ),
    expect: { reads: text(key) },
    channels: { neutral: {}, "web-chat": {}, teams: inTeams, "m365-copilot": inTeams, plain: {} },
  };
}

const LEAVE = { title: "Leave policy", url: PLAIN.url };
const TRAVEL = { title: "Travel policy", url: "https://hr.contoso.example/travel" };

/** Several sources: name, what it shows, the text, the sources, how it reads, the sources as they are shown. */
const SEVERAL = [
  [
    "uncited",
    "A source that is not cited is named, and not shown.",
    "Leave is 30 days [1].",
    [PLAIN, TRAVEL],
    "Leave is 30 days⟦a⟧.",
    { a: LEAVE, b: TRAVEL },
  ],
  [
    "nothing-cited",
    "Where nothing is cited, no source is shown as if it were.",
    "Leave is 30 days.",
    [PLAIN],
    "Leave is 30 days.",
    { a: LEAVE },
  ],
  ["no-sources", "An answer without sources is an answer.", "Leave is 30 days.", [], "Leave is 30 days.", {}],
  [
    "no-sources-number",
    "A number without any source stays text.",
    "Leave is 30 days [1].",
    [],
    "Leave is 30 days [1].",
    {},
  ],
  [
    "second-alone",
    "The second source alone is cited.",
    "Travel is paid [2].",
    [PLAIN, TRAVEL],
    "Travel is paid⟦b⟧.",
    { a: LEAVE, b: TRAVEL },
  ],
  [
    "two-passages",
    "Two passages of one document are one source.",
    "Leave is 30 days [1]. Ask early [2].",
    [PLAIN, { ...PLAIN, content: "Ask four weeks ahead." }],
    "Leave is 30 days⟦a⟧. Ask early⟦a⟧.",
    { a: LEAVE },
  ],
  [
    "tracking-parameters",
    "An address with parameters of trackers is the same document.",
    "Leave is 30 days [1]. Ask early [2].",
    [PLAIN, { ...PLAIN, url: `${PLAIN.url}?utm_source=mail` }],
    "Leave is 30 days⟦a⟧. Ask early⟦a⟧.",
    { a: { title: "Leave policy", url: [PLAIN.url, `${PLAIN.url}?utm_source=mail`] } },
  ],
  [
    "anchors",
    "Two places of one page are two sources.",
    "Leave is 30 days [1]. Ask early [2].",
    [
      { ...PLAIN, url: `${PLAIN.url}#days` },
      { ...PLAIN, url: `${PLAIN.url}#ask` },
    ],
    "Leave is 30 days⟦a⟧. Ask early⟦b⟧.",
    { a: { title: "Leave policy", url: `${PLAIN.url}#days` }, b: { title: "Leave policy", url: `${PLAIN.url}#ask` } },
  ],
  [
    "one-address-two-titles",
    "Two documents at one address are two sources.",
    "Leave is 30 days [1]. Travel is paid [2].",
    [
      { id: "x", ...PLAIN },
      { id: "y", title: "Travel policy", url: PLAIN.url, content: "Travel is paid." },
    ],
    "Leave is 30 days⟦a⟧. Travel is paid⟦b⟧.",
    { a: LEAVE, b: { title: "Travel policy", url: PLAIN.url } },
  ],
  [
    "one-title-two-addresses",
    "Two documents with one title are two sources.",
    "Leave is 30 days [1]. Travel is paid [2].",
    [PLAIN, { ...PLAIN, url: TRAVEL.url }],
    "Leave is 30 days⟦a⟧. Travel is paid⟦b⟧.",
    { a: LEAVE, b: { title: "Leave policy", url: TRAVEL.url } },
  ],
  [
    "numeric-ids",
    "A number that is no place is an id.",
    "Leave is 30 days [12] and [37].",
    [
      { ...PLAIN, id: 12 },
      { id: 37, ...TRAVEL },
    ],
    "Leave is 30 days⟦a⟧ and⟦b⟧.",
    { a: LEAVE, b: TRAVEL },
  ],
  [
    "link-to-source",
    "A link to a source is a citation of it.",
    "Leave is 30 days, says the [Leave policy](https://hr.contoso.example/leave).",
    [PLAIN],
    [
      "Leave is 30 days, says the Leave policy⟦a⟧.",
      "Leave is 30 days, says the [Leave policy](https://hr.contoso.example/leave).",
    ],
    { a: LEAVE },
  ],
  [
    "page",
    "A page of a document stays with its source.",
    "Leave is 30 days [1].",
    [{ ...PLAIN, url: "https://hr.contoso.example/leave.pdf", page: 3 }],
    "Leave is 30 days⟦a⟧.",
    {
      a: {
        title: "Leave policy",
        url: ["https://hr.contoso.example/leave.pdf", "https://hr.contoso.example/leave.pdf#page=3"],
      },
    },
  ],
  [
    "address-and-passage",
    "A source with an address and one without stand side by side.",
    "Leave is 30 days [1][2].",
    [PLAIN, { title: "Handbook", content: "In writing." }],
    "Leave is 30 days⟦a⟧⟦b⟧.",
    { a: LEAVE, b: { title: "Handbook", url: null, quote: "In writing." } },
  ],
  [
    "neither",
    "A source with a title alone is a source.",
    "Leave is 30 days [1].",
    [{ title: "Handbook" }],
    "Leave is 30 days⟦a⟧.",
    { a: { title: "Handbook", url: null } },
  ],
  [
    "keywords",
    "Keywords stay within the limits of Teams.",
    "Leave is 30 days [1].",
    [{ ...PLAIN, keywords: ["HR", "leave", "holidays", "a keyword that is longer than Teams shows it"] }],
    "Leave is 30 days⟦a⟧.",
    { a: LEAVE },
  ],
  [
    "icon",
    "A file has an icon of the list of Teams.",
    "Leave is 30 days [1].",
    [{ ...PLAIN, media_type: "application/pdf", filepath: "leave.pdf" }],
    "Leave is 30 days⟦a⟧.",
    { a: LEAVE },
  ],
  [
    "unknown-icon",
    "An icon that Teams does not know is left out.",
    "Leave is 30 days [1].",
    [{ ...PLAIN, icon: "Papyrus" }],
    "Leave is 30 days⟦a⟧.",
    { a: LEAVE },
  ],
];

const several = () =>
  SEVERAL.map(([name, shows, text, sources, reads, shown]) => ({
    id: `sources/${name}`,
    format: "answer",
    page: WEB_CHAT,
    shows,
    input: json({ text, sources }),
    sources: shown,
    expect: { reads },
    ...(/keywords|icon|address-and/.test(name)
      ? { channels: { neutral: {}, "web-chat": {}, teams: {}, "m365-copilot": {}, plain: {} } }
      : {}),
  }));

export const ofSources = () => [
  ...named(),
  ...addressed(),
  ...quoted(),
  ...labelled(),
  ...[3, 19, 20, 21, 30].map(many),
  ...several(),
];
