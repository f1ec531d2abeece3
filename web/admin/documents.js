// The documents of an assistant: upload, replace, delete.

import { assistantPath, call, read, upload } from './api.js';
import { ask, button, count, element, filePicker, make, problemBox, say, showProblem, size, time } from './screen.js';

/** How often documents that are being read are looked at. */
const LOOK_AGAIN_MS = 2000;

const STATES = { reading: 'being read', ready: 'ready', partial: 'read in part', unreadable: 'cannot be read' };

export class Documents {
  #name;
  #list = make('ul', 'rows documents');
  /** Files that are on their way, or were refused. */
  #pending = make('ul', 'rows');
  #total = make('p', 'quiet-text');
  #problem = problemBox();
  #timer;
  #isShown = false;

  constructor(name) {
    this.#name = name;
    const picker = filePicker('Choose files', { className: 'primary', multiple: true, label: 'Choose files' }, (files) => this.#upload(files));
    const drop = make('div', 'drop', make('p', '', 'Drop files here, or'), picker);
    for (const name of ['dragover', 'dragleave', 'drop']) {
      drop.addEventListener(name, (event) => {
        event.preventDefault();
        drop.classList.toggle('over', name === 'dragover');
        if (name === 'drop') this.#upload([...event.dataTransfer.files]);
      });
    }
    this.section = element('section', { class: 'card', 'aria-labelledby': 'documents-title', hidden: true });
    const heading = element('h3', { id: 'documents-title' }, 'Documents');
    this.section.append(heading, drop, this.#problem, this.#pending, this.#list, this.#total);
  }

  /** Shows the documents of an assistant that has some, and nothing of one that has none. */
  show(has) {
    this.section.hidden = !has;
    this.#isShown = has;
    if (has) this.#refresh();
  }

  leave() {
    this.#isShown = false;
    clearTimeout(this.#timer);
  }

  async #refresh() {
    clearTimeout(this.#timer);
    let listed;
    try {
      listed = await read(assistantPath(this.#name, 'documents'));
    } catch (error) {
      showProblem(this.#problem, error);
      return;
    }
    const { documents, bytes, max_bytes: most } = listed;
    this.#list.replaceChildren(...documents.map((document) => this.#row(document)));
    const states = documents.map(({ state }) => state);
    this.#total.textContent = [count(documents.length, 'document'), ...faults(states), `${size(bytes)} of ${size(most)}`].join(', ');
    const isReading = documents.some(({ state }) => state === 'reading');
    if (isReading && this.#isShown) this.#timer = setTimeout(() => this.#refresh(), LOOK_AGAIN_MS);
  }

  #row({ name, bytes, received, state, pages, passages, loss, reason }) {
    const facts = make('ul', 'counts');
    facts.append(make('li', { ready: 'some', partial: 'wrong', unreadable: 'wrong' }[state] ?? '', STATES[state] ?? state), make('li', '', size(bytes)));
    if (pages !== null) facts.append(make('li', '', count(pages, 'page')));
    if (passages !== null) facts.append(make('li', '', count(passages, 'passage')));
    facts.append(make('li', '', time(received)));
    const replace = filePicker('Replace', { className: 'quiet small', label: `Replace ${name}` }, ([file]) => this.#put(file, name));
    const remove = button('Delete', 'quiet small', () => this.#delete(name));
    remove.setAttribute('aria-label', `Delete ${name}`);
    const line = make('li', '', make('strong', 'name', name), facts, make('span', 'buttons', replace, remove));
    const problem = reason ?? loss;
    if (problem !== null) line.append(make('p', 'problem', problem));
    return line;
  }

  /** Uploads one file after the other: the server reads them one after the other as well. */
  async #upload(files) {
    // All are shown from the start, so that nobody misses one that waits.
    const lines = files.map((file) => this.#line(file.name));
    const states = [];
    for (const [at, file] of files.entries()) states.push(await this.#put(file, file.name, lines[at]));
    if (files.length > 1) say(summary(states));
  }

  /** The line of a file that waits for its upload. */
  #line(name) {
    const outcome = make('p', 'quiet-text', 'waits');
    const line = make('li', '', make('strong', 'name', name), outcome);
    this.#pending.append(line);
    return { line, outcome };
  }

  /** Uploads a file; gives the state of the document, or nothing if the server does not have it. */
  async #put(file, name = file.name, { line, outcome } = this.#line(name)) {
    const bar = element('progress', { max: file.size, value: '0', 'aria-label': `Upload of ${name}` });
    outcome.textContent = 'being uploaded';
    line.append(bar);
    const sent = (bytes) => {
      bar.value = bytes;
      outcome.textContent = bytes < file.size ? `${size(bytes)} of ${size(file.size)} uploaded` : 'uploaded, being read';
    };
    try {
      const { state } = await upload(assistantPath(this.#name, 'documents', name), file, sent);
      line.remove();
      say(`${name} is uploaded and ${STATES[state] ?? state}.`);
      await this.#refresh();
      return state;
    } catch (error) {
      bar.remove();
      outcome.className = 'problem';
      outcome.setAttribute('role', 'alert');
      outcome.textContent = `Not uploaded: ${error.detail ?? error.message}`;
      const close = button('Close', 'quiet small', () => line.remove());
      close.setAttribute('aria-label', `Close the message about ${name}`);
      line.append(make('span', 'buttons', close));
      return undefined;
    }
  }

  async #delete(name) {
    const isGone = await ask({
      title: `Delete ${name}?`,
      content: [make('p', '', 'Answers do not quote this document any more.')],
      action: 'Delete',
      danger: true,
      submit: async () => {
        await call('DELETE', assistantPath(this.#name, 'documents', name));
        return true;
      },
    });
    if (!isGone) return;
    say(`${name} is deleted.`);
    await this.#refresh();
  }
}

/** How several uploads ended: how many can be quoted, and what became of the others. */
function summary(states) {
  const ready = states.filter((state) => state === 'ready').length;
  return `${[`${ready} of ${count(states.length, 'file')} can be read`, ...faults(states)].join(', ')}.`;
}

/** How many documents are in each state in which some of their words cannot be found. */
function faults(states) {
  const words = [['partial', 'read in part'], ['unreadable', 'cannot be read'], ['reading', 'still being read'], [undefined, 'not uploaded']];
  const counts = words.map(([state, words]) => [states.filter((other) => other === state).length, words]);
  return counts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
}
