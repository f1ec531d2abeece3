// Node, Deno and Bun: the module is read from the package, and no call waits.

import { readFileSync } from 'node:fs';
import { connect } from './calls.js';

export { CitewireError, MAX_BYTES } from './calls.js';

const file = new URL('./citewire.wasm', import.meta.url);
export const { callJson, convert, check, fix, records, prompt, Streaming } = connect(
  new WebAssembly.Module(readFileSync(file)),
);
