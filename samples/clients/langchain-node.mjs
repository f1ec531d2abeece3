// Asks an assistant of citewire with LangChain for JavaScript: invoke, then stream.

import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: 'docs',
  apiKey: process.env.CITEWIRE_API_KEY,
  configuration: { baseURL: 'http://127.0.0.1:3978/v1' },
  // LangChain keeps the members that it does not know only in the raw answer.
  __includeRawResponse: true,
});

function show(raw) {
  for (const { index, document_name, download_url = '' } of raw?.citations?.sources ?? []) {
    console.log(`[${index}] ${document_name} ${download_url}`);
  }
}

console.log('-- invoke');
const answer = await model.invoke('How do I put citewire behind Open WebUI?');
console.log(answer.content);
show(answer.additional_kwargs.__raw_response);

console.log('\n-- stream');
let last;
for await (const chunk of await model.stream('How do I put citewire behind Open WebUI?')) {
  process.stdout.write(chunk.text);
  const raw = chunk.additional_kwargs.__raw_response;
  if (raw?.citations) last = raw;
}
console.log();
show(last);
