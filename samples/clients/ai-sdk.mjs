// Asks an assistant of citewire with the AI SDK: whole, then streamed; the sources are in `providerMetadata`.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';

// The provider drops members that it does not know, unless this takes them.
const metadataExtractor = {
  extractMetadata: async ({ parsedBody }) => ({ citewire: parsedBody.citations ?? {} }),
  createStreamExtractor() {
    let citations = {};
    return {
      processChunk(chunk) {
        citations = chunk?.citations ?? citations;
      },
      buildMetadata: () => ({ citewire: citations }),
    };
  },
};

const citewire = createOpenAICompatible({
  name: 'citewire',
  baseURL: 'http://127.0.0.1:3978/v1',
  apiKey: process.env.CITEWIRE_API_KEY,
  includeUsage: true,
  metadataExtractor,
});

const question = { model: citewire('docs'), prompt: 'How do I put citewire behind Open WebUI?' };

function show({ sources = [] }) {
  for (const { index, document_name, download_url = '' } of sources) {
    console.log(`[${index}] ${document_name} ${download_url}`);
  }
}

console.log('-- whole');
const answer = await generateText(question);
console.log(answer.text);
show(answer.providerMetadata.citewire);

console.log('\n-- streamed');
const stream = streamText(question);
for await (const text of stream.textStream) process.stdout.write(text);
console.log();
show((await stream.providerMetadata).citewire);
