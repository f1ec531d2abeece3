// What a bot team writes by hand, as a service: a regular expression, definitions, claims. Neither code nor links are
// spared, and addresses are not looked at; it is here for its speed.
//
//     node benches/regex-server.mjs

import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const { text, sources } = JSON.parse(Buffer.concat(chunks));
    const numbers = new Map();
    const cited = text.replace(/\[(\d+)\]/g, (marker, n) => {
      const source = sources[n - 1];
      if (!source) return marker;
      if (!numbers.has(source)) numbers.set(source, numbers.size + 1);
      return `[${numbers.get(source)}]`;
    });
    const all = [...numbers];
    const activity = {
      type: 'message',
      textFormat: 'markdown',
      text: `${cited}\n\n${all.map(([source, n]) => `[${n}]: ${source.url} "${source.title}"`).join('\n')}`,
      entities: [
        {
          type: 'https://schema.org/Message',
          '@type': 'Message',
          '@context': 'https://schema.org',
          '@id': '',
          additionalType: ['AIGeneratedContent'],
          citation: all.map(([source, n]) => ({
            '@type': 'Claim',
            '@id': source.url,
            position: String(n),
            appearance: { '@type': 'DigitalDocument', name: source.title, url: source.url, abstract: source.content }
          }))
        }
      ]
    };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ activities: [activity], report: { complete: true } }));
  });
});

server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
