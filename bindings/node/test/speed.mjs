// How long a conversion takes, its result as text and as objects.
//
//     node speed.mjs [ANSWER]

import { readFileSync } from 'node:fs';
import { callJson, convert } from '@citewire/core';

const usual = {
  text: Array.from({ length: 11 }, (_, at) => `Sentence ${at + 1} says what the policy of the office says [${(at % 3) + 1}].`).join(' '),
  sources: ['Leave policy', 'Staff handbook', 'Rules of travel'].map((title, at) => ({
    title,
    url: `https://hr.example/documents/${at + 1}`,
    content: `What ${title} says, in one paragraph of some length that is as long as passages of search services are.`,
  })),
};
const body = process.argv[2] ? readFileSync(process.argv[2], 'utf8') : JSON.stringify(usual);

function best(call) {
  const times = [];
  for (let round = 0; round < 30; round += 1) {
    const begun = process.hrtime.bigint();
    for (let time = 0; time < 200; time += 1) call();
    times.push(Number(process.hrtime.bigint() - begun) / 200 / 1000);
  }
  times.sort((one, other) => one - other);
  return `${times[0].toFixed(1)} µs at best, ${times[15].toFixed(1)} µs in the middle`;
}

console.log(`an answer of ${body.length} characters`);
console.log(`as text:     ${best(() => callJson('convert', body))}`);
console.log(`as objects:  ${best(() => convert(body))}`);
console.log(`no verdicts: ${best(() => callJson('convert', body, { options: { require_support: 'off', sentence_links: false } }))}`);
