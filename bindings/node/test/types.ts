import { convert, check, fix, records, prompt, callJson, Streaming, CitewireError, type Report } from '@citewire/core';
import { connect } from '@citewire/core/load';
const c = convert({ text: 'a' }, { channel: 'teams', options: { numbering: 'dense', image_hosts: ['x'], require_grounding: 'any' } });
const report: Report | undefined = c.report;
const n: number = report!.sources.cited;
const text: string | undefined = c.activities[0].text;
for (const f of check(c.activities[0]).findings) console.log(f.code, f.pointer);
fix('{}').changes.map((x) => x.message);
records('x').sources[0];
prompt([{ title: 'a' }], { options: { max_bytes: 3 } }).messages;
const s = new Streaming({ channel: 'teams' });
async function f(r: Response) { for await (const u of s.follow(r.body as any)) u.text.length; s.finish().continues; }
try { callJson('convert', new Uint8Array(3)); } catch (e) { if (e instanceof CitewireError) e.code; }
// @ts-expect-error
convert('a', { chanel: 'teams' });
// @ts-expect-error
convert(5);
// @ts-expect-error
convert('a', { options: { nonsense: 1 } });
export { f, n, text, connect };
