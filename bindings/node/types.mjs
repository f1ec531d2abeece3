// Writes the types of options and results from the OpenAPI document, so that they are those of the server.
//
//     node types.mjs OPENAPI.JSON > schemas.d.ts

import { readFileSync } from 'node:fs';

const { schemas } = JSON.parse(readFileSync(process.argv[2], 'utf8')).components;

/** The schemas that calls take or give; those that they name follow. */
const wanted = ['Options', 'Report', 'Finding', 'Change', 'RecordsAnswer'];

const PRIMITIVES = { integer: 'number', number: 'number', string: 'string', boolean: 'boolean', null: 'null' };

function nameOf(reference) {
  const name = reference.split('/').pop();
  if (!wanted.includes(name)) wanted.push(name);
  return name;
}

function type(schema) {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const parts = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (parts) return parts.map(type).join(schema.allOf ? ' & ' : ' | ');
  if (Array.isArray(schema.type)) return schema.type.map((one) => type({ ...schema, type: one })).join(' | ');
  if (schema.type === 'array') return `Array<${type(schema.items ?? {})}>`;
  if (schema.type === 'object' && schema.properties) return object(schema);
  if (schema.type === 'object') return '{ [member: string]: any }';
  return PRIMITIVES[schema.type] ?? 'any';
}

function comment(schema, indent) {
  const lines = schema.description?.replaceAll('*/', '* /').split('\n');
  if (!lines) return '';
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function object({ properties, required = [] }) {
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${comment(schema, '  ')}  ${key}${required.includes(name) ? '' : '?'}: ${type(schema)};\n`;
  });
  return `{\n${members.join('')}}`;
}

let written = '// Written from docs/api/openapi.json.\n';
for (const name of wanted) {
  const schema = schemas[name];
  if (!schema) throw new Error(`there is no schema ${name}`);
  written += `\n${comment(schema, '')}export type ${name} = ${type(schema)};\n`;
}
process.stdout.write(written);
