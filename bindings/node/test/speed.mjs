// How long a conversion takes: as text, as objects, and with passages that citations are held against.
//
//     node speed.mjs

import { callJson, convert } from '@citewire/core';

const passage = 'What the document says, in one paragraph of some length, as search services return it.';

const answer = (more) =>
  JSON.stringify({
    text: Array.from({ length: 22 }, (_, at) => `Sentence ${at + 1} says what the policy of the office says [${(at % 3) + 1}].`).join(' '),
    sources: ['Leave policy', 'Staff handbook', 'Rules of travel'].map((title, at) => ({
      title,
      url: `https://hr.example/documents/${title.toLowerCase().replaceAll(' ', '-')}/${at + 1}`,
      ...more,
    })),
  });

function best(call) {
  const times = [];
  for (let round = 0; round < 30; round += 1) {
    const begun = process.hrtime.bigint();
    for (let time = 0; time < 100; time += 1) call();
    times.push(Number(process.hrtime.bigint() - begun) / 100 / 1000);
  }
  times.sort((one, other) => one - other);
  return `${times[0].toFixed(1)} µs at best, ${times[15].toFixed(1)} µs in the middle`;
}

const [plain, quoted] = [answer({}), answer({ content: passage })];
console.log(`${plain.length} bytes, as text:    ${best(() => callJson('convert', plain))}`);
console.log(`${plain.length} bytes, as objects: ${best(() => convert(plain))}`);
console.log(`${quoted.length} bytes with passages: ${best(() => callJson('convert', quoted))}`);
