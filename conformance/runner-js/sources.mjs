// Whether a source of the output is the one that is expected.

import { letters } from "./text.mjs";

const list = (value) => (Array.isArray(value) ? value : [value]);
const plain = (text) =>
  text
    .replace(/[\u200b-\u200f\u2060\ufeff]/g, "")
    .replace(/\s+/g, " ")
    .trim();

/** An address without what browsers do not see: percent signs of letters, the directive, the slash of an empty path. */
export function address(url) {
  let short = url.replace(/#:~:.*$/s, "").replace(/(#.*?):~:.*$/s, "$1");
  try {
    short = decodeURIComponent(short);
  } catch {
    // A percent sign that is none.
  }
  const parts = /^([a-z+.-]+:\/\/[^/?#]*)(.*)$/is.exec(short);
  if (!parts) return short;
  return parts[1].toLowerCase() + (parts[2] === "/" ? "" : parts[2]);
}

const sameAddress = (wanted, url) => list(wanted).some((one) => address(one) === address(url));

/** Whether a title is the one that is expected, or for a channel with a limit its beginning. */
function sameTitle(wanted, title, limit) {
  return list(wanted).some((one) => {
    const whole = plain(one);
    if (plain(title) === whole) return true;
    const begun = letters(title.replace(/(\.\.\.|…)\s*$/u, ""));
    return limit !== undefined && whole.length > limit && begun.length >= limit / 2 && letters(whole).startsWith(begun);
  });
}

const isWeb = (url) => /^https?:\/\//i.test(url ?? "");

/** Whether the text in which a plain channel lists a source names it. */
function faultsOfLine(wanted, line) {
  const faults = [];
  if (wanted.title !== undefined && !list(wanted.title).some((title) => plain(line).includes(plain(title)))) {
    faults.push({ rule: "title", expected: list(wanted.title).join(" or "), came: line });
  }
  if (wanted.url && !list(wanted.url).some((url) => decoded(line).includes(address(url)))) {
    faults.push({ rule: "address", expected: list(wanted.url).join(" or "), came: line });
  }
  if (wanted.url === null && /^[\s:,(<–—-]*https?:\/\//i.test(behindTitle(wanted, line))) {
    faults.push({ rule: "address", expected: "no address", came: line });
  }
  return faults;
}

/** A line behind the title. An address may stand there; one in the passage behind it is none of the source. */
function behindTitle({ title }, line) {
  const begins = [title ?? []].flat().map(plain).find((one) => plain(line).startsWith(one));
  return plain(line).slice(begins?.length ?? 0);
}

function decoded(line) {
  return line.replace(/\S*:\/\/\S+/g, (url) => address(url));
}

/** The faults of a source as it is shown: `{title, url, quote}`, or `{line}` in a plain text. */
export function faultsOfSource(wanted, shown, { titleLimit, needsPassage } = {}) {
  if (shown.line !== undefined) return faultsOfLine(wanted, shown.line);
  const faults = [];
  if (wanted.title !== undefined && !sameTitle(wanted.title, shown.title ?? "", titleLimit)) {
    faults.push({ rule: "title", expected: list(wanted.title).join(" or "), came: shown.title ?? "none" });
  }
  if (wanted.url && !(shown.url && sameAddress(wanted.url, shown.url))) {
    faults.push({ rule: "address", expected: list(wanted.url).join(" or "), came: shown.url ?? "none" });
  }
  if (wanted.url === null && isWeb(shown.url)) {
    faults.push({ rule: "address", expected: "no address", came: shown.url });
  }
  if (needsPassage && wanted.quote && !letters(shown.quote ?? "").includes(letters(wanted.quote).slice(0, 60))) {
    faults.push({ rule: "passage", expected: wanted.quote, came: shown.quote ?? "none" });
  }
  return faults;
}

/** The sources that a shown one may be: those without a fault of title and address. */
export function keysOf(sources, shown, options) {
  return Object.keys(sources).filter((key) => faultsOfSource(sources[key], shown, options).length === 0);
}

/** A source of the output in a few words. */
export const nameOf = (shown) => shown.line ?? [shown.title, shown.url].filter(Boolean).join(" · ") ?? "nothing";
