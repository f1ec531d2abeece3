// Titles and addresses of sources as they come.

import { json } from "./framing.mjs";

const SCHEMA = "https://schema.org/DigitalDocument";
const URLS = "https://url.spec.whatwg.org/";
export const TEXT = "Leave is 30 days [1].";
export const READS = "Leave is 30 days⟦leave⟧.";
export const PLAIN = { title: "Leave policy", url: "https://hr.contoso.example/leave", content: "Leave is 30 days." };

/** One source and how it is shown: name, what it shows, the source, the expectation, the page. */
const NAMES = [
  ["quotes", "A title keeps its quotation marks.", { title: 'The "new" policy' }],
  ["single-quotes", "A title keeps its apostrophes.", { title: "Staff's 'own' policy" }],
  ["backslash", "A title keeps its backslash.", { title: "C:\\policies\\leave" }],
  ["brackets", "A title keeps its brackets.", { title: "[draft] Leave (final)" }],
  ["html", "HTML in a title is text.", { title: "Leave <b>policy</b> & more" }],
  ["entity", "An entity in a title is text.", { title: "Leave &copy; policy" }],
  ["markdown", "Markdown in a title is text.", { title: "**Leave** `policy` _2_" }],
  ["border", "A border in a title does no harm.", { title: "Leave | policy" }],
  ["emoji", "A title keeps its signs.", { title: "Leave 🏖️ policy 👩‍👩‍👧" }],
  ["chinese", "A title in Chinese stays.", { title: "请假制度（2026年版）" }],
  ["arabic", "A title in Arabic stays.", { title: "سياسة الإجازات" }],
  ["number", "A title that is a number stays.", { title: "2026" }],
  ["marker", "A title that looks like a marker stays.", { title: "[2]" }],
  ["definition", "A title that looks like a definition stays.", { title: "[1]: https://evil.example" }],
  ["newline", "A title of two lines is one line.", { title: "Leave\npolicy" }, "Leave policy"],
  ["blank-line", "A title with a blank line is one line.", { title: "Leave\r\n\r\npolicy" }, "Leave policy"],
  ["padded", "A title has no blanks around it.", { title: "  Leave policy  " }, "Leave policy"],
  [
    "none-file",
    "Without a title the file name is the name.",
    { title: undefined, filepath: "hr/leave policy.docx" },
    "leave policy.docx",
  ],
  [
    "none-address",
    "Without a title the file name of the address is the name.",
    { title: undefined, url: "https://hr.contoso.example/a/Leave%20policy.pdf" },
    "Leave policy.pdf",
  ],
  [
    "none-host",
    "Without any name the host is the name.",
    { title: undefined, url: "https://www.contoso.example/4" },
    ["contoso.example", "www.contoso.example"],
  ],
  ["empty", "An empty title is no name.", { title: "", filepath: "leave.docx" }, "leave.docx"],
  ["blanks", "Blanks are no name.", { title: " \t ", filepath: "leave.docx" }, "leave.docx"],
  [
    "long",
    "A title of 200 letters is cut for Teams alone.",
    { title: "Leave policy of the harbour office ".repeat(6).trim() },
  ],
  [
    "long-emoji",
    "A long title is not cut inside a sign.",
    { title: "Leave 🏖️ policy of the office ".repeat(6).trim() },
  ],
  ["long-chinese", "A long title in Chinese is cut for Teams alone.", { title: "请假制度实施细则".repeat(15) }],
];

export const named = () =>
  NAMES.map(([name, shows, source, title = source.title]) => {
    const { content, ...rest } = { ...PLAIN, ...source };
    return {
      id: `titles/${name}`,
      format: "answer",
      page: SCHEMA,
      shows,
      input: json({ text: TEXT, sources: [{ ...rest, content }] }),
      sources: { leave: { title, url: rest.url, quote: content } },
      expect: { reads: READS },
    };
  });

/** Addresses: name, what it shows, the address, how it is shown (one of a list, or null). */
const ADDRESSES = [
  ["parentheses", "Parentheses in an address do not end it.", "https://docs.example/Q1(final).pdf"],
  [
    "open-parenthesis",
    "A parenthesis that nobody closes does not end an address.",
    "https://docs.example/Q1(final.pdf",
  ],
  [
    "blank",
    "A blank in an address is encoded.",
    "https://docs.example/Q1 plan.pdf",
    ["https://docs.example/Q1 plan.pdf", "https://docs.example/Q1%20plan.pdf"],
  ],
  ["brackets", "Brackets in an address do not end it.", "https://docs.example/a[1].pdf"],
  ["query", "A query stays.", "https://docs.example/a?b=c&d=e%20f"],
  ["entity", "What looks like an entity in a query is none.", "https://docs.example/a?x=1&copy;=2"],
  ["fragment", "A fragment stays.", "https://docs.example/a#part-2"],
  ["port", "A port stays.", "https://docs.example:8443/a"],
  ["umlauts", "Umlauts in a path are encoded.", "https://docs.example/Über-uns"],
  ["japanese", "Japanese in a path is encoded.", "https://docs.example/日本.html"],
  [
    "idn",
    "A host with umlauts is punycode.",
    "https://bücher.example/a",
    ["https://bücher.example/a", "https://xn--bcher-kva.example/a"],
  ],
  ["pipe", "A border in an address is encoded.", "https://docs.example/a|b"],
  ["quote", "A quotation mark in an address does not end it.", 'https://docs.example/a"b'],
  ["angle", "Angle brackets in an address do not end it.", "https://docs.example/a<b>c"],
  ["backtick", "A backtick in an address opens no code.", "https://docs.example/a`b`c"],
  ["star", "Stars in an address make no emphasis.", "https://docs.example/*a*_b_"],
  ["backslash", "A backslash in a query is encoded.", "https://docs.example/a?b=\\c"],
  ["upper-host", "A host in capitals is the same host.", "https://DOCS.Example/A"],
  ["http", "http is an address, too.", "http://docs.example/a"],
  ["long", "A long address stays whole.", `https://docs.example/${"a1/".repeat(120)}`],
  ["encoded", "An encoded address is not encoded again.", "https://docs.example/Q1%20plan%28a%29.pdf"],
  ["javascript", "A script is no address.", "javascript:alert(1)", null],
  ["data", "Data are no address.", "data:text/html,<b>x</b>", null],
  ["file", "A file on a machine is no address.", "file:///etc/passwd", null],
  ["relative", "A path is no address.", "handbook/leave.pdf", null],
  ["empty", "An empty text is no address.", "", null],
  ["user", "An address has no user.", "https://bank.example@docs.example/a", ["https://docs.example/a"]],
];

export const addressed = () =>
  ADDRESSES.map(([name, shows, url, seen = url]) => ({
    id: `addresses/${name}`,
    format: "answer",
    page: URLS,
    shows,
    input: json({ text: TEXT, sources: [{ ...PLAIN, url }] }),
    sources: { leave: { title: PLAIN.title, url: seen, quote: PLAIN.content } },
    expect: { reads: READS },
  }));
