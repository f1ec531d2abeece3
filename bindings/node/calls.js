// The calls of citewire over its WebAssembly module. Hosts that load modules in ways of their own connect them here.

/** The longest answer, activity or stream, in bytes. */
export const MAX_BYTES = 16 * 1024 * 1024;

/** Memory of a module never shrinks, so one that has grown beyond this is replaced when no stream needs it. */
const KEPT_BYTES = 128 * 1024 * 1024;

/** The calls by their names. */
const CALLS = ['convert', 'check', 'fix', 'records', 'prompt'];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An error with a stable code, and where it has one, its place in the answer. */
export class CitewireError extends Error {
  constructor({ code, detail, pointer, event, line }, options) {
    super(detail, options);
    this.name = 'CitewireError';
    this.code = code;
    // All are written: errors of JavaScriptCore have a `line` of their own, that of the code.
    Object.assign(this, { pointer, event, line });
  }
}

const refused = (code, detail, options) => new CitewireError({ code, detail }, options);

const isWellFormed = (text) => (text.isWellFormed ? text.isWellFormed() : !/\p{Surrogate}/u.test(text));

/** Text in UTF-8. Half a character has no form in it, and the encoder would replace it in silence. */
function encode(text) {
  if (text.length > MAX_BYTES) throw tooLong();
  if (!isWellFormed(text)) {
    throw refused('half_a_character', 'the text holds half of a surrogate pair; give whole characters, or bytes');
  }
  return encoder.encode(text);
}

const tooLong = () => refused('body_too_long', `the answer is longer than ${MAX_BYTES} bytes`);

/** The bytes of an answer or activity: given as text or bytes as they were received, or as an object. */
function bytesOf(given) {
  let bytes;
  if (typeof given === 'string') bytes = encode(given);
  else if (given instanceof Uint8Array) bytes = given;
  else if (given instanceof ArrayBuffer) bytes = new Uint8Array(given);
  else {
    const json = given === null || typeof given !== 'object' ? undefined : JSON.stringify(given);
    if (json === undefined) throw new TypeError('text, bytes or an object is required');
    bytes = encode(json);
  }
  if (bytes.byteLength > MAX_BYTES) throw tooLong();
  return bytes;
}

const parametersOf = (parameters) => (parameters === undefined ? '' : (JSON.stringify(parameters) ?? ''));

/** One instance of the module, with the streams that are open in it. */
class Instance {
  constructor(module) {
    this.exports = new WebAssembly.Instance(module).exports;
    this.streams = 0;
    this.isLost = false;
  }

  write(place, bytes) {
    const at = this.exports[place](bytes.length) >>> 0;
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  read(length) {
    return decoder.decode(new Uint8Array(this.exports.memory.buffer, this.exports.result() >>> 0, length));
  }

  /** Calls, and reads the result; undefined where there is none. */
  call(name, number, body, parameters) {
    if (this.isLost) throw refused('stream_ended', 'the stream was lost when a call failed; begin another one');
    try {
      if (body !== undefined) this.write('body', body);
      if (parameters !== undefined) this.write('parameters', parameters);
      const length = this.exports[name](number);
      if (length < 0) throw new CitewireError(JSON.parse(this.read(-length)));
      if (name === 'stream_begin') return length;
      return length === 0 ? undefined : this.read(length);
    } catch (error) {
      if (error instanceof CitewireError) throw error;
      // A trap leaves the memory as it was in the middle of the call.
      this.isLost = true;
      throw refused('internal', `citewire failed: ${error.message}`, { cause: error });
    }
  }
}

/**
 * The calls over a compiled module.
 * @param {WebAssembly.Module} module
 */
export function connect(module) {
  let current;

  function instance() {
    if (current && !current.isLost) {
      const isLarge = current.exports.memory.buffer.byteLength > KEPT_BYTES;
      if (!isLarge || current.streams > 0) return current;
    }
    current = new Instance(module);
    return current;
  }

  function callJson(name, given, parameters) {
    if (!CALLS.includes(name)) throw new TypeError(`there is no call ${JSON.stringify(name)}; the calls are ${CALLS.join(', ')}`);
    // Objects may have code of their own, which may call in turn: it runs before memory is touched.
    const [body, beside] = [bytesOf(given), encode(parametersOf(parameters))];
    return instance().call(name, 0, body, beside);
  }

  const freed = new FinalizationRegistry((stream) => stream.free());

  /** The stream as its instance has it, apart from the object that users hold, so that it can be freed after that one. */
  class Open {
    constructor(parameters) {
      const beside = encode(parametersOf(parameters));
      this.instance = instance();
      this.number = this.instance.call('stream_begin', 0, undefined, beside);
      this.instance.streams += 1;
      this.half = '';
    }

    /** Calls with what `bytes` gives. Any error is the end of the stream. */
    call(name, bytes) {
      if (this.number === undefined) throw refused('stream_ended', 'the stream has ended; begin another one');
      try {
        return this.instance.call(name, this.number, bytes?.());
      } catch (error) {
        this.free();
        throw error;
      }
    }

    /** The bytes of a piece. A text may end in the middle of a character, whose other half begins the next one. */
    piece(given) {
      if (typeof given !== 'string') {
        if (this.half) throw refused('half_a_character', 'half of a surrogate pair stands before these bytes');
        return bytesOf(given);
      }
      const text = this.half + given;
      const last = text.charCodeAt(text.length - 1);
      const cut = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
      const bytes = encode(text.slice(0, cut));
      this.half = text.slice(cut);
      return bytes;
    }

    /** What is left for the end: nothing, or half a character that nothing completes. */
    rest() {
      if (this.half) throw refused('half_a_character', 'the stream ends in the middle of a character');
    }

    free() {
      if (this.number === undefined) return;
      this.instance.streams -= 1;
      if (!this.instance.isLost) this.instance.exports.stream_free(this.number);
      this.number = undefined;
    }
  }

  class Streaming {
    #open;

    constructor(parameters) {
      this.#open = new Open(parameters);
      freed.register(this, this.#open, this);
    }

    push(piece) {
      const update = this.#open.call('stream_push', () => this.#open.piece(piece));
      return update === undefined ? undefined : JSON.parse(update);
    }

    soFar() {
      const activity = this.#open.call('stream_so_far');
      return activity === undefined ? undefined : JSON.parse(activity);
    }

    finishJson() {
      const end = this.#open.call('stream_finish', () => this.#open.rest());
      this.free();
      return end;
    }

    finish() {
      return JSON.parse(this.finishJson());
    }

    async *follow(pieces) {
      let isWhole = false;
      try {
        for await (const piece of pieces) {
          const update = this.push(piece);
          if (update) yield update;
        }
        isWhole = true;
      } finally {
        // Where pieces or their reader fail, `finish` is not called.
        if (!isWhole) this.free();
      }
    }

    free() {
      freed.unregister(this);
      this.#open.free();
    }

    [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
      this.free();
    }
  }

  const call = (name) => (given, parameters) => JSON.parse(callJson(name, given, parameters));
  return {
    callJson,
    convert: call('convert'),
    check: call('check'),
    fix: call('fix'),
    records: call('records'),
    prompt: call('prompt'),
    Streaming,
  };
}
