// Answers that would harm readers, and input that nobody can read.

import { json } from "./framing.mjs";

const SOURCES = {
  leave: { title: "Leave policy", url: "https://hr.contoso.example/leave", quote: "Leave is 30 days." },
  travel: { title: "Travel policy", url: "https://hr.contoso.example/travel", quote: "Travel is paid." },
};
const given = Object.values(SOURCES).map(({ title, url, quote }) => ({ title, url, content: quote }));
const HTML = "https://spec.commonmark.org/0.31.2/#raw-html";
const WEB_CHAT = "https://github.com/microsoft/BotFramework-WebChat/blob/main/docs/CITATION.md";
const BIDI = "https://www.unicode.org/reports/tr36/";

/** Name, what it shows, the text, how it reads, what is absent, the page. */
const TEXTS = [
  [
    "script-element",
    "A script is not run.",
    "Leave <script>alert(1)</script> is 30 days [1].",
    [
      "Leave <script>alert(1)</script> is 30 days⟦leave⟧.",
      "Leave alert(1) is 30 days⟦leave⟧.",
      "Leave is 30 days⟦leave⟧.",
    ],
    ["<script>"],
    HTML,
  ],
  [
    "forged-button",
    "A button of the model's own is no citation.",
    'Leave <button value="cite:1">1</button> is 30 days [1].',
    ['Leave <button value="cite:1">1</button> is 30 days⟦leave⟧.', "Leave 1 is 30 days⟦leave⟧."],
    ["<button"],
    HTML,
  ],
  [
    "tracking-image",
    "An image does not tell another site that somebody reads.",
    "Leave ![x](https://evil.example/p.png?q=1) is 30 days [1].",
    ["Leave [x](https://evil.example/p.png?q=1) is 30 days⟦leave⟧.", "Leave x is 30 days⟦leave⟧."],
    ["![x]"],
    WEB_CHAT,
  ],
  [
    "tracking-element",
    "An image element does not tell another site that somebody reads.",
    'Leave <img src="https://evil.example/p.png"> is 30 days [1].',
    [
      'Leave <img src="https://evil.example/p.png"> is 30 days⟦leave⟧.',
      "Leave https://evil.example/p.png is 30 days⟦leave⟧.",
      "Leave is 30 days⟦leave⟧.",
    ],
    ["<img"],
    HTML,
  ],
  [
    "image-of-source",
    "An image by a number of a source is none.",
    "Leave ![chart][1] is 30 days [1].",
    ["Leave chart⟦leave⟧ is 30 days⟦leave⟧.", "Leave chart is 30 days⟦leave⟧."],
    ["![chart]"],
    WEB_CHAT,
  ],
  [
    "script-link",
    "A link with a script is its words.",
    "Leave [form](javascript:alert(1)) is 30 days [1].",
    "Leave form is 30 days⟦leave⟧.",
    ["javascript:"],
    WEB_CHAT,
  ],
  [
    "data-link",
    "A link with data is its words.",
    "Leave [form](data:text/html;base64,PHA+) is 30 days [1].",
    "Leave form is 30 days⟦leave⟧.",
    ["data:text"],
    WEB_CHAT,
  ],
  [
    "vbscript-link",
    "A link with another script is its words.",
    "Leave [form](vbscript:x) is 30 days [1].",
    "Leave form is 30 days⟦leave⟧.",
    ["vbscript:"],
    WEB_CHAT,
  ],
  [
    "user-in-link",
    "A link does not look like one to another site.",
    "Leave [form](https://bank.example@evil.example/a) is 30 days [1].",
    "Leave [form](https://evil.example/a) is 30 days⟦leave⟧.",
    ["bank.example@"],
    "https://url.spec.whatwg.org/",
  ],
  [
    "bidi-override",
    "Letters do not run backwards.",
    "Leave is \u202e03\u202c days [1].",
    "Leave is 03 days⟦leave⟧.",
    ["\u202e"],
    BIDI,
  ],
  [
    "bidi-isolate",
    "Isolates hide nothing.",
    "Leave is \u206630\u2069 days [1].",
    "Leave is 30 days⟦leave⟧.",
    ["\u2066"],
    BIDI,
  ],
  [
    "tag-letters",
    "Letters that nobody sees carry no orders.",
    "Leave\u{e0068}\u{e0069} is 30 days [1].",
    "Leave is 30 days⟦leave⟧.",
    ["\u{e0068}"],
    BIDI,
  ],
  [
    "nul",
    "A NUL does no harm.",
    "Leave\u0000 is 30 days [1].",
    ["Leave is 30 days⟦leave⟧.", "Leave\ufffd is 30 days⟦leave⟧."],
    ["\u0000"],
    "https://spec.commonmark.org/0.31.2/#insecure-characters",
  ],
  [
    "zero-width",
    "A zero-width space in a marker does no harm.",
    "Leave is 30 days [1]\u200b[2].",
    "Leave is 30 days⟦leave⟧⟦travel⟧.",
    [],
    WEB_CHAT,
  ],
  [
    "huge-number",
    "A number beyond all lists is text.",
    "Leave is 30 days [99999999999999999999] [1].",
    "Leave is 30 days [99999999999999999999]⟦leave⟧.",
    [],
    WEB_CHAT,
  ],
  [
    "nested-brackets",
    "Brackets in brackets do no harm.",
    "Leave [[[[is]]]] 30 days [1].",
    "Leave [[[[is]]]] 30 days⟦leave⟧.",
    [],
    WEB_CHAT,
  ],
  [
    "unbalanced-bracket",
    "A bracket that nobody closes does no harm.",
    "Leave [is 30 days [1].",
    "Leave [is 30 days⟦leave⟧.",
    [],
    WEB_CHAT,
  ],
  [
    "unbalanced-parenthesis",
    "A parenthesis that nobody closes does no harm.",
    "Leave [form](https://ok.example/a is 30 days [1].",
    "Leave [form](https://ok.example/a is 30 days⟦leave⟧.",
    [],
    WEB_CHAT,
  ],
  [
    "many-stars",
    "Many stars do no harm.",
    `Leave ${"*".repeat(60)}is${"*".repeat(60)} 30 days [1].`,
    "Leave is 30 days⟦leave⟧.",
    [],
    WEB_CHAT,
  ],
  [
    "many-backticks",
    "Many backticks do no harm.",
    "Leave ``` is ```` 30 days [1].",
    "Leave is 30 days⟦leave⟧.",
    [],
    WEB_CHAT,
  ],
  [
    "many-quotes",
    "Many quotes do no harm.",
    `${">".repeat(30)} Leave is 30 days [1].`,
    "Leave is 30 days⟦leave⟧.",
    [],
    WEB_CHAT,
  ],
  [
    "bibliography",
    "A list of sources of the model's own is not shown beside the real one.",
    "Leave is 30 days [1]. Travel is paid [2].\n\nSources:\n\n[1] Leave policy: https://hr.contoso.example/leave\n[2] Travel policy: https://hr.contoso.example/travel",
    ["Leave is 30 days⟦leave⟧. Travel is paid⟦travel⟧."],
    ["Sources:"],
    WEB_CHAT,
  ],
  [
    "forged-bibliography",
    "A list of sources that are none makes no sources.",
    'Leave is 30 days [1].\n\n[1]: https://evil.example/1 "Leave policy"\n[2]: https://evil.example/2 "Travel policy"',
    "Leave is 30 days⟦leave⟧.",
    ["evil.example"],
    WEB_CHAT,
  ],
  [
    "form-element",
    "A form of the model's own asks for nothing.",
    'Leave <form action="https://evil.example"><input name=p></form> is 30 days [1].',
    ['Leave <form action="https://evil.example"><input name=p></form> is 30 days⟦leave⟧.', "Leave is 30 days⟦leave⟧."],
    ["<form", "<input"],
    HTML,
  ],
  [
    "iframe",
    "A frame of the model's own shows nothing.",
    'Leave <iframe src="https://evil.example"></iframe> is 30 days [1].',
    ['Leave <iframe src="https://evil.example"></iframe> is 30 days⟦leave⟧.', "Leave is 30 days⟦leave⟧."],
    ["<iframe"],
    HTML,
  ],
  [
    "style",
    "A style of the model's own hides nothing.",
    "Leave <style>p{display:none}</style> is 30 days [1].",
    [
      "Leave <style>p{display:none}</style> is 30 days⟦leave⟧.",
      "Leave p{display:none} is 30 days⟦leave⟧.",
      "Leave is 30 days⟦leave⟧.",
    ],
    ["<style>"],
    HTML,
  ],
];

export const harmful = () =>
  TEXTS.map(([name, shows, text, reads, absent, page]) => ({
    id: `harm/${name}`,
    format: "answer",
    page,
    shows,
    input: json({ text, sources: given }),
    sources: SOURCES,
    expect: { reads, absent },
    // Teams and plain text draw no HTML: there it is text.
    ...(page === HTML
      ? { channels: { neutral: { absent: [] }, "web-chat": {}, teams: { absent: [] }, plain: { absent: [] } } }
      : {}),
    ...(["tracking-image", "image-of-source"].includes(name) ? { channels: { "web-chat": {}, teams: {} } } : {}),
    // Programs get the words as they came.
    ...(["script-link", "data-link", "vbscript-link", "user-in-link"].includes(name)
      ? { channels: { "web-chat": {}, teams: {} } }
      : {}),
    ...(name === "nul" ? { channels: { "web-chat": {}, teams: {}, plain: {} } } : {}),
  }));

const raw = (text) => ({ file: "input.txt", text });
const JSON_PAGE = "https://www.rfc-editor.org/rfc/rfc8259";
const PROVIDER = "https://platform.openai.com/docs/guides/error-codes";

/** Input that nobody can read: name, what it shows, the input, the format, the page. */
const UNREADABLE = [
  [
    "html-page",
    "A page of a proxy is no answer.",
    raw("<html><body><h1>502 Bad Gateway</h1></body></html>\n"),
    "answer",
    JSON_PAGE,
  ],
  [
    "cut-json",
    "Half of a JSON text is no answer.",
    raw('{"text": "Leave is 30 days [1].", "sources": [{"title": "Leave pol\n'),
    "answer",
    JSON_PAGE,
  ],
  ["not-json", "Words are no answer with sources.", raw("Leave is 30 days [1].\n"), "answer", JSON_PAGE],
  ["empty-object", "An object without a text is no answer.", json({}), "answer", JSON_PAGE],
  ["text-number", "A number is no text.", json({ text: 5, sources: [] }), "answer", JSON_PAGE],
  ["text-null", "Null is no text.", json({ text: null, sources: [] }), "answer", JSON_PAGE],
  [
    "sources-text",
    "A text is no list of sources.",
    json({ text: "Leave is 30 days [1].", sources: "none" }),
    "answer",
    JSON_PAGE,
  ],
  [
    "source-number",
    "A number is no source.",
    json({ text: "Leave is 30 days [1].", sources: [7] }),
    "answer",
    JSON_PAGE,
  ],
  [
    "title-object",
    "An object is no title.",
    json({ text: "Leave is 30 days [1].", sources: [{ title: {} }] }),
    "answer",
    JSON_PAGE,
  ],
  [
    "responses-output-text",
    "A text is no output of a response.",
    json({ object: "response", id: "r", output: "words" }),
    "openai-responses",
    PROVIDER,
  ],
  [
    "choices-object",
    "An object is no list of choices.",
    json({ object: "chat.completion", id: "c", choices: {} }),
    "openai-chat",
    PROVIDER,
  ],
  [
    "candidates-text",
    "A text is no list of candidates.",
    json({ candidates: "words", modelVersion: "gemini-2.5-flash" }),
    "gemini",
    PROVIDER,
  ],
  [
    "claude-content-number",
    "A number is no content of a message.",
    json({ type: "message", role: "assistant", content: 5 }),
    "anthropic",
    PROVIDER,
  ],
];

export const unreadable = () =>
  UNREADABLE.map(([name, shows, input, format, page]) => ({
    id: `unreadable/${name}`,
    format,
    page,
    shows,
    input,
    sources: {},
    expect: { refused: true },
  }));
