// Makes the samples of LangChain for JavaScript again, with its own serializers and invented content.
//
//     node write_langchain.mjs FOLDER
import { mkdirSync, writeFileSync } from 'node:fs';
import { Document } from '@langchain/core/documents';
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';

const folder = `${process.argv[2]}/langchain`;

function write(sample, name, text) {
  mkdirSync(`${folder}/${sample}`, { recursive: true });
  writeFileSync(`${folder}/${sample}/${name}`, text);
}

const json = value => `${JSON.stringify(value, null, 2)}\n`;
const response_metadata = { output_version: 'v1', model_provider: 'openai' };

const text = 'Oolong is half oxidised ☕. 半発酵茶です。';
const points = words => [...text.slice(0, text.indexOf(words))].length;
const cited = (words, more) => ({ type: 'citation', ...more, startIndex: points(words), endIndex: points(words) + [...words].length });
const annotations = [
  cited('Oolong is half oxidised ☕.', { url: 'https://tea.example.org/oolong', title: 'Oolong', citedText: 'Between green and black.' }),
  { type: 'citation', title: 'atlas.pdf', startIndex: 34, endIndex: 34, fileId: 'file-7' },
];
write('message-js', 'input.json', json(new AIMessage({ id: 'm1', content: [{ type: 'text', text, annotations }], response_metadata })));

// The citations of Claude as they come, and as they are translated: with positions in the source.
const citations = [
  { type: 'page_location', document_title: 'Tea atlas', document_index: 0, start_page_number: 2, end_page_number: 3, cited_text: 'Rolled.' },
  { type: 'web_search_result_location', url: 'https://tea.example.org/oolong', title: 'Oolong', encrypted_index: 'Eo8B', cited_text: 'Half.' },
];
const raw = new AIMessage({
  id: 'm2',
  content: [
    { type: 'text', text: 'Its leaves are ' },
    { type: 'text', text: 'rolled and half oxidised', citations },
    { type: 'text', text: '.' },
  ],
  response_metadata: { model_provider: 'anthropic' },
});
write('claude-js', 'input.json', json(raw));
write('claude-blocks-js', 'input.json', json(new AIMessage({ id: 'm2', content: raw.contentBlocks, response_metadata: { output_version: 'v1' } })));

// The pieces of a graph's messages, as `stream` yields them in the mode `messages`.
const found = [new Document({ id: 'k1', pageContent: 'Roll, then heat.', metadata: { source: 'oolong.pdf', loc: { pageNumber: 4 } } })];
const step = langgraph_node => ({ langgraph_step: 1, langgraph_node });
const pieces = ['Rolled ', 'first [1', '], then heated 🔥.'].map(content => [new AIMessageChunk({ id: 'run-1', content }), step('answer')]);
const tool = new ToolMessage({ id: 't1', tool_call_id: 'c1', content: '…', artifact: found });
write('graph-stream-js', 'input.json', json([[new HumanMessage({ id: 'h1', content: 'Oolong?' }), step('ask')], [tool, step('tools')], ...pieces]));
