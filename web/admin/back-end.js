// What belongs to the back end of an assistant beside its settings: local models, the key, and a trial.

import { assistantPath, call, read } from './api.js';
import { ask, button, element, labelled, make, sentence, time } from './screen.js';

/** Programs that serve models on one's own machine, with the address at which each listens unless it is told otherwise. */
export const LOCAL = {
  ollama: { title: 'Ollama, on your own machine', url: 'http://127.0.0.1:11434/v1' },
  'lm-studio': { title: 'LM Studio, on your own machine', url: 'http://127.0.0.1:1234/v1' },
  'llama-cpp': { title: 'llama.cpp, on your own machine', url: 'http://127.0.0.1:8080/v1' },
};

/** The program whose usual port an address has on this machine. */
export function localOf({ kind, url } = {}) {
  if (kind !== 'openai' || !URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  const isHere = ['127.0.0.1', 'localhost', '[::1]', 'host.docker.internal'].includes(hostname);
  return Object.keys(LOCAL).find((name) => isHere && new URL(LOCAL[name].url).port === port);
}

/** Has a text field offer the models of the service at an address; gives where it says how that went. */
export function modelList(name, input) {
  const words = element('p', { class: 'help', role: 'status' });
  const list = element('datalist', { id: `${input.id}-models` });
  let latest = 0;
  return {
    parts: [list, words],
    async show(url) {
      latest += 1;
      const current = latest;
      words.className = 'help';
      words.textContent = 'Looking for models …';
      let found;
      try {
        found = await (await call('POST', assistantPath(name, 'models'), { json: { url } })).json();
      } catch (error) {
        found = { models: [], reason: error.detail ?? error.message };
      }
      if (current !== latest) return;
      list.replaceChildren(...found.models.map((model) => new Option(model)));
      // A field without suggestions is a plain one, for screen readers too.
      input.toggleAttribute('list', false);
      if (found.models.length > 0) input.setAttribute('list', list.id);
      if (found.reason) {
        words.className = 'problem';
        words.textContent = `No models were found: ${found.reason}`;
        return;
      }
      if (input.value === '' && found.models.length > 0) input.value = found.models[0];
      words.textContent = found.models.length > 0 ? `Models there: ${found.models.join(', ')}` : 'The service has no models yet.';
    },
  };
}

/** The key of the back end, which is typed in and never shown again. */
export class KeyField {
  #name;
  #input = element('input', { type: 'password', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'none' });
  #state = element('p', { class: 'help' });
  #problem;
  #remove = button('Remove the key', 'quiet small', () => this.#forget());

  constructor(name) {
    this.#name = name;
    const help = 'Paste the key of the service here. It is stored encrypted, sent to this address only, and never shown again.';
    const { field, problem } = labelled('API key', this.#input, help);
    this.#problem = problem;
    field.append(this.#state, this.#remove);
    this.element = field;
    this.#show({ set: false });
  }

  get value() {
    return this.#input.value.trim();
  }

  get isEntered() {
    return this.value !== '';
  }

  async refresh() {
    try {
      this.#show(await read(assistantPath(this.#name, 'key')));
    } catch (error) {
      this.fail(error.detail ?? error.message);
    }
  }

  /** Stores what was typed in. */
  async save() {
    if (!this.isEntered) {
      await this.refresh();
      return;
    }
    const response = await call('PUT', assistantPath(this.#name, 'key'), { json: { key: this.value } });
    this.#input.value = '';
    this.#show(await response.json());
  }

  fail(words) {
    this.#problem.textContent = words;
    this.#input.setAttribute('aria-invalid', 'true');
  }

  #show({ set, ends_in: end, since, origin, named, fault }) {
    this.#input.removeAttribute('aria-invalid');
    this.#problem.textContent = fault ?? '';
    this.#input.placeholder = set ? `•••••••• ${end ?? ''}`.trim() : '';
    this.#remove.hidden = !set;
    this.#state.replaceChildren();
    if (set) {
      this.#state.append(end ? `A key is stored that ends in …${end}, since ` : 'A key is stored, since ', time(since), ...sentence(`. It goes to \`${origin}\` only.`));
    } else if (named) {
      this.#state.append(...sentence(`The settings name the secret \`${named}\` of the configuration file (\`key_env\`, below).`));
    }
    this.#input.disabled = Boolean(named);
  }

  async #forget() {
    const isGone = await ask({
      title: 'Remove the key?',
      content: [make('p', '', 'The assistant cannot ask its model until another key is entered.')],
      action: 'Remove',
      danger: true,
      submit: async () => {
        await call('DELETE', assistantPath(this.#name, 'key'));
        return true;
      },
    });
    if (!isGone) return;
    await this.refresh();
    this.#input.focus();
  }
}

/** A button that asks the back end one short question; `given` gives the settings, or nothing if an entry is no value. */
export function trial(name, key, given, refuse) {
  const outcome = element('div', { class: 'outcome-of-trial', role: 'status' });
  const start = button('Try the model', 'quiet', async () => {
    const settings = given();
    if (!settings) return;
    start.disabled = true;
    outcome.replaceChildren(make('p', 'quiet-text', 'Asking the model …'));
    try {
      const json = { settings, ...(key.isEntered && { key: key.value }) };
      show(await (await call('POST', assistantPath(name, 'try'), { json })).json());
    } catch (error) {
      outcome.replaceChildren();
      if (error.code === 'invalid_settings') refuse(error);
      else show({ works: false, reason: error.detail ?? error.message });
    } finally {
      start.disabled = false;
    }
  });
  const show = ({ works, answer, milliseconds, reason }) => {
    const took = `It took ${(milliseconds / 1000).toFixed(1)} s.`;
    const parts = works
      ? [make('strong', '', 'The model answers.'), make('span', '', `“${answer}” ${took}`)]
      : [make('strong', '', 'The model does not answer'), make('span', '', reason)];
    outcome.replaceChildren(make('div', works ? 'good-box' : 'problem-box', ...parts));
  };
  return { element: make('div', 'trial', start, outcome), clear: () => outcome.replaceChildren() };
}
