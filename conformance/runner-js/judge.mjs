// What must hold in a reply, and what does not.

import { faultsOfSource, keysOf, nameOf } from "./sources.mjs";
import * as teams from "./teams.mjs";
import { align } from "./text.mjs";
import * as webChat from "./web-chat.mjs";

/** The channels, and how their activities are judged. */
export const CHANNELS = ["neutral", "web-chat", "teams", "m365-copilot", "plain"];

/** The verdict on the reply to one request: `passed`, `failed` with faults `{rule, expected, came}`, or `unsupported`. */
export function judge(vector, channel, reply) {
  if (typeof reply?.unsupported === "string") return { verdict: "unsupported", why: reply.unsupported, faults: [] };
  const expected = { ...vector.expect, ...vector.channels[channel] };
  const faults = distinct(judged(vector.sources, expected, channel, reply));
  return { verdict: faults.length > 0 ? "failed" : "passed", faults };
}

function judged(sources, expected, channel, reply) {
  const refused = typeof reply?.refused === "string";
  if (expected.refused || refused) {
    if (expected.refused && refused) return [];
    return [
      { rule: "refused", expected: expected.refused ? "a refusal" : "an answer", came: reply?.refused ?? "an answer" },
    ];
  }
  const parts = channel === "neutral" ? neutral(reply) : activity(reply, channel);
  if (parts.fault) return [parts.fault];
  return [
    ...faultsOfText(sources, expected, channel, parts),
    ...faultsOfFragments(expected, channel, parts),
    ...(parts.formFaults ?? []),
    ...faultsOfLabel(expected, parts),
    ...(parts.updates ? faultsOfStream(parts, channel) : []),
  ];
}

const fault = (rule, expected, came) => ({ rule, expected, came: String(came) });
const distinct = (faults) => [...new Map(faults.map((one) => [JSON.stringify(one), one])).values()];

/** The parts of a neutral form. */
function neutral(reply) {
  if (typeof reply?.text !== "string" || !Array.isArray(reply.sources)) {
    return { fault: fault("reply", "{text, sources}", JSON.stringify(reply)?.slice(0, 200)) };
  }
  const shown = new Map(reply.sources.map((source, at) => [at + 1, source]));
  return { text: reply.text, body: reply.text, shown, all: JSON.stringify(reply), complete: reply.complete !== false };
}

/** The parts of an activity, or of the last one of a list. */
function activity(reply, channel) {
  const list = Array.isArray(reply) ? reply : [reply];
  const last = list.at(-1);
  const channelText = last?.text;
  if (last?.type !== "message" || typeof channelText !== "string") {
    return { fault: fault("reply", 'a message: {"type": "message", "text": …}', JSON.stringify(last)?.slice(0, 200)) };
  }
  const all = JSON.stringify(last);
  const updates = list.length > 1 ? list : undefined;
  if (channel === "plain") return { ...plainList(channelText), text: channelText, all, updates };
  const entities = last.entities ?? [];
  const messages = entities.filter(
    (entity) => String(entity?.type).startsWith("https://schema.org/") && entity["@id"] === "",
  );
  const message = messages[0];
  const parts = { text: channelText, all, updates, entities, message, formFaults: faultsOfMessage(entities, messages) };
  const shown = new Map((message?.citation ?? []).map((claim) => [Number(claim.position), webChat.shown(claim)]));
  if (channel !== "web-chat") return { ...parts, body: channelText, shown };
  const { body, definitions, isApart } = webChat.split(channelText);
  for (const { label, url, title } of definitions)
    if (!shown.has(Number(label))) shown.set(Number(label), { title, url });
  return { ...parts, body, definitions, isApart, shown };
}

/** A text whose last lines list its sources. */
function plainList(text) {
  const lines = text.split("\n");
  const shown = new Map();
  while (lines.length > 0) {
    const match = /^\[(\d+)\]:? +(.*)$/.exec(lines.at(-1));
    if (match) shown.set(Number(match[1]), { line: match[2] });
    else if (lines.at(-1).trim() !== "" || shown.size > 0) break;
    lines.pop();
  }
  return { body: lines.join("\n"), shown };
}

/** The faults of the schema.org Message and its claims. */
function faultsOfMessage(entities, messages) {
  const faults = [];
  const things = entities.filter((entity) => String(entity?.type).startsWith("https://schema.org/"));
  for (const thing of things) {
    const form = { context: thing["@context"], type: typeof thing["@type"], id: thing["@id"] };
    if (form.context !== "https://schema.org" || form.type !== "string" || form.id !== "") {
      faults.push(fault("message-entity", '@context "https://schema.org", @type, @id ""', JSON.stringify(form)));
    }
  }
  if (messages.length > 1) faults.push(fault("message-entity", "one Message", `${messages.length}`));
  const claims = messages[0]?.citation ?? [];
  const positions = claims.map((claim) => String(claim.position));
  if (new Set(positions).size < positions.length)
    faults.push(fault("claim", "each position once", positions.join(", ")));
  for (const { "@type": type, position, name, appearance } of claims) {
    const isNamed = [name, appearance?.name].some((one) => typeof one === "string" && one.trim() !== "");
    if (type !== "Claim" || typeof appearance?.["@type"] !== "string" || !isNamed) {
      faults.push(fault("claim", "@type Claim, appearance with @type and name", `claim ${position}`));
    }
  }
  return faults;
}

/** Whether the words are there, each number is where it must be, and leads where it must. */
function faultsOfText(sources, expected, channel, parts) {
  const options = {
    titleLimit: ["teams", "m365-copilot"].includes(channel) ? 80 : undefined,
    needsPassage: channel === "neutral",
  };
  const reads = [expected.reads].flat();
  const tries = reads.map((one) => faultsOfReading(sources, one, parts, options));
  const best = tries.reduce((best, one) => (one.faults.length < best.faults.length ? one : best));
  const numbers = best.groups.flatMap((group) => group.numbers);
  if (channel === "web-chat")
    parts.formFaults.push(...webChat.faults({ textFormat: undefined, ...last(parts) }, parts.message, parts, numbers));
  if (options.titleLimit)
    parts.formFaults.push(...teams.faults(last(parts), parts.message, numbers, channel === "m365-copilot"));
  return [...best.faults, ...faultsOfList(sources, expected, channel, parts, numbers, options)];
}

const last = (parts) => ({ ...JSON.parse(parts.all), text: parts.text });

function faultsOfReading(sources, reads, { body, shown }, options) {
  const { groups, difference } = align(reads, body);
  const faults = difference ? [fault("text", ...difference)] : [];
  for (const { keys, numbers, place } of groups) {
    const rest = [...new Set(keys)];
    for (const number of new Set(numbers)) {
      const source = shown.get(number);
      if (!source) {
        faults.push(fault("dangling", `a source for [${number}] at ${place}`, "none"));
        continue;
      }
      const key = rest.find((one) => faultsOfSource(sources[one], source, options).length === 0);
      if (key !== undefined) rest.splice(rest.indexOf(key), 1);
      else if (rest.length > 0) faults.push(...mismatch(sources, rest.shift(), source, options, place));
      else faults.push(fault("place", `no number at ${place}`, `[${number}] ${nameOf(source)}`));
    }
    for (const key of rest) faults.push(fault("place", `the number of "${key}" at ${place}`, "none"));
  }
  return { faults, groups };
}

/** The faults of a source at a place where another one, or another form of it, is expected. */
function mismatch(sources, key, shown, options, place) {
  const other = keysOf(sources, shown, { ...options, needsPassage: false }).find((one) => one !== key);
  if (other !== undefined) return [fault("wrong-source", `"${key}" at ${place}`, `"${other}": ${nameOf(shown)}`)];
  return faultsOfSource(sources[key], shown, options).map((one) => ({
    ...one,
    expected: `${one.expected}, at ${place}`,
  }));
}

/** The faults of the list of sources: invented, uncited, missing ones. */
function faultsOfList(sources, expected, channel, { shown }, numbers, options) {
  const faults = [];
  const lenient = { ...options, needsPassage: false };
  const keys = new Map([...shown].map(([number, source]) => [number, keysOf(sources, source, lenient)]));
  const listed = expected.listed ?? [];
  // Teams draws a claim only where its number stands in the text.
  const isRead = ["web-chat", "plain"].includes(channel);
  for (const [number, source] of shown) {
    if (numbers.includes(number)) continue;
    if (keys.get(number).length === 0)
      faults.push(fault("invented", "a source of the input", `[${number}] ${nameOf(source)}`));
    else if (isRead && !keys.get(number).some((key) => listed.includes(key))) {
      faults.push(fault("uncited", "cited sources alone", `[${number}] ${nameOf(source)}`));
    }
  }
  const found = new Set([...keys.values()].flat());
  const must = channel === "neutral" ? Object.keys(sources) : [];
  for (const key of must)
    if (!found.has(key)) faults.push(fault("named", `"${key}": ${nameOf(sources[key])}`, "no such source"));
  for (const key of isRead ? listed : [])
    if (!found.has(key)) faults.push(fault("listed", `"${key}"`, "no such source"));
  return faults;
}

/** The faults of fragments that must stay or go. */
function faultsOfFragments(expected, channel, { body, text, all, complete }) {
  const faults = [];
  const seen = body.replace(/[\u200a\u200b]/g, "");
  for (const kept of expected.kept ?? [])
    if (!seen.includes(kept)) faults.push(fault("kept", kept, around(body, kept)));
  for (const absent of expected.absent ?? []) {
    if (all.includes(JSON.stringify(absent).slice(1, -1)))
      faults.push(fault("absent", `no ${absent}`, around(text, absent)));
  }
  if (expected.complete === false && channel === "neutral" && complete) {
    faults.push(fault("complete", '"complete": false', "an answer that passes for a whole one"));
  }
  return faults;
}

function around(text, fragment) {
  const at = Math.max(0, text.indexOf(fragment) - 20);
  return text.slice(at, at + 80);
}

function faultsOfLabel(expected, { message, entities }) {
  if (expected.label === undefined || !entities) return [];
  const label = message && webChat.labelOf(message, entities);
  const faults = [];
  if (expected.label === null) {
    if (label) faults.push(fault("label", "none", label.name));
    return faults;
  }
  if (label?.name !== expected.label.name) faults.push(fault("label", expected.label.name, label?.name ?? "none"));
  return faults;
}

/** The faults of the updates before the last activity. */
function faultsOfStream({ updates }, channel) {
  const faults = [];
  const metadata = (one) =>
    (one.entities ?? []).find((entity) => entity.type === "streaminfo") ?? one.channelData ?? {};
  updates.slice(0, -1).forEach((update, at) => {
    const { streamType, streamSequence } = metadata(update);
    if (update.type !== "typing" || !["informative", "streaming"].includes(streamType) || streamSequence !== at + 1) {
      faults.push(fault("stream", `typing, streaming, ${at + 1}`, `${update.type}, ${streamType}, ${streamSequence}`));
    }
  });
  const end = metadata(updates.at(-1));
  if (end.streamType !== "final" || end.streamSequence !== undefined)
    faults.push(fault("stream", "final", JSON.stringify(end)));
  const texts = updates.filter((one) => metadata(one).streamType !== "informative").map((one) => one.text ?? "");
  for (let at = 1; at < texts.length && channel !== "web-chat"; at++) {
    if (!texts[at].startsWith(texts[at - 1]))
      faults.push(fault("stream-prefix", texts[at - 1].slice(-60), texts[at].slice(0, 60)));
  }
  return faults;
}
