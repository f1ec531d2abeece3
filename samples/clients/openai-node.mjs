// Asks an assistant of citewire with OpenAI's client for Node: whole, streamed, the models, and an error.

import OpenAI from 'openai';

const client = new OpenAI({ baseURL: 'http://127.0.0.1:3978/v1', apiKey: process.env.CITEWIRE_API_KEY });
const messages = [{ role: 'user', content: 'How do I put citewire behind Open WebUI?' }];

function show(citations) {
  for (const source of citations?.sources ?? []) {
    if (!citations.referenced_indices.includes(source.index)) continue;
    console.log(`[${source.index}] ${source.document_name} ${source.download_url ?? ''}`);
  }
}

const models = (await client.models.list()).data.map(({ id }) => id);
console.log('models:', models);
const [model] = models;

console.log('\n-- whole');
const answer = await client.chat.completions.create({ model, messages });
console.log(answer.choices[0].message.content);
show(answer.citations);

console.log('\n-- streamed');
let citations;
for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
  // Chunks with the sources have no choices.
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
  citations = chunk.citations ?? citations;
}
console.log();
show(citations);

console.log('\n-- an error');
try {
  await client.chat.completions.create({ model: 'nobody', messages });
} catch (error) {
  console.log(error.status, error.code, error.message);
}
