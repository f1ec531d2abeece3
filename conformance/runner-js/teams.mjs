// What Teams needs beside the right words and sources, and Microsoft 365 Copilot with it.

import { withoutCode } from "./web-chat.mjs";

const ICONS = new Set([
  "Microsoft Word",
  "Microsoft Excel",
  "Microsoft PowerPoint",
  "Microsoft OneNote",
  "Microsoft SharePoint",
  "Microsoft Visio",
  "Microsoft Loop",
  "Microsoft Whiteboard",
  "Adobe Illustrator",
  "Adobe Photoshop",
  "Adobe InDesign",
  "Adobe Flash",
  "Sketch",
  "Source Code",
  "Image",
  "GIF",
  "Video",
  "Sound",
  "ZIP",
  "Text",
  "PDF",
]);
const CARD = "application/vnd.microsoft.card.adaptive";

/** The faults of one claim. */
function faultsOfClaim(claim, fault) {
  const { name, abstract, keywords, text, encodingFormat, image, url } = claim.appearance ?? {};
  const at = `claim ${claim.position}`;
  if (typeof name === "string" && name.length > 80)
    fault("teams-limits", "a name of at most 80", `${at}: ${name.length}`);
  if ((abstract ?? "").length > 480) fault("teams-limits", "an abstract of at most 480", `${at}: ${abstract.length}`);
  if ((keywords ?? []).length > 3 || (keywords ?? []).some((word) => word.length > 28)) {
    fault("teams-limits", "three keywords of 28", `${at}: ${JSON.stringify(keywords)}`);
  }
  if ((text === undefined) !== (encodingFormat === undefined)) {
    fault("teams-fields", "`text` and `encodingFormat`, or neither", `${at}: ${encodingFormat ?? "no format"}`);
  }
  if (encodingFormat !== undefined && encodingFormat !== CARD) fault("teams-fields", CARD, `${at}: ${encodingFormat}`);
  if (image !== undefined && !ICONS.has(image.name))
    fault("teams-fields", "an icon of the list", `${at}: ${image.name}`);
  if (url !== undefined && !/^https?:\/\//i.test(url)) fault("teams-fields", "http(s)", `${at}: ${url}`);
}

/** The faults of the labels: one on a claim needs its twin on the message. */
function faultsOfLabels(message, fault) {
  for (const claim of message.citation ?? []) {
    const usage = claim.appearance?.usageInfo;
    const own = message.usageInfo;
    const isTwin =
      own?.["@id"] === usage?.["@id"] && own?.name === usage?.name && own?.description === usage?.description;
    if (usage && !isTwin) fault("label", "the message's label on the claim", `claim ${claim.position}: ${usage.name}`);
  }
}

/** The faults of the form. */
export function faults(activity, message, numbers, isCopilot) {
  const found = [];
  const fault = (rule, expected, came) => found.push({ rule, expected, came: String(came) });
  const text = activity.text ?? "";
  if (/^\[\d+\]: *\S/m.test(withoutCode(text)))
    fault("teams-definition", "no definitions", /^\[\d+\]:.*/m.exec(text)[0]);
  const claims = message?.citation ?? [];
  if (claims.length > 20) fault("teams-limits", "at most 20 claims", claims.length);
  const positions = claims.map((claim) => claim.position);
  if (positions.some((position) => !Number.isInteger(position) || position < 1)) {
    fault("teams-position", "whole numbers", JSON.stringify(positions));
  } else if (positions.some((position, at) => at > 0 && position <= positions[at - 1])) {
    fault("teams-position", "ascending positions", JSON.stringify(positions));
  }
  for (const number of numbers) {
    if (!positions.includes(number)) fault("dangling", `a claim ${number}`, JSON.stringify(positions));
  }
  for (const claim of claims) faultsOfClaim(claim, fault);
  if (message) faultsOfLabels(message, fault);
  if (isCopilot) {
    for (const { position, appearance } of claims) {
      const fields = ["encodingFormat", "usageInfo"].filter((field) => appearance?.[field] !== undefined);
      if (appearance?.image?.name !== undefined) fields.push("image.name");
      if (fields.length > 0) fault("copilot-fields", "none of these fields", `claim ${position}: ${fields.join(", ")}`);
    }
  }
  return found;
}
