// What Web Chat needs beside the right words and sources.

const ADDRESS = /^(cite:[!-~]+|https?:\/\/[A-Za-z0-9;/?:@&=+$,\-_.!~*'#%]+)$/;
const DEFINITION = /^\[([^\]\n]+)\]: *<?([^\s>]+)>?(?: +"((?:[^"\\]|\\.)*)")? *$/;

/** The text without the definitions at its end, and these. */
export function split(text) {
  const lines = text.split("\n");
  const definitions = [];
  while (lines.length > 0) {
    const match = DEFINITION.exec(lines.at(-1));
    if (match) definitions.unshift({ label: match[1], url: match[2], title: match[3] });
    else if (lines.at(-1).trim() !== "" || definitions.length > 0) break;
    lines.pop();
  }
  return { body: lines.join("\n"), definitions, isApart: lines.length === 0 || lines.at(-1).trim() === "" };
}

/** A claim as readers see it. */
export function shown(claim) {
  const appearance = claim.appearance ?? {};
  return {
    title: claim.name ?? appearance.name,
    url: appearance.url,
    quote: appearance.text ?? appearance.abstract,
  };
}

/** The label of the message, with the node that a reference names. */
export function labelOf(message, entities) {
  const usage = message.usageInfo;
  if (!usage) return undefined;
  const isReference = Object.keys(usage).every((key) => key.startsWith("@"));
  if (!isReference) return usage;
  const nodes = [...(message.citation ?? []).map((claim) => claim.appearance?.usageInfo), ...entities];
  return nodes.find((node) => node?.["@id"] === usage["@id"] && Object.keys(node).some((key) => !key.startsWith("@")));
}

/** The faults of the form. */
export function faults(activity, message, { body, definitions, isApart }, numbers) {
  const found = [];
  const fault = (rule, expected, came) => found.push({ rule, expected, came: String(came) });
  if (["plain", "xml"].includes(activity.textFormat)) fault("text-format", "markdown", activity.textFormat);
  const claims = message?.citation ?? [];
  const labels = definitions.map((definition) => definition.label);
  if (new Set(labels).size < labels.length) fault("definition-place", "each number once", labels.join(", "));
  const urls = definitions.map((definition) => definition.url);
  if (new Set(urls).size < urls.length) fault("definition-place", "each address once", urls.join(" "));
  if (definitions.length > 0 && !isApart)
    fault("definition-place", "a blank line above the definitions", body.slice(-40));
  for (const claim of claims) {
    const definition = definitions.find(({ label }) => label === String(claim.position));
    const url = claim.appearance?.url;
    if (!definition) fault("definition", `[${claim.position}]: with the address of the claim`, "no definition");
    else if (url !== undefined && definition.url !== url) fault("definition", url, definition.url);
    if (url === undefined && typeof claim.appearance?.text !== "string") {
      fault("claim", "`text`, or Web Chat ends when readers press the number", "neither `url` nor `text`");
    }
  }
  for (const { url } of definitions) if (!ADDRESS.test(url)) fault("definition-address", "http(s) in ASCII", url);
  for (const number of numbers) {
    if (!labels.includes(String(number))) fault("dangling", `a definition of [${number}]`, labels.join(", ") || "none");
  }
  const touching = /\[\d+\](?=[[({:])|[\]!]\[\d+\]/.exec(withoutCode(body));
  if (touching && labels.some((label) => touching[0].includes(`[${label}]`))) {
    fault("adjacent", "U+200B or a blank between", body.slice(Math.max(0, touching.index - 10), touching.index + 15));
  }
  return found;
}

/** A text with blanks in place of code. */
export function withoutCode(text) {
  const blank = (code) => " ".repeat(code.length);
  return text
    .replace(/^( {0,3}[>\-*+ ]*)(```+|~~~+)[\s\S]*?(\n[> ]*\2[`~]* *$|(?![\s\S]))/gm, blank)
    .replace(/(?<!\\|`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g, blank);
}
