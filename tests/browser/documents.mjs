// Documents of assistants: uploads them, asks about them, and finds what badges lead to.

import assert from 'node:assert/strict';
import { API_KEY } from './processes.mjs';

const json = (value) => [JSON.stringify(value), { 'content-type': 'application/json' }];

/** The assistants of a running service. */
export class Assistants {
  #service;

  constructor(service) {
    this.#service = service;
  }

  /** Has an assistant that answers from this document, with more settings of its own. Returns when the document is read. */
  async create(name, file, content, settings = {}) {
    await this.request('PUT', `/v1/assistants/${name}`, ...json({ documents: {}, citation_link_mode: 'authenticated', ...settings }));
    await this.request('PUT', `/v1/assistants/${name}/documents/${file}`, content);
    for (;;) {
      const { documents } = await (await this.request('GET', `/v1/assistants/${name}/documents`)).json();
      if (documents.some(({ state }) => state === 'ready')) return;
    }
  }

  /** Asks an assistant in a conversation of its own; gives its message. */
  async ask(name, question) {
    const granted = await (await this.request('POST', `/v1/assistants/${name}/tokens`, ...json({ user: { id: 'dl_ann', name: 'Ann' } }))).json();
    const call = async (path, body) => {
      const response = await fetch(`${this.#service.url}/v3/directline/conversations${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${granted.token}`, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
      });
      return response.json();
    };
    await call('', {});
    await call(`/${granted.conversationId}/activities`, { type: 'message', from: { id: 'dl_ann' }, text: question });
    for (;;) {
      const { activities } = await call(`/${granted.conversationId}/activities`);
      const message = activities.find(({ type, from }) => type === 'message' && from.role === 'bot');
      if (message) return message;
    }
  }

  /** An address of a badge on this server, which knows no other address of itself. */
  here(address) {
    return `${this.#service.url}${address.slice(address.indexOf('/v1/documents/'))}`;
  }

  async request(method, path, body, headers = {}) {
    const response = await fetch(`${this.#service.url}${path}`, { method, headers: { authorization: `Bearer ${API_KEY}`, ...headers }, body });
    if (!response.ok) assert.fail(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  /** Converts an answer; gives its activities. */
  async convert(answer) {
    const { activities } = await (await this.request('POST', '/v1/activities', ...json({ channel: 'web-chat', answer }))).json();
    return activities;
  }
}

/** The claims of a message. */
export function claims(message) {
  return message.entities.find((entity) => entity.type.endsWith('/Message')).citation ?? [];
}
