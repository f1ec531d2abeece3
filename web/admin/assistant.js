// One assistant: its form, its documents, and a chat to try it.

import { Refusal, assistantPath, call, onlyIf, read, versionOf } from './api.js';
import { ORIGINS, deleteAssistant } from './assistants.js';
import { TryIt } from './chat.js';
import { Documents } from './documents.js';
import { AssistantForm, label } from './form.js';
import { merge, same } from './merge.js';
import { ask, button, element, filePicker, make, problemBox, save, say, sentence, showProblem } from './screen.js';
import { Share } from './share.js';

const TOML = 'application/toml';

/** The schema of the form, once it is fetched. */
let schema;

export async function showAssistant(name) {
  const path = assistantPath(name);
  const [listed, response] = await Promise.all([read('/v1/assistants'), call('GET', path)]);
  schema ??= await (await call('GET', '/admin/schema.json')).json();
  const { origin, fault, display_name: title } = listed.assistants.find((one) => one.name === name) ?? { origin: 'store', display_name: name };
  const editor = new Editor(name, origin !== 'store', await response.json(), versionOf(response));
  const tryIt = new TryIt(name);
  const share = new Share(name, listed, (isWanted) => editor.share(isWanted));
  const column = make('div', 'column', editor.head(origin, fault, title), share.section, editor.section);
  if (origin === 'store') share.section.before(editor.documents.section);
  return {
    parts: [make('div', 'columns', column, tryIt.section)],
    isChanged: () => editor.isChanged(),
    leave() {
      editor.documents.leave();
      tryIt.leave();
    },
  };
}

class Editor {
  #name;
  #version;
  #readOnly;
  /** What the form had when it was filled: changes are compared with it. */
  #base;
  #problem = problemBox();
  #form;
  #heading;

  constructor(name, readOnly, settings, version) {
    this.#name = name;
    this.#readOnly = readOnly;
    this.#version = version;
    this.#form = new AssistantForm(schema, { name, readOnly, refuse: (error) => this.#refuse(faultsIn(error.detail), 'Not tried') });
    this.documents = new Documents(name);
    const form = element('form', { novalidate: true }, this.#form.element, this.#problem);
    if (!readOnly) form.append(make('div', 'save', element('button', { type: 'submit', class: 'primary' }, 'Save')));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#save();
    });
    this.section = element('section', { class: 'card', 'aria-labelledby': 'settings-title' });
    this.section.append(element('h3', { id: 'settings-title' }, 'Settings'), form);
    this.#fill(settings);
  }

  head(origin, fault, title) {
    const facts = make('ul', 'counts', make('li', '', ORIGINS[origin] ?? origin));
    if (title !== this.#name) facts.prepend(make('li', 'mono', this.#name));
    const buttons = make('div', 'buttons', button('Export TOML', 'quiet', () => this.#export()));
    const head = make('section', 'card');
    this.#heading = make('h2', '', title);
    const line = make('div', 'title', this.#heading, facts);
    head.append(element('a', { href: '#/assistants' }, 'All assistants'), make('div', 'row', line, buttons));
    if (fault) head.append(make('p', 'problem', `It does not answer: ${fault}`));
    if (this.#readOnly) {
      const words = {
        configuration: `This assistant is part of the configuration of the server. Change it there, in the section \`[assistants.${this.#name}]\`.`,
        'built-in': 'This assistant is part of citewire. It cannot be changed.',
      };
      head.append(make('p', 'notice', ...sentence(words[origin])));
    } else {
      buttons.append(
        filePicker('Import TOML', { accept: `.toml,${TOML}` }, ([file]) => this.#import(file)),
        button('Delete', 'quiet', async () => {
          if (!(await deleteAssistant(this.#name))) return;
          this.#base = this.#form.read();
          location.hash = '#/assistants';
        }),
      );
    }
    return head;
  }

  isChanged() {
    return !this.#readOnly && (this.#form.key.isEntered || !same(this.#base, this.#form.read()));
  }

  #fill(settings) {
    this.#form.fill(settings);
    this.#base = this.#form.read();
    if (this.#readOnly) return;
    this.documents.show('documents' in this.#base);
    this.#form.key.refresh();
  }

  /** Stores whether visitors may choose the assistant, without what else has been entered; gives whether it is stored. */
  async share(isWanted) {
    const { shared, ...settings } = this.#base;
    const json = isWanted ? { ...settings, shared: true } : settings;
    try {
      const response = await call('PUT', assistantPath(this.#name), { json, headers: onlyIf(this.#version) });
      this.#version = versionOf(response);
      this.#base = await response.json();
      this.#form.note('shared', isWanted || undefined);
      return true;
    } catch (error) {
      if (error.status !== 412) throw error;
      this.#conflict();
      return false;
    }
  }

  async #save() {
    this.#problem.replaceChildren();
    const faults = [];
    const settings = this.#form.read(faults);
    if (faults.length > 0) {
      this.#refuse(faults);
      return;
    }
    try {
      const response = await call('PUT', assistantPath(this.#name), { json: settings, headers: onlyIf(this.#version) });
      this.#version = versionOf(response);
      const now = await response.json();
      if (!(await this.#saveKey())) return;
      this.#stored(now, this.#version);
    } catch (error) {
      if (error.status === 412) this.#conflict();
      else if (error.code === 'invalid_settings') this.#refuse(faultsIn(error.detail));
      else showProblem(this.#problem, error);
    }
  }

  /** Stores the key that was entered, which goes to the address that is stored by now; gives whether it is accepted. */
  async #saveKey() {
    const { key } = this.#form;
    if (!key.isEntered) return true;
    try {
      await key.save();
      return true;
    } catch (error) {
      key.fail(error.detail ?? error.message);
      this.#base = this.#form.read();
      showProblem(this.#problem, new Refusal('The settings are saved, but not the key', error.detail ?? error.message));
      return false;
    }
  }

  #stored(settings, version) {
    this.#version = version;
    this.#fill(settings);
    this.#heading.textContent = settings.display_name ?? this.#name;
    say('Saved. The settings apply from the next question on.');
  }

  /** Says which entries are not accepted, beside their fields and, where they have none, below the form. */
  #refuse(faults, what = 'Not saved') {
    const homeless = this.#form.mark(faults);
    const words = homeless.map(({ path, reason }) => (path ? `${path}: ${reason}` : reason)).join('\n');
    const title = `${what}: ${faults.length === 1 ? 'one entry is' : `${faults.length} entries are`} not accepted`;
    showProblem(this.#problem, new Refusal(title, words));
  }

  #conflict() {
    const load = button('Load the newer version', 'primary', () => this.#loadNewer());
    const error = new Refusal(
      'Not saved: somebody else has changed this assistant',
      'Load the newer version, check it, and save again. What you have entered stays in the form.',
    );
    showProblem(this.#problem, error, make('div', 'buttons', load));
    load.focus();
  }

  /** Puts the newer version into the form, with all that was changed here since the older one. */
  async #loadNewer() {
    const mine = this.#form.read();
    const base = this.#base;
    try {
      const response = await call('GET', assistantPath(this.#name));
      const conflicts = [];
      this.#version = versionOf(response);
      this.#fill(await response.json());
      const theirs = this.#base;
      this.#form.fill(merge(base, mine, theirs, conflicts));
      const lines = conflicts.map(({ path, theirs }) => `${label(path.at(-1))}: they entered ${theirs === undefined ? 'nothing' : JSON.stringify(theirs)}`);
      const words = conflicts.length > 0 ? `You both have changed these settings; the form has your entries.\n${lines.join('\n')}` : '';
      const title = 'The newer version is loaded, with your changes';
      showProblem(this.#problem, new Refusal(title, words || 'Save to store them.'));
    } catch (error) {
      if (error.status !== 404) {
        showProblem(this.#problem, error);
        return;
      }
      this.#version = undefined;
      showProblem(this.#problem, new Refusal('Somebody else has deleted this assistant', 'Save to create it again, without its documents.'));
    }
    this.section.querySelector('[type=submit]').focus();
  }

  async #export() {
    try {
      const response = await call('GET', assistantPath(this.#name), { headers: { accept: TOML } });
      save(`${this.#name}.toml`, await response.blob());
    } catch (error) {
      showProblem(this.#problem, error);
    }
  }

  #import(file) {
    return ask({
      title: `Replace the settings of ${this.#name}?`,
      content: [make('p', '', `All settings are replaced by those of ${file.name}. Documents stay.`)],
      action: 'Replace',
      submit: async () => {
        const headers = { 'content-type': TOML, ...onlyIf(this.#version) };
        const response = await call('PUT', assistantPath(this.#name), { body: file, headers });
        this.#problem.replaceChildren();
        this.#stored(await response.json(), versionOf(response));
        return true;
      },
    });
  }
}

/** The faults that the server lists, one a line: the setting, and what is wrong with it. */
function faultsIn(detail) {
  return detail.split('\n').map((line) => {
    const [, path, reason] = /^([\w.-]+): (.*)$/.exec(line) ?? [];
    return path ? { path, reason } : { path: '', reason: line };
  });
}
