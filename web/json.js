// JSON for people: where it goes wrong, and how it looks in colour.

const BLANK = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;

class Fault extends Error {
  constructor(at, expected) {
    super(expected);
    this.at = at;
  }
}

/** Whether a text is a stream, as a provider sends it: server-sent events, or one JSON object a line. */
export function isStream(text) {
  const lines = text.trim().split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
  if (/^(?:[A-Za-z][\w-]*)?:/.test(lines[0] ?? '')) return true;
  const isObject = (line) => line.trim().startsWith('{') && faultIn(line) === undefined;
  return lines.length > 1 && lines.every(isObject);
}

/**
 * Says in a sentence where the text stops being JSON, or undefined when it is JSON.
 *
 * Engines word this differently, and some leave out the place.
 */
export function faultIn(text) {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    // Which fault it is, our own reading tells.
  }
  try {
    read(text);
  } catch (error) {
    if (error instanceof Fault) {
      const lines = text.slice(0, error.at).split(/\r\n|\r|\n/);
      const place = `Line ${lines.length}, column ${lines.at(-1).length + 1}`;
      const rest = text.slice(error.at).trim();
      return rest === ''
        ? `${place}: the text ends, but ${error.message} is missing.`
        : `${place}: ${error.message} is expected here.`;
    }
  }
  return 'It is nested too deeply.';
}

function read(text) {
  let at = 0;
  const eat = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const next = (pattern) => {
    eat(BLANK);
    return eat(pattern);
  };
  const need = (pattern, expected) => {
    if (!next(pattern)) throw new Fault(at, expected);
  };
  const string = (expected) => {
    if (next(STRING)) return;
    throw new Fault(at, text[at] === '"' ? 'a string that ends with a double quote on the same line' : expected);
  };
  const value = () => {
    if (next(/\{/y)) {
      if (next(/\}/y)) return;
      do {
        string('a name in double quotes');
        need(/:/y, 'a colon');
        value();
      } while (next(/,/y));
      need(/\}/y, 'a comma or }');
    } else if (next(/\[/y)) {
      if (next(/\]/y)) return;
      do value();
      while (next(/,/y));
      need(/\]/y, 'a comma or ]');
    } else if (!eat(SCALAR)) {
      string('a value');
    }
  };
  value();
  need(/$/y, 'the end');
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The parts of well-formed JSON text as nodes, each kind with its class. */
export function coloured(json) {
  const parts = [];
  let end = 0;
  for (const token of json.matchAll(TOKEN)) {
    const [whole, string, colon] = token;
    const span = document.createElement('span');
    span.className = string ? (colon ? 'json-key' : 'json-string') : 'json-other';
    span.textContent = string ?? whole;
    parts.push(json.slice(end, token.index), span, colon ?? '');
    end = token.index + whole.length;
  }
  parts.push(json.slice(end));
  return parts;
}
