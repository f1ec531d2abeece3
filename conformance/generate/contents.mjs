// The answers that the bodies of all providers hold: sentences, and the sources that each of them cites. All content is invented.

/** A source, with an address, a title and a passage. */
const source = (title, url, quote) => ({ title, url, quote });

/**
 * An answer. Each sentence is its words, its end, and the keys of the sources that it cites; `between` parts the sentences.
 * `spare` is a source that was found and is not cited.
 */
const content = (id, shows, between, sentences, sources, spare) => ({ id, shows, between, sentences, sources, spare });

const HARBOUR = source("Harbour office", "https://harbour.example.org/office", "The office has six rooms.");

export const CONTENTS = [
  content(
    "english",
    "two plain sentences",
    " ",
    [
      ["The tunnel opens in May", ".", ["tunnel"]],
      ["The toll is four euros", ".", ["toll"]],
    ],
    {
      tunnel: source(
        "Tunnel to open in May",
        "https://news.example.org/tunnel",
        "The tunnel will open on the second of May.",
      ),
      toll: source("Tolls of the harbour", "https://city.example.com/projects/toll", "A car pays four euros."),
    },
    HARBOUR,
  ),
  content(
    "two-sources",
    "a sentence with two sources",
    " ",
    [
      ["Boats wait for the bell", ".", ["bell", "signals"]],
      ["Nobody pays on Sundays", ".", []],
      ["The gates open at dawn", ".", ["bell"]],
    ],
    {
      bell: source("Handbook of the lock", "https://lock.example.org/handbook", "Boats wait until the bell is rung."),
      signals: source("Signals", "https://canal.example.com/signals", "A bell means: wait."),
    },
    HARBOUR,
  ),
  content(
    "german",
    "umlauts, which have two bytes in UTF-8",
    " ",
    [
      ["Äpfel für Süßmost müssen reif sein", ".", ["most"]],
      ["Die Kühlung kostet fünf Öre", ".", ["oere"]],
    ],
    {
      most: source("Süßmost für Anfänger", "https://obst.example.org/suessmost", "Nur reife Äpfel geben süßen Saft."),
      oere: source("Kühlhäuser", "https://obst.example.com/kuehlung", "Fünf Öre je Kiste."),
    },
    HARBOUR,
  ),
  content(
    "chinese",
    "no blanks between words",
    "",
    [
      ["绿茶不发酵", "。", ["lvcha"]],
      ["红茶全发酵", "。", ["hongcha"]],
    ],
    {
      lvcha: source("绿茶手册", "https://tea.example.org/green", "绿茶是不发酵茶。"),
      hongcha: source("红茶手册", "https://tea.example.org/black", "红茶是全发酵茶。"),
    },
    source("白茶手册", "https://tea.example.org/white", "白茶只晒干。"),
  ),
  content(
    "japanese",
    "Japanese beside Latin letters",
    "",
    [
      ["鐘が2回鳴ると水門が開く", "。", ["kane"]],
      ["料金はABC券で払う", "。", ["ryokin", "kane"]],
    ],
    {
      kane: source("水門の手引き", "https://lock.example.org/jp/guide", "鐘が二回鳴る。"),
      ryokin: source("料金表", "https://lock.example.org/jp/fees", "ABC券を使う。"),
    },
    HARBOUR,
  ),
  content(
    "arabic",
    "words from right to left",
    " ",
    [
      ["تفتح المكتبة في التاسعة", ".", ["maktaba"]],
      ["الدخول مجاني للأطفال", ".", ["dukhul"]],
    ],
    {
      maktaba: source("مواعيد المكتبة", "https://library.example.org/ar/hours", "تفتح المكتبة في التاسعة صباحا."),
      dukhul: source("أسعار الدخول", "https://library.example.org/ar/fees", "لا يدفع الأطفال شيئا."),
    },
    HARBOUR,
  ),
  content(
    "emoji",
    "signs of two UTF-16 units and of several code points",
    " ",
    [
      ["🍵 Green tea is not oxidised 😀", ".", ["green"]],
      ["👩‍👩‍👧 Families 🇳🇴 keep it dry", ".", ["dry"]],
    ],
    {
      green: source("Green tea", "https://leaf.example.org/green", "Leaves are heated at once."),
      dry: source("Keeping tea 🍵", "https://leaf.example.org/dry", "Keep tea in the dry."),
    },
    HARBOUR,
  ),
  content(
    "hindi",
    "letters with marks",
    " ",
    [
      ["पुल दो किलोमीटर लंबा है", "।", ["pul"]],
      ["यह मई में खुला", "।", ["mai"]],
    ],
    {
      pul: source("पुल के आँकड़े", "https://bridge.example.org/hi/facts", "पुल की लंबाई दो किलोमीटर है।"),
      mai: source("पुल का इतिहास", "https://bridge.example.org/hi/history", "मई में उद्घाटन हुआ।"),
    },
    HARBOUR,
  ),
  content(
    "emphasis",
    "Markdown in sentences",
    " ",
    [
      ["Filters are **replaced** every *ninety* days", ".", ["filter"]],
      ["The pump needs ~~oil~~ water and `pump --slow`", ".", ["pump"]],
    ],
    {
      filter: source("Filters", "https://plant.example.org/filters", "Replace filters every ninety days."),
      pump: source("Pumps", "https://plant.example.org/pumps", "Use water."),
    },
    HARBOUR,
  ),
  content(
    "paragraphs",
    "sentences in paragraphs of their own",
    "\n\n",
    [
      ["Trams are washed every second night", ".", ["wash"]],
      ["In frost, warm water is used", ".", ["frost", "wash"]],
      ["Brushes are changed in March", ".", []],
    ],
    {
      wash: source("Washing plan", "https://depot.example.org/washing", "Trams are washed every second night."),
      frost: source("Work in frost", "https://depot.example.org/frost", "Below zero only warm water may be used."),
    },
    HARBOUR,
  ),
];

/** The text of an answer, with what `mark` writes behind the words of each sentence: `mark(keys, at)`. */
export function written({ sentences, between }, mark) {
  return sentences.map(([words, end, keys], at) => words + mark(keys, at) + end).join(between);
}

/** The text of an answer as its reader gets it. */
export const reads = (answer, of = (key) => key) =>
  written(answer, (keys) => keys.map((key) => `⟦${of(key)}⟧`).join(""));

/** The keys of the sources, in their order, the spare one last. */
export const keys = (answer) => [...Object.keys(answer.sources), ...(answer.spare ? ["spare"] : [])];

/** The sources by their keys, the spare one too. */
export const all = (answer) => ({ ...answer.sources, ...(answer.spare ? { spare: answer.spare } : {}) });

/** The sources of an answer as a form of a provider hands them on. */
export function sourcesOf(provider, content) {
  const found = {};
  for (const key of keys(content)) {
    if (key === "spare" && provider.isCitedOnly) continue;
    const { title, url, quote } = all(content)[key];
    const own = provider.isFile ? { title: `${key}.pdf`, url: null, quote } : { title, url, quote };
    found[key] = { ...own, ...provider.source, ...(key === "spare" ? provider.spare : {}) };
  }
  return found;
}

/**
 * The sentences with the places of their words in the bare text, in a unit: `[start, end, keys, words]`, those that cite alone.
 * The end is behind the last word, or with `isWhole` behind the end of the sentence.
 */
export function spans({ sentences, between }, unit, isWhole = false) {
  const found = [];
  let before = "";
  for (const [words, end, keys] of sentences) {
    const cited = isWhole ? words + end : words;
    if (keys.length > 0) found.push([length(before, unit), length(before + cited, unit), keys, cited]);
    before += words + end + between;
  }
  return found;
}

/** The length of a text in `utf8` bytes, `utf16` units or `char`, code points. */
export function length(text, unit) {
  if (unit === "utf8") return Buffer.byteLength(text);
  return unit === "utf16" ? text.length : [...text].length;
}

/** A text in pieces of at most so many code points, as models send it. */
export function pieces(text, size = 7) {
  const letters = [...text];
  const found = [];
  for (let at = 0; at < letters.length; at += size) found.push(letters.slice(at, at + size).join(""));
  return found;
}
