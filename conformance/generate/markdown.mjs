// Texts that Markdown engines read in different ways, or that would break a citation: one vector each.

import { json } from "./framing.mjs";

const SOURCES = {
  one: { title: "Report 1", url: "https://reports.contoso.example/1", quote: "The first." },
  two: { title: "Report 2", url: "https://reports.contoso.example/2", quote: "The second." },
  three: { title: "Report 3", url: "https://reports.contoso.example/3", quote: "The third." },
};
const SPEC = "https://spec.commonmark.org/0.31.2/";
const GFM = "https://github.github.com/gfm/";
const EVIL = ["evil.example"];

/**
 * A row: name, what it shows, the text, and how it reads: by default the text with `[1]` as the first source and so on. Then what is
 * absent and what is kept, and another page.
 */
const ROWS = [
  ["quote-lazy", "A lazy line of a quote stays.", "> a [1]\nb"],
  ["tab-item", "A tab behind a bullet is no code.", "-\ta [1]"],
  [
    "table-behind-text",
    "A table begins right behind a line of text.",
    "words\n|a|b|\n|-|-|\n|c [1]|d|",
    undefined,
    [],
    [],
    GFM,
  ],
  ["comment-above", "A comment stands right above a number.", "<!-- note -->\n[1]", ["<!-- note -->\n⟦one⟧", "⟦one⟧"]],
  ["list-from-two", "A list that begins with 2 is not a list in a quote.", "> a\n2. b [1]"],
  [
    "definition-between-lists",
    "The model's definition between two lists goes.",
    "- a [1]\n\n[1]: https://evil.example\n\n- b",
    "- a ⟦one⟧\n\n- b",
    EVIL,
  ],
  [
    "definition-in-item",
    "The model's definition as an item goes.",
    "x [1]\n- [1]: https://evil.example",
    "x ⟦one⟧\n- ",
    EVIL,
  ],
  [
    "definition-first",
    "A definition above the text does not lead readers elsewhere.",
    '[1]: https://evil.example "Trust me"\n\nPaid [1].',
    "Paid ⟦one⟧.",
    ["evil.example", "Trust me"],
  ],
  [
    "definition-last",
    "A definition below the text does not lead readers elsewhere.",
    'Paid [1].\n\n[1]: https://evil.example "Trust me"',
    "Paid ⟦one⟧.",
    ["evil.example", "Trust me"],
  ],
  [
    "definition-new-number",
    "A definition of a number without source is no source.",
    'Paid [1].\n\n[7]: https://evil.example "Trust me"',
    "Paid ⟦one⟧.",
    ["evil.example"],
  ],
  ["underline-short", "An underline of one sign makes a heading.", "a [1]\n="],
  ["thematic-break", "A thematic break with blanks stays one.", "a [1]\n\n* * *\n\nb [2]"],
  ["hashes-end", "Hashes at the end of a heading belong to it.", "# [1] #[doc9]", "# ⟦one⟧ #", ["doc9"]],
  ["currency", "Signs of currencies stay.", "Meals cost 30 € or £26 [1], lunch ¥900 and $12 [2]."],
  ["math-signs", "Signs of mathematics stay.", "Leave ≤ 30 days ± 2 [1], 3 × 4 ≠ 11 − 2 ∑ [2]."],
  ["byte-order-mark", "A byte order mark goes.", "\ufeff# a [1]", "# a ⟦one⟧", ["\ufeff"]],
  ["footnote-definition", "A footnote of the model's own is text.", "[^x]: note [1]", "[^x]: note ⟦one⟧", [], [], GFM],
  [
    "reference-link",
    "A reference link of the model's own still leads where it says.",
    "[plan][p] [1]\n\n[p]: https://ok.example/plan",
    ["[plan][p] ⟦one⟧ [p]: https://ok.example/plan", "[plan](https://ok.example/plan) ⟦one⟧"],
  ],
  [
    "script-heading",
    "A link with a script becomes its words.",
    "[# x](javascript:y) [1]",
    "# x ⟦one⟧",
    ["javascript:"],
  ],
  [
    "script-list",
    "A link with a script that looks like an item becomes its words.",
    "[1. x](javascript:y) [1]",
    "1. x ⟦one⟧",
    ["javascript:"],
  ],
  [
    "script-underline",
    "A link with a script that looks like an underline becomes its words.",
    "a [1]\n[===](javascript:y)",
    "a ⟦one⟧\n===",
    ["javascript:"],
  ],
  ["heading-table", "A row of hyphens below a heading is no table.", "# a|b [1]\n-|-"],
  ["lone-table", "A row of hyphens below a paragraph may be a table.", "a [1]\n|-|"],
  [
    "tag-link",
    "A link with a script around a tag becomes text.",
    "[<b>](javascript:x)\nword [1]",
    ["<b>\nword ⟦one⟧", "\nword ⟦one⟧"],
    ["javascript:"],
  ],
  ["code-definition", "Code that looks like a definition stays code.", "[`]: y`[Docs 1]", "[`]: y`⟦one⟧"],
  ["adjacent-numbers", "Two numbers side by side are two citations.", "Paid [1][2]."],
  ["three-adjacent", "Three numbers side by side are three citations.", "Paid [3][1][2]."],
  ["parenthesis-behind", "A parenthesis behind a number is no address.", "Paid [1](2024).", "Paid ⟦one⟧(2024)."],
  [
    "colon-behind",
    "A colon behind a number at the beginning of a line is no definition.",
    "【1】: paid in May",
    "⟦one⟧: paid in May",
  ],
  ["brace-behind", "A brace behind a number is no attribute.", "Paid [1]{.x}"],
  ["bracket-before", "A bracket before a number is no link.", "Read rows[i][1] again [2]."],
  ["exclamation-before", "An exclamation mark before a number makes no image.", "Wow![1]"],
  ["backslash-before", "Two backslashes before a number are one backslash.", "a\\\\[1] and [2]"],
  [
    "forged-link",
    "A number with an address of its own leads to its source.",
    "Paid [1](https://evil.example/a).",
    "Paid ⟦one⟧.",
    EVIL,
  ],
  [
    "forged-bold-link",
    "A bold number with an address of its own leads to its source.",
    "Paid [**1**](https://evil.example/a).",
    "Paid ⟦one⟧.",
    EVIL,
  ],
  [
    "script-address",
    "A link without an address is text.",
    "[p][(javascript:y)](javascript:x) [1]",
    "[p](javascript:y) ⟦one⟧",
  ],
  [
    "image-attribute",
    "A tag around a number is text.",
    "a <img src=[1](https://ok.example/?b=c) onerror=x>",
    null,
    ["<img"],
  ],
  [
    "lone-backtick",
    "A backtick without its twin opens no code.",
    "[a `[1]` b`](https://ok.example/c) [1]",
    "[a `[1]` b`](https://ok.example/c) ⟦one⟧",
  ],
  [
    "number-in-link",
    "A number in the words of a link is part of them.",
    "[see [1]](https://ok.example/c) [1]",
    ["[see [1]](https://ok.example/c) ⟦one⟧"],
  ],
  ["list-after-removal", "A removed marker makes no item of a number.", "1[doc9]. x [1]", "1. x ⟦one⟧", ["doc9"]],
  [
    "emphasis-after-removal",
    "A removed link makes no emphasis.",
    "a*[b](javascript:x)*c [1]",
    "a*b*c ⟦one⟧",
    ["javascript:"],
  ],
  ["code-over-lines", "Code over two lines stays code.", "`a\n| b` [1]"],
  [
    "bare-address",
    "A bare address ends before a number.",
    "See https://x.example/a[1] now.",
    "See https://x.example/a⟦one⟧ now.",
  ],
  [
    "bare-address-code",
    "A bare address ends before code.",
    "https://x.example/a`[1]` [1]",
    "https://x.example/a`[1]` ⟦one⟧",
  ],
  [
    "bare-address-emphasis",
    "A bare address ends with its emphasis.",
    "*https://x.example/a*[1]",
    "*https://x.example/a*⟦one⟧",
  ],
  [
    "address-with-blank",
    "An address with a blank stays one.",
    "[x](<https://ok.example/a b>) [1]",
    ["[x](https://ok.example/a b) ⟦one⟧", "[x](https://ok.example/a%20b) ⟦one⟧"],
  ],
  ["link-title", "The title of a link stays.", "[x](https://ok.example/c 'a \"b\" `c`') [1]"],
  ["indented-code", "Indented code stays code.", "    a[1]\n\nword [1]", "    a[1]\n\nword ⟦one⟧", [], ["a[1]"]],
  [
    "info-string",
    "A fence keeps its language.",
    "Run [1]:\n\n```sh -x\nls [2]\n```",
    "Run ⟦one⟧:\n\n```sh -x\nls [2]\n```",
    [],
    ["ls [2]"],
  ],
  [
    "open-fence-quote",
    "A fence that a quote leaves open ends with it.",
    "> ```\n> x[2]\n\nword [1]",
    "> ```\n> x[2]\n\nword ⟦one⟧",
    [],
    ["x[2]"],
  ],
  [
    "open-fence",
    "A fence that the answer leaves open hides no sources.",
    "word [1]\n\n```\nx[2]",
    "word ⟦one⟧\n\n```\nx[2]",
    [],
    ["x[2]"],
  ],
  [
    "div-border",
    "Borders in HTML make no table.",
    "<div>a|b\n-|-\n</div>\n\nword [1]",
    ["<div>a|b\n-|-\n</div>\n\nword ⟦one⟧", "a|b\n-|-\nword ⟦one⟧"],
  ],
  [
    "comment-lines",
    "A comment over several lines hides nothing else.",
    "<!-- a|b\n-|-\n-->\n\nword [1]",
    ["<!-- a|b\n-|-\n-->\n\nword ⟦one⟧", "word ⟦one⟧"],
  ],
  ["short-row", "A row with fewer cells is a row.", "|a|b|\n|-|-|\n|c [1]", undefined, [], [], GFM],
  ["open-header", "A table without outer borders is a table.", "a|b\n-|-\nc|d [1]", undefined, [], [], GFM],
  ["row-of-text", "Text right below a table is a row.", "|a|b|\n|-|-|\n|c|[1]|\nlast", undefined, [], [], GFM],
  [
    "border-in-code",
    "A border in code in a cell stays in its cell.",
    "|a|b|\n|-|-|\n|`x\\|y`|[1]|",
    undefined,
    [],
    [],
    GFM,
  ],
  ["table-in-item", "A table that begins an item is a table.", "- a|b\n  -|-\n  c|d [1]", undefined, [], [], GFM],
  [
    "table",
    "A number in a cell is a citation.",
    "| rule | source |\n| --- | --- |\n| pay | [1] |\n| leave | [2] |",
    undefined,
    [],
    [],
    GFM,
  ],
  ["heading", "A number in a heading is a citation.", "# Pay [1]\n\n## Leave [2]\n\nBoth [3]."],
  ["setext-heading", "A number in an underlined heading is a citation.", "Pay [1]\n===\n\nLeave [2]\n---\n\nBoth [3]."],
  ["ordered-list", "Numbers of items are no citations.", "1. pay [1]\n2. leave [2]\n3. both [3]"],
  ["nested-list", "Items of items have citations.", "- pay [1]\n  - leave [2]\n    - both [3]"],
  [
    "ends-with-list",
    "An answer that ends with a list has its sources behind it.",
    "Steps:\n\n- step one [1]\n- step two [2]",
  ],
  [
    "ends-with-quote",
    "An answer that ends with a quote has its sources behind it.",
    "He said:\n\n> pay is due [1]\n> at once [2]",
  ],
  [
    "ends-with-table",
    "An answer that ends with a table has its sources behind it.",
    "Rules:\n\n|a|b|\n|-|-|\n|pay [1]|leave [2]|",
    undefined,
    [],
    [],
    GFM,
  ],
  [
    "ends-with-code",
    "An answer that ends with code has its sources behind it.",
    "Run it [1]:\n\n```\nls[2]\n```",
    "Run it ⟦one⟧:\n\n```\nls[2]\n```",
    [],
    ["ls[2]"],
  ],
  ["quote-in-item", "A quote in an item has citations.", "- He said:\n  > pay is due [1]\n- She left [2]"],
  ["deep-quote", "Quotes in quotes have citations.", "> > > pay is due [1]\n> back [2]"],
  ["hard-break", "A line that ends with blanks is a line of its own.", "pay [1]  \nleave [2]\\\nboth [3]"],
  ["bold-number", "A number in bold is a citation.", "Pay **rises [1]** and *leave [2]* stays."],
  ["strikethrough", "A number in struck text is a citation.", "Pay ~~falls [1]~~ rises [2].", undefined, [], [], GFM],
  [
    "link-beside",
    "A link to another site stays, and a number behind it is a citation.",
    "Read [the law](https://law.example/12) [1].",
    "Read [the law](https://law.example/12) ⟦one⟧.",
  ],
  ["mail-link", "A mail address stays.", "Ask [us](mailto:us@ok.example) [1]."],
  [
    "autolink",
    "An address in angle brackets stays.",
    "Read <https://law.example/12> [1].",
    "Read <https://law.example/12> ⟦one⟧.",
  ],
  ["windows-lines", "Line ends of Windows are line ends.", "pay [1]\r\n\r\n- leave [2]\r\n- both [3]\r\n"],
  ["only-number", "A number alone is a citation.", "[1]"],
  ["begins-with-number", "A number begins the answer.", "[1] says that pay rises."],
  ["paragraph-of-numbers", "Numbers in a paragraph of their own are citations.", "Pay rises.\n\n[1] [2]"],
  ["blank-lines", "Blank lines at the end do no harm.", "Pay rises [1].\n\n\n\n"],
  ["hash-behind", "A number sign behind a number does no harm.", "Pay [1]#2 and [2]."],
  ["pipes-in-text", "Borders in text make no table.", "a | b [1] | c"],
  ["html-entity", "An entity stays.", "AT&amp;T pays &copy; [1]."],
  ["ampersand", "An ampersand stays.", "R&D pays; Q&A too [1]."],
  ["less-than", "A less-than sign stays.", "If a < b and c > d, pay [1]."],
  ["dollar", "Prices are no math.", "It costs $5 [1] or $6 [2]."],
  ["display-math", "Display math stays.", "$$\na_1 = b\n$$\n\nIt holds [1].", undefined, [], ["a_1 = b"]],
  [
    "raised-ten",
    "A raised number is an exponent.",
    "The area is 10<sup>6</sup> units [1].",
    ["The area is 10<sup>6</sup> units ⟦one⟧.", "The area is 10⁶ units ⟦one⟧."],
  ],
  [
    "line-break-element",
    "A break in a cell stays a break.",
    "|a|b|\n|-|-|\n|pay<br>leave [1]|c|",
    ["|a|b|\n|-|-|\n|pay<br>leave ⟦one⟧|c|", "|a|b|\n|-|-|\n|pay leave ⟦one⟧|c|"],
    [],
    [],
    GFM,
  ],
];

/** What people read of some rows where their Markdown is drawn as plain text. */
const AS_PLAIN = {
  "html-entity": "AT&T pays © ⟦one⟧.",
  "info-string": "Run ⟦one⟧:\n\nls [2]",
  "link-title": "x (https://ok.example/c) ⟦one⟧",
};

const KEYS = ["one", "two", "three"];
const byDefault = (text) =>
  text.replace(/(?<![\\!\w]|`)\[(\d)\]|(?<=Wow!|\\\\|\]|\w)\[(\d)\]/g, (whole, a, b) => `⟦${KEYS[(a ?? b) - 1]}⟧`);

/** Channels that draw Markdown; programs get the words as they came. */
const DRAWN = { "web-chat": {}, teams: {} };

export const markdown = () =>
  ROWS.map(([name, shows, text, reads = byDefault(text), absent = [], kept = [], page = SPEC]) => ({
    id: `markdown/${name}`,
    format: "answer",
    page,
    shows,
    input: json({
      text,
      sources: Object.values(SOURCES).map(({ title, url, quote }) => ({ title, url, content: quote })),
    }),
    sources: SOURCES,
    expect: { ...(reads === null ? { reads: "a <img src=⟦one⟧ onerror=x>" } : { reads }), absent, kept },
    ...(absent.length > 0 || text.includes("javascript:")
      ? { channels: absent.includes("<img") ? { "web-chat": {} } : DRAWN }
      : {}),
    // In plain text, nobody can tell a backslash before a bracket from an escape.
    ...(name === "backslash-before" ? { channels: { neutral: {}, ...DRAWN } } : {}),
    ...(name in AS_PLAIN ? { channels: { neutral: {}, ...DRAWN, plain: { reads: [reads, AS_PLAIN[name]] } } } : {}),
  }));
