// The words and numbers of a text: what readers see, whatever its Markdown.

const TOKEN = /⟦([^⟧]+)⟧|\[(\d{1,4})\]|&#(\d+);|&#[xX]([0-9a-fA-F]+);|&(lt|gt|amp|quot|nbsp);|\\?./gsu;
/** Letters, digits and signs, but those with which Markdown is written. */
const SEEN = /[\p{L}\p{N}\p{Sc}\p{So}]|(?![+<=>|~])\p{Sm}/u;

/**
 * The letters, digits and signs of a text, and between them the numbers of sources. In an expectation `⟦key⟧` is such a number,
 * and `[1]` are letters.
 */
export function tokens(text, isExpected) {
  const found = [];
  const letters = (string, at) => {
    for (const letter of string) if (SEEN.test(letter)) found.push({ letter, at });
  };
  for (const match of text.matchAll(TOKEN)) {
    const [whole, key, number, decimal, hexadecimal, name] = match;
    if (key !== undefined && isExpected) found.push({ key, at: match.index });
    else if (number !== undefined && !isExpected)
      found.push({ number: Number(number), digits: number, at: match.index });
    else if (number !== undefined) letters(number, match.index);
    else if (decimal || hexadecimal) {
      const code = Number.parseInt(decimal ?? hexadecimal, decimal ? 10 : 16);
      if (code <= 0x10ffff) letters(String.fromCodePoint(code), match.index);
    } else if (name === undefined) letters(whole.startsWith("\\") ? whole.slice(1) : whole, match.index);
  }
  return found;
}

/** The letters of a text alone. */
export const letters = (text) =>
  tokens(text, true)
    .map((token) => token.letter ?? "")
    .join("");

/** A piece of a text around a place, on one line. */
const around = (text, token) => {
  const at = token?.at ?? text.length;
  return `${text.slice(Math.max(0, at - 30), at)}▸${text.slice(at, at + 30)}`.replace(/\s+/g, " ");
};

/** Whether a number of the output is one of the letters that are expected: `[1]` in code. */
function isLiteral(wanted, at, token) {
  return [...token.digits].every((digit, place) => wanted[at + place]?.letter === digit);
}

/**
 * Lays the output beside the expectation. Gives the groups of numbers with the keys that are expected there, and the first
 * place at which the words differ.
 */
export function align(expected, text) {
  const [wanted, came] = [tokens(expected, true), tokens(text, false)];
  const groups = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [keys, numbers, at] = [[], [], wanted[i]];
    while (wanted[i]?.key !== undefined) keys.push(wanted[i++].key);
    const enough = new Set(keys).size;
    while (came[j]?.number !== undefined && (numbers.length < enough || !isLiteral(wanted, i, came[j]))) {
      numbers.push(came[j++].number);
    }
    if (keys.length + numbers.length > 0) groups.push({ keys, numbers, place: around(expected, at) });
    if (came[j]?.number !== undefined) {
      i += came[j++].digits.length;
    } else if (wanted[i] === undefined && came[j] === undefined) {
      return { groups };
    } else if (wanted[i]?.letter === came[j]?.letter) {
      i++;
      j++;
    } else {
      return { groups, difference: [around(expected, wanted[i]), around(text, came[j])] };
    }
  }
}
