// Browsers and bundlers: the module is fetched from beside this file before anything that imports it runs.

import { connect } from './calls.js';

export { CitewireError, MAX_BYTES } from './calls.js';

const file = new URL('./citewire.wasm', import.meta.url);
export const { callJson, convert, check, fix, records, prompt, Streaming } = connect(
  await WebAssembly.compileStreaming(fetch(file)),
);
