// Holds the package against vectors: the same bytes as in the process that wrote them.
//
//     node vectors.mjs VECTORS.JSONL [PACKAGE]

import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const core = await import(process.argv[3] ?? '@citewire/core');
const counts = {};

/** A result, or the error as the vector has it: its members in their order. */
function outcome(call) {
  try {
    return { result: call(), failed: false };
  } catch (error) {
    if (!(error instanceof core.CitewireError)) throw error;
    const { code, message: detail, pointer, event, line } = error;
    return { result: JSON.stringify({ code, detail, pointer, event, line }), failed: true };
  }
}

for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  const { name, call, parameters, body, base64, cut, updates, result, failed } = JSON.parse(line);
  const bytes = base64 === undefined ? new TextEncoder().encode(body) : Buffer.from(base64, 'base64');
  counts[call] = (counts[call] ?? 0) + 1;
  if (call === 'stream') {
    const shown = [];
    const got = outcome(() => {
      const streaming = new core.Streaming(parameters);
      for (let at = 0; at < bytes.length; at += cut) {
        const update = streaming.push(bytes.subarray(at, at + cut));
        if (update) shown.push(JSON.stringify(update));
      }
      return streaming.finishJson();
    });
    assert.deepEqual({ ...got, shown }, { result, failed, shown: updates }, name);
  } else {
    assert.deepEqual(outcome(() => core.callJson(call, bytes, parameters)), { result, failed }, `${name}: ${call}`);
  }
}
assert.ok(counts.convert > 500 && counts.stream > 100, 'there are vectors');
console.log('equal bytes:', Object.entries(counts).map(([call, count]) => `${call} ${count}`).join(', '));
