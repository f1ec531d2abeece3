// What a program would reply that does what the vectors expect.

const first = (value) => (Array.isArray(value) ? value[0] : value);

/** The text with numbers in the order of their first appearance, and the keys in that order. */
function numbered(reads, around = "") {
  const order = [];
  const text = reads.replace(/⟦([^⟧]+)⟧/g, (_, key) => {
    if (!order.includes(key)) order.push(key);
    return `${around}[${order.indexOf(key) + 1}]${around}`;
  });
  return { text, order };
}

const encoded = (url) =>
  new URL(url).href.replace(/[^A-Za-z0-9;/?:@&=+$,\-_.!~*'#%]|[()]/gu, (letter) =>
    letter < "\u0080" ? `%${letter.charCodeAt(0).toString(16)}` : encodeURIComponent(letter),
  );

/** A name of at most eighty UTF-16 units, which ends with whole letters. */
function short(name) {
  if (name.length <= 80) return name;
  let cut = "";
  for (const letter of name) {
    if ((cut + letter).length > 77) break;
    cut += letter;
  }
  return `${cut}...`;
}

function neutral({ sources }, { text, order }) {
  const rest = Object.keys(sources).filter((key) => !order.includes(key));
  const list = [...order, ...rest].map((key) => ({
    title: first(sources[key].title) ?? "Document",
    url: first(sources[key].url),
    quote: sources[key].quote,
  }));
  return { text, sources: list };
}

function claims({ sources }, order, channel) {
  const taken = new Set();
  return order.map((key, at) => {
    const [title, url, quote] = [first(sources[key].title) ?? "Document", first(sources[key].url), sources[key].quote];
    const isWeb = channel === "web-chat";
    const appearance = {
      "@type": "DigitalDocument",
      name: isWeb ? title : short(title),
      ...(url ? { url: encoded(url) } : {}),
    };
    // Two documents at one address: browsers cut the directive off.
    if (isWeb && url && taken.has(url)) appearance.url += `#:~:cite=${at + 1}`;
    taken.add(url);
    if (isWeb && !url) appearance.text = quote ?? "";
    if (!isWeb) appearance.abstract = short(title);
    return { "@type": "Claim", position: isWeb ? String(at + 1) : at + 1, appearance };
  });
}

function activity(vector, channel, expected, { text, order }) {
  const citation = claims(vector, order, channel);
  const definitions = citation.map(
    ({ position, appearance: { name, url } }) =>
      `[${position}]: ${url ?? `cite:${position}`} "${name.replace(/[\\"]/g, "\\$&")}"`,
  );
  const message = {
    type: "https://schema.org/Message",
    "@context": "https://schema.org",
    "@type": "Message",
    "@id": "",
    citation,
  };
  if (expected.label) message.usageInfo = { "@id": "_:s1", "@type": "CreativeWork", name: expected.label.name };
  return {
    type: "message",
    textFormat: "markdown",
    entities: [message],
    text: channel === "web-chat" && definitions.length > 0 ? `${text}\n\n${definitions.join("\n")}` : text,
  };
}

function plain({ sources }, { text, order }) {
  const lines = order.map(
    (key, at) => `[${at + 1}] ${first(sources[key].title) ?? "Document"}: ${first(sources[key].url) ?? ""}`,
  );
  return { type: "message", textFormat: "plain", text: lines.length > 0 ? `${text}\n\n${lines.join("\n")}` : text };
}

/** A text whose tags are text. */
const harmless = (text, tags) =>
  tags.filter((tag) => tag.startsWith("<")).reduce((all, tag) => all.replaceAll(tag, `&lt;${tag.slice(1)}`), text);

/** Sources without a place behind those with one, where readers see a list. */
function withListed(listed, { text, order }, channel) {
  const rest = listed.filter((key) => !order.includes(key));
  return { text, order: ["web-chat", "plain"].includes(channel) ? [...order, ...rest] : order };
}

/** The reply to the request of a vector for a channel. */
export function reply(vector, channel) {
  const expected = { ...vector.expect, ...vector.channels[channel] };
  if (expected.refused) return { refused: "nobody can read this" };
  const text = harmless(first(expected.reads), expected.absent ?? []);
  const found = withListed(expected.listed ?? [], numbered(text, channel === "web-chat" ? "\u200b" : ""), channel);
  if (channel === "teams") found.text = found.text.replace(/^(\[\d+\]):/gm, "$1\u200b:");
  if (channel === "neutral") return { ...neutral(vector, found), complete: expected.complete !== false };
  return channel === "plain" ? plain(vector, found) : activity(vector, channel, expected, found);
}
