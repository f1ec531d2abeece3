// What the package does with everything that programs may give it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { callJson, check, CitewireError, convert, fix, MAX_BYTES, prompt, records, Streaming } from '@citewire/core';
import { connect } from '@citewire/core/load';

const source = { title: 'Leave policy', url: 'https://hr.example/leave' };
const answer = { text: 'Leave is 30 days [1].', sources: [source] };
const event = (value) => `data: ${JSON.stringify(value)}\n\n`;
const events = [event({ sources: [source] }), event({ delta: 'One [1]. ' }), event({ delta: 'Two 😀.' }), event({ done: true })];

/** The error of a call, which is one of citewire's with this code. */
function refused(code, call) {
  let error;
  assert.throws(call, (thrown) => (error = thrown) instanceof CitewireError && thrown instanceof Error);
  assert.equal(error.code, code, error.message);
  return error;
}

test('an answer is the same as object, text, bytes and buffer', () => {
  const text = JSON.stringify(answer);
  const bytes = new TextEncoder().encode(text);
  const wanted = callJson('convert', answer, { channel: 'teams' });
  for (const body of [text, bytes, bytes.buffer, Buffer.from(text)]) {
    assert.equal(callJson('convert', body, { channel: 'teams' }), wanted);
  }
  assert.equal(convert(answer, { report: false }).report, undefined);
});

test('an activity is checked and mended, sources are read and listed', () => {
  const activity = convert(answer).activities.at(-1);
  assert.deepEqual(check(activity).findings.filter(({ severity }) => severity === 'error'), []);
  activity.entities[0].citation[0].position = 'one';
  assert.ok(check(activity, { channel: 'teams' }).findings.length > 0);
  const mended = fix(activity, { channel: 'teams' });
  assert.ok(mended.changes.length > 0 && mended.activity.type === 'message');
  assert.equal(records(answer).sources[0].url, source.url);
  assert.match(prompt({ sources: [{ ...source, content: 'Thirty days.' }] }).text, /Thirty days/);
});

test('errors have the code and the place', () => {
  assert.equal(refused('unknown_channel', () => convert(answer, { channel: 'fax' })).name, 'CitewireError');
  assert.equal(refused('invalid_member', () => convert(answer, { options: { updates: 'x' } })).pointer, '/options/updates');
  assert.equal(refused('invalid_answer', () => convert({ text: 5 })).pointer, '/text');
  const stream = new Streaming({ from: 'citewire' });
  const { event: number, line } = refused('invalid_answer', () => stream.push(event({ delta: 'a' }) + event({ delta: 5 })));
  assert.deepEqual({ number, line }, { number: 2, line: 3 });
  // What an engine writes into errors of its own, such as a line of the code, is none of citewire's.
  const placeless = refused('not_json', () => check('{'));
  for (const member of ['pointer', 'event', 'line']) assert.ok(Object.hasOwn(placeless, member) && placeless[member] === undefined);
  refused('grounding_no_tools', () => convert({ text: 'a' }, { options: { require_grounding: 'any' } }));
  refused('not_json', () => check('{'));
  refused('not_an_activity', () => fix('5'));
});

test('half a character is refused in text, and escaped in objects as JSON has it', () => {
  refused('half_a_character', () => convert('{"text": "\ud83d"}'));
  assert.equal(refused('invalid_member', () => convert(answer, 'teams')).pointer, '');
  assert.equal(typeof convert({ ...answer, text: 'a \ud83d b' }).activities[0].text, 'string');
  const bytes = Uint8Array.from([0x7b, 0xff, 0x7d]);
  refused('invalid_answer', () => convert(bytes));
});

test('what is no answer is a TypeError, and an exception in an object comes out as it is', () => {
  for (const body of [undefined, null, 5, true, () => {}, Symbol('a')]) assert.throws(() => convert(body), TypeError);
  const mine = new RangeError('mine');
  const body = { toJSON() { throw mine; } };
  assert.throws(() => convert(body), (error) => error === mine);
  assert.throws(() => convert(answer, body), (error) => error === mine);
  const calls = { toJSON: () => ({ ...answer, text: convert(answer).activities[0].text }) };
  assert.match(convert(calls).activities[0].text, /30 days/);
});

test('an answer, activity or stream that is too long is refused, and calls go on', () => {
  const long = new Uint8Array(100 * 1024 * 1024).fill(0x61);
  for (const call of [convert, check, fix, records, prompt]) refused('body_too_long', () => call(long));
  refused('body_too_long', () => convert('a'.repeat(MAX_BYTES + 1)));
  refused('body_too_long', () => convert(`"${'é'.repeat(MAX_BYTES / 2)}"`));
  const stream = new Streaming({ channel: 'plain' });
  const piece = event({ delta: 'a'.repeat(256 * 1024) });
  refused('body_too_long', () => { for (let at = 0; at < 65; at += 1) stream.push(piece); });
  refused('stream_ended', () => stream.push(piece));
  assert.equal(convert(answer).activities.length, 1);
});

test('two streams at once do not mix, wherever characters are cut', () => {
  const whole = JSON.parse(callJson('convert', events.join(''), { channel: 'teams', options: { updates: 0 } }));
  const [one, other] = [new Streaming({ channel: 'teams' }), new Streaming({ channel: 'plain' })];
  for (const unit of events.join('').split('')) {
    one.push(unit);
    other.push(unit);
  }
  assert.deepEqual(one.finish().message, whole.activities[0]);
  assert.equal(other.finish().message.text.includes('Two 😀.'), true);
});

test('a stream shows its text, and ends once', () => {
  const stream = new Streaming();
  const updates = events.map((piece) => stream.push(piece)).filter(Boolean);
  assert.deepEqual(updates.map(({ kind }) => kind), updates.map(() => 'text'));
  assert.ok(updates.length > 0 && stream.soFar().text.startsWith('One [1]. Two'));
  assert.equal(stream.finish().continues, true);
  for (const call of ['push', 'soFar', 'finish', 'finishJson']) refused('stream_ended', () => stream[call](''));
  stream.free();
});

test('a name that is no call is refused, and open streams go on', () => {
  const stream = new Streaming();
  stream.push(events[0]);
  for (const name of ['Convert', 'stream_free', 'memory', undefined]) assert.throws(() => callJson(name, answer), TypeError);
  stream.push(events[1]);
  stream.free();
});

test('a stream that is freed has ended', () => {
  const stream = new Streaming();
  stream.push(events[0]);
  stream.free();
  stream.free();
  refused('stream_ended', () => stream.push(events[1]));
  refused('unknown_channel', () => new Streaming({ channel: 'fax' }));
});

test('a stream that ends in half a character says so', () => {
  const ends = [(stream) => stream.finish(), (stream) => stream.push(new Uint8Array(1)), (stream) => stream.push('\ud83d')];
  for (const end of ends) {
    const stream = new Streaming();
    stream.push('data: {"delta": "\ud83d');
    refused('half_a_character', () => end(stream));
    refused('stream_ended', () => stream.finish());
  }
});

test('an exception of the pieces or of the reader ends the stream and comes out', async () => {
  const mine = new Error('mine');
  async function* pieces() {
    yield events[0];
    yield events[1];
    throw mine;
  }
  const broken = new Streaming();
  await assert.rejects(async () => { for await (const update of broken.follow(pieces())) assert.ok(update.text); }, mine);
  refused('stream_ended', () => broken.finish());
  const left = new Streaming();
  await assert.rejects(async () => { for await (const update of left.follow(events)) throw mine; }, mine);
  refused('stream_ended', () => left.finish());
  const whole = new Streaming();
  const shown = [];
  for await (const { text } of whole.follow(events)) shown.push(text);
  assert.ok(whole.finish().message.text.startsWith(shown.at(-1)));
});

test('a trap is an error, and the next call has a new instance', () => {
  // (module (memory (export "memory") 1) (func (export NAME) (param i32) (result i32) …)): `body` and `parameters` give place 0,
  // `convert` is unreachable.
  const names = ['body', 'parameters', 'convert'];
  const text = (name) => [name.length, ...Buffer.from(name)];
  const section = (id, bytes) => [id, bytes.length, ...bytes];
  const code = [[0, 0x41, 0, 0x0b], [0, 0x41, 0, 0x0b], [0, 0x00, 0x0b]].flatMap((body) => [body.length, ...body]);
  const module = new WebAssembly.Module(Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, 1, 0x7f, 1, 0x7f]),
    ...section(3, [3, 0, 0, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [4, ...text('memory'), 2, 0, ...names.flatMap((name, at) => [...text(name), 0, at])]),
    ...section(10, [3, ...code]),
  ]));
  const { convert: trapping } = connect(module);
  for (let time = 0; time < 2; time += 1) {
    const error = refused('internal', () => trapping(answer));
    assert.ok(error.cause instanceof WebAssembly.RuntimeError);
  }
});

test('the module imports nothing and needs no evaluation of code', () => {
  const file = new URL(import.meta.resolve('@citewire/core/citewire.wasm'));
  assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(file))), []);
  const loader = readFileSync(new URL(import.meta.resolve('@citewire/core/load')), 'utf8');
  assert.doesNotMatch(loader, /\beval\b|new Function|fetch\(|import\(/);
});

test('many conversions and streams leave nothing in memory', () => {
  const file = new URL(import.meta.resolve('@citewire/core/citewire.wasm'));
  const instances = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(module) {
      super(module);
      instances.push(this);
    }
  };
  const own = connect(new WebAssembly.Module(readFileSync(file)));
  const body = JSON.stringify(answer);
  const round = (count) => {
    for (let time = 0; time < count; time += 1) {
      own.callJson('convert', body);
      const stream = new own.Streaming();
      for (const piece of events) stream.push(piece);
      if (time % 2) stream.free();
      else stream.finish();
      refused('not_json', () => own.check('{'));
    }
    return instances[0].exports.memory.buffer.byteLength;
  };
  const times = Number(process.env.CITEWIRE_CONVERSIONS ?? 1000);
  const before = round(times / 10);
  const after = round(times);
  WebAssembly.Instance = Instance;
  assert.deepEqual([after, instances.length], [before, 1], `${times} conversions`);
});

test('eight threads convert at once', async () => {
  const body = JSON.stringify(answer);
  const code = `
    import { callJson } from ${JSON.stringify(import.meta.resolve('@citewire/core'))};
    import { parentPort, workerData } from 'node:worker_threads';
    let last; for (let time = 0; time < 50; time += 1) last = callJson('convert', workerData);
    parentPort.postMessage(last);`;
  const one = () => new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData: body });
    worker.once('message', resolve).once('error', reject);
  });
  const wanted = callJson('convert', body);
  for (const got of await Promise.all(Array.from({ length: 8 }, one))) assert.equal(got, wanted);
});
