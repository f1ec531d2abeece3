// Faults that programs have, and the rule that must find each of them in at least one channel.

/** Does something to the text, or to the first entity of an activity. */
const text = (change) => (reply) => (typeof reply.text === "string" ? { ...reply, text: change(reply.text) } : reply);
const message = (change) => (reply) => {
  for (const entity of reply.entities ?? []) change(entity);
  return reply;
};
const claims = (change) => message((entity) => entity.citation.forEach(change));
const sources = (change) => (reply) => (reply.sources ? { ...reply, sources: change(reply.sources) } : reply);

export const FAULTS = {
  "no-reply": { rule: "reply", spoil: () => ({}) },
  "text-alone": { rule: "reply", spoil: (reply) => reply.text ?? "" },
  "all-refused": { rule: "refused", spoil: () => ({ refused: "too hard" }) },
  "nothing-refused": {
    rule: "refused",
    spoil: (reply) => (reply.refused ? { type: "message", text: "", sources: [] } : reply),
  },
  "lost-word": { rule: "text", spoil: text((words) => words.replace(/\p{L}+/u, "")) },
  "lost-currency": { rule: "text", spoil: text((words) => words.replace(/\p{Sc}/u, "")) },
  "changed-math": { rule: "text", spoil: text((words) => words.replace(/[≤≥±×−∑]/u, "")) },
  "invented-word": { rule: "text", spoil: text((words) => `Certainly ${words}`) },
  "lost-number": { rule: "place", spoil: text((words) => words.replace("[1]", "")) },
  "number-too-early": { rule: "place", spoil: text((words) => words.replace(/^(.*?)\[1\]/s, "[1]$1")) },
  "swapped-numbers": {
    rule: "wrong-source",
    spoil: text((words) => words.replace(/\[([12])\](?!:)/g, (_, one) => `[${3 - one}]`)),
  },
  "number-without-source": { rule: "dangling", spoil: text((words) => words.replace("[1]", "[1] [77]")) },
  "marker-stays": { rule: "text", spoil: text((words) => words.replace("[1]", "[Source 1]")) },
  "lost-title": { rule: "title", spoil: claims((claim) => (claim.appearance.name = "Document")) },
  "lost-title-of-list": { rule: "title", spoil: sources((list) => list.map((source) => ({ ...source, title: null }))) },
  "other-address": { rule: "address", spoil: claims((claim) => claim.appearance.url && (claim.appearance.url += "x")) },
  "invented-address-in-list": {
    rule: "address",
    spoil: text((words) => words.replace(/^(\[\d+\]:? [^:]*)(?!.*https?:)(.*)$/gm, "$1: https://invented.example/ $2")),
  },
  "lost-address": { rule: "address", spoil: claims((claim) => delete claim.appearance.url) },
  "lost-passage": { rule: "passage", spoil: sources((list) => list.map((source) => ({ ...source, quote: null }))) },
  "invented-source": {
    rule: "invented",
    spoil: sources((list) => [...list, { title: "Wikipedia", url: "https://wikipedia.example/" }]),
  },
  "lost-uncited": { rule: "named", spoil: sources((list) => list.slice(0, 1)) },
  "lost-list": { rule: "listed", spoil: text((words) => words.replace(/\n\n\[1\]:? [^]*/, "")) },
  "shown-uncited": { rule: "uncited", spoil: text((words) => words.replace(/\[1\](?!:)/g, "")) },
  "changed-code": { rule: "kept", spoil: text((words) => words.replace(/(`[^`]*)\[/g, "$1\\[")) },
  "script-stays": { rule: "absent", spoil: text((words) => `${words} [](javascript:x)`) },
  "broken-off-as-whole": { rule: "complete", spoil: (reply) => ({ ...reply, complete: true }) },
  "no-label": { rule: "label", spoil: message((entity) => delete entity.usageInfo) },
  "old-context": { rule: "message-entity", spoil: message((entity) => (entity["@context"] = "http://schema.org")) },
  "no-id": { rule: "message-entity", spoil: message((entity) => delete entity["@id"]) },
  "two-messages": {
    rule: "message-entity",
    spoil: (reply) => ({ ...reply, entities: [...(reply.entities ?? []), ...(reply.entities ?? [])] }),
  },
  "no-claim-type": { rule: "claim", spoil: claims((claim) => delete claim["@type"]) },
  "no-name": { rule: "claim", spoil: claims((claim) => (claim.appearance.name = "")) },
  "no-definitions": { rule: "definition", spoil: text((words) => words.replace(/\n\n\[1\]: [^]*/, "")) },
  "no-blank-line": { rule: "definition-place", spoil: text((words) => words.replace("\n\n[1]:", "\n[1]:")) },
  "same-address": {
    rule: "definition-place",
    spoil: text((words) => words.replace(/^\[2\]: \S+/m, "[2]: cite:1").replace(/^\[1\]: \S+/m, "[1]: cite:1")),
  },
  "script-definition": {
    rule: "definition-address",
    spoil: text((words) => words.replace(/^\[1\]: \S+/m, "[1]: javascript:x")),
  },
  "touching-numbers": { rule: "adjacent", spoil: text((words) => words.replaceAll("\u200b", "")) },
  "plain-format": { rule: "text-format", spoil: (reply) => ({ ...reply, textFormat: "plain" }) },
  "text-positions": { rule: "teams-position", spoil: claims((claim) => (claim.position = String(claim.position))) },
  "descending-positions": { rule: "teams-position", spoil: message((entity) => entity.citation.reverse()) },
  "long-name": {
    rule: "teams-limits",
    spoil: claims((claim) => (claim.appearance.name = claim.appearance.name.padEnd(90, "x"))),
  },
  "long-abstract": { rule: "teams-limits", spoil: claims((claim) => (claim.appearance.abstract = "x".repeat(481))) },
  "many-keywords": {
    rule: "teams-limits",
    spoil: claims((claim) => (claim.appearance.keywords = ["a", "b", "c", "d"])),
  },
  "text-without-encoding": { rule: "teams-fields", spoil: claims((claim) => (claim.appearance.text = "words")) },
  "unknown-icon": {
    rule: "teams-fields",
    spoil: claims((claim) => (claim.appearance.image = { "@type": "ImageObject", name: "Papyrus" })),
  },
  "definitions-for-teams": { rule: "teams-definition", spoil: text((words) => `${words}\n\n[1]: https://x.example/`) },
  "label-for-copilot": {
    rule: "copilot-fields",
    spoil: claims((claim) => (claim.appearance.usageInfo = { "@type": "CreativeWork", name: "Secret" })),
  },
  "sequence-from-zero": { rule: "stream", spoil: (reply) => (reply.entities ? updates(reply, 0) : reply) },
  "changed-beginning": { rule: "stream-prefix", spoil: (reply) => (reply.entities ? updates(reply, 1) : reply) },
};

/** The activity behind an update that begins otherwise. */
function updates(reply, streamSequence) {
  const info = (more) => ({ type: "streaminfo", ...more });
  return [
    { type: "typing", text: "Otherwise", entities: [info({ streamType: "streaming", streamSequence })] },
    { ...reply, entities: [...reply.entities, info({ streamType: "final" })] },
  ];
}
