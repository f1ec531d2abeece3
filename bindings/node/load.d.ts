import type * as core from './index.js';

export { CitewireError, MAX_BYTES } from './index.js';

/** The calls over a compiled module, for hosts that load modules in ways of their own. */
export function connect(
  module: WebAssembly.Module,
): Pick<typeof core, 'callJson' | 'convert' | 'check' | 'fix' | 'records' | 'prompt' | 'Streaming'>;
