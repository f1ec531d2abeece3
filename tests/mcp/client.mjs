// The official client of the Model Context Protocol, driven from outside: what it is to do is the first argument, as JSON, and what it
// tells is one line of JSON on stdout.
//
//   { "url": …, "key": …, "command": …, "calls": [ { "name": …, "arguments": … } ] }
//
// With a command it starts that and speaks to its stdin and stdout; else it speaks HTTP.
// It tells { server, version, tools, results, resources, text } or { error }. The client holds each result against the schema of its tool.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { url, key, command, calls } = JSON.parse(process.argv[2]);
const client = new Client({ name: 'citewire-tests', version: '1' });
const transport = command
  ? new StdioClientTransport({ command, args: ['mcp', '--url', url], env: { ...process.env, CITEWIRE_API_KEY: key } })
  : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } });

let told;
try {
  await client.connect(transport);
  await client.ping();
  const { tools } = await client.listTools();
  const results = [];
  for (const call of calls) results.push(await client.callTool(call));
  const { resources } = await client.listResources();
  const [first] = resources;
  const read = first && (await client.readResource({ uri: first.uri }));
  told = {
    server: client.getServerVersion(),
    tools: tools.map(({ name }) => name),
    results,
    resources,
    text: read?.contents[0].text,
  };
  await client.close();
} catch (error) {
  told = { error: error.message };
}
console.log(JSON.stringify(told));
