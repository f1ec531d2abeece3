// The list of assistants: make one, copy one, delete one.

import { Refusal, assistantPath, call, onlyIf, read } from './api.js';
import { ask, button, count, element, labelled, make, say } from './screen.js';

const NAME = /^[a-z][a-z0-9_-]{0,39}$/;
const RULE = 'It stands in addresses and cannot be changed later. 1 to 40 characters: a to z, 0 to 9, hyphens and underscores; the first one is a letter.';

/** Where an assistant comes from. */
export const ORIGINS = {
  store: 'made here',
  configuration: 'configuration file',
  'built-in': 'built in',
};

/** Settings that only the configuration file can have, or one assistant. */
const NOT_COPIED = [['display_name'], ['shared'], ['secret_env'], ['secret_file'], ['documents', 'folder'], ['documents', 'max_depth']];

export async function showAssistants(reload) {
  const { assistants } = await read('/v1/assistants');
  const list = make('ul', 'rows', ...assistants.map((assistant) => row(assistant, reload)));
  const empty = make('p', 'quiet-text', 'There is no assistant yet.');
  const heading = make('div', 'row', make('h2', '', 'Assistants'), button('New assistant', 'primary', () => create()));
  return { parts: [make('section', 'card', heading, assistants.length > 0 ? list : empty)] };
}

function row(assistant, reload) {
  const { name, display_name: title, origin, fault, takes_documents: takesDocuments } = assistant;
  const facts = make('ul', 'counts', make('li', '', ORIGINS[origin] ?? origin));
  if (title !== name) facts.prepend(make('li', 'mono', name));
  if (assistant.answers_page) facts.append(make('li', 'some', 'answers the page'));
  if (assistant.shared) facts.append(make('li', 'some', 'shared'));
  if (fault) facts.append(make('li', 'wrong', 'does not answer'));
  if (takesDocuments) facts.append(documentsOf(name));
  const link = element('a', { href: `#/assistants/${encodeURIComponent(name)}` }, title);
  const copy = button('Duplicate', 'quiet small', () => duplicate(name));
  copy.setAttribute('aria-label', `Duplicate ${name}`);
  const buttons = make('span', 'buttons', copy);
  if (origin === 'store') {
    const remove = button('Delete', 'quiet small', async () => {
      if (await deleteAssistant(name)) reload();
    });
    remove.setAttribute('aria-label', `Delete ${name}`);
    buttons.append(remove);
  }
  const line = make('li', '', make('h3', '', link), facts, buttons);
  if (fault) line.append(make('p', 'problem', fault));
  return line;
}

/** How many documents there are, once it is known. */
function documentsOf(name) {
  const place = make('li', '', 'documents');
  read(assistantPath(name, 'documents')).then(
    ({ documents }) => (place.textContent = count(documents.length, 'document')),
    () => place.remove(),
  );
  return place;
}

/** An id from a name in any writing: `Debian Handbook` gives `debian-handbook`. */
export function idOf(name) {
  const letters = name.normalize('NFKD').toLowerCase().replaceAll('ß', 'ss').replace(/\p{M}/gu, '');
  const id = letters.replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+/, '').slice(0, 40).replace(/-+$/, '');
  return id === '' && name.trim() !== '' ? 'assistant' : id;
}

/** The fields for the name that readers see, and for the id that follows from it until somebody enters another one. */
function nameFields() {
  const name = element('input', { type: 'text', required: true, maxlength: 80, autocomplete: 'off' });
  const id = element('input', { type: 'text', required: true, maxlength: 40, autocapitalize: 'none', spellcheck: 'false', autocomplete: 'off' });
  const { field: nameField, problem: nameProblem } = labelled('Name', name, 'As your readers see it, such as Debian Handbook.');
  const { field: idField, problem: idProblem } = labelled('Id', id, RULE);
  let isOwn = false;
  id.addEventListener('input', () => (isOwn = id.value !== ''));
  name.addEventListener('input', () => {
    if (!isOwn) id.value = idOf(name.value);
  });
  const check = (input, problem, isGood, words) => {
    input.setAttribute('aria-invalid', String(!isGood));
    problem.textContent = isGood ? '' : words;
    if (!isGood) {
      for (let at = input.parentElement; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
      input.focus();
      throw new Refusal(words);
    }
  };
  /** The id and the name, if they are good. */
  const given = () => {
    check(name, nameProblem, name.value.trim() !== '', 'Enter a name.');
    check(id, idProblem, NAME.test(id.value), 'An assistant cannot have this id.');
    const title = name.value.trim();
    return { id: id.value, settings: title === id.value ? {} : { display_name: title } };
  };
  return { nameField, idField, given };
}

/** Stores an assistant that must be new, and opens it. */
async function put(name, options) {
  try {
    await call('PUT', assistantPath(name), { ...options, headers: { ...options.headers, ...onlyIf() } });
  } catch (error) {
    if (error.status === 412) throw new Refusal('There is an assistant with this id already', 'Choose another name, or another id.');
    throw error;
  }
  say('The assistant is there.');
  location.hash = `#/assistants/${name}`;
  return true;
}

/** What a new assistant begins with: its badges lead to the cited pages, which only readers of the conversation can open. */
const NEW = { documents: {}, citation_link_mode: 'authenticated' };

function create() {
  const { nameField, idField, given } = nameFields();
  const file = element('input', { type: 'file', accept: '.toml,application/toml' });
  const { field: fileField } = labelled('Settings from a TOML file', file, 'A file that “Export TOML” wrote.');
  const advanced = make('details', 'fold', make('summary', '', 'Advanced'), make('div', 'inner', idField, fileField));
  return ask({
    title: 'New assistant',
    content: [nameField, advanced],
    action: 'Create',
    submit: async () => {
      const { id, settings } = given();
      const [toml] = file.files;
      const greeting = `Hello! I am ${settings.display_name ?? id}. Ask me a question, and I answer from my documents.`;
      return put(id, toml ? { body: toml, headers: { 'content-type': 'application/toml' } } : { json: { ...NEW, ...settings, greeting } });
    },
  });
}

function duplicate(original) {
  const { nameField, idField, given } = nameFields();
  return ask({
    title: `Duplicate ${original}`,
    content: [make('p', '', 'The settings are copied, but not the documents and the key.'), nameField, idField],
    action: 'Duplicate',
    submit: async () => {
      const { id, settings: named } = given();
      const settings = await read(assistantPath(original));
      for (const [member, inner] of NOT_COPIED) {
        if (inner) delete settings[member]?.[inner];
        else delete settings[member];
      }
      return put(id, { json: { ...settings, ...named } });
    },
  });
}

/** Asks, and deletes an assistant; gives whether it is gone. */
export function deleteAssistant(name) {
  return ask({
    title: `Delete ${name}?`,
    content: [make('p', '', 'The assistant and its documents are deleted. Conversations stay.')],
    action: 'Delete',
    danger: true,
    submit: async () => {
      await call('DELETE', assistantPath(name));
      say(`The assistant ${name} is deleted.`);
      return true;
    },
  });
}
