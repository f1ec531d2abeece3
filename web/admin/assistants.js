// The list of assistants: make one, copy one, delete one.

import { Refusal, assistantPath, call, onlyIf, read } from './api.js';
import { ask, button, count, element, labelled, make, say } from './screen.js';

const NAME = /^[a-z][a-z0-9_-]{0,39}$/;
const RULE = '1 to 40 characters: a to z, 0 to 9, hyphens and underscores. The first one is a letter.';

/** Where an assistant comes from. */
export const ORIGINS = {
  store: 'made here',
  configuration: 'configuration file',
  'built-in': 'built in',
};

/** Settings that only the configuration file can have, or one assistant. */
const NOT_COPIED = [['secret_env'], ['secret_file'], ['documents', 'folder'], ['documents', 'max_depth']];

export async function showAssistants(reload) {
  const { assistants } = await read('/v1/assistants');
  const list = make('ul', 'rows', ...assistants.map((assistant) => row(assistant, reload)));
  const empty = make('p', 'quiet-text', 'There is no assistant yet.');
  const heading = make('div', 'row', make('h2', '', 'Assistants'), button('New assistant', 'primary', () => create()));
  return { parts: [make('section', 'card', heading, assistants.length > 0 ? list : empty)] };
}

function row(assistant, reload) {
  const { name, origin, fault, takes_documents: takesDocuments } = assistant;
  const facts = make('ul', 'counts', make('li', '', ORIGINS[origin] ?? origin));
  if (fault) facts.append(make('li', 'wrong', 'does not answer'));
  if (takesDocuments) facts.append(documentsOf(name));
  const link = element('a', { href: `#/assistants/${encodeURIComponent(name)}` }, name);
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

function nameField() {
  const input = element('input', { type: 'text', required: true, maxlength: 40, autocapitalize: 'none', spellcheck: 'false' });
  const { field } = labelled('Name', input, RULE);
  /** The name, if it is one. */
  const name = () => {
    const isName = NAME.test(input.value);
    input.setAttribute('aria-invalid', String(!isName));
    if (!isName) {
      input.focus();
      throw new Refusal('An assistant cannot have this name');
    }
    return input.value;
  };
  return { field, name };
}

/** Stores an assistant that must be new, and opens it. */
async function put(name, options) {
  try {
    await call('PUT', assistantPath(name), { ...options, headers: { ...options.headers, ...onlyIf() } });
  } catch (error) {
    if (error.status === 412) throw new Refusal('There is an assistant of this name already', 'Choose another name.');
    throw error;
  }
  say(`The assistant ${name} is there.`);
  location.hash = `#/assistants/${name}`;
  return true;
}

/** What a new assistant begins with: its badges lead to the cited pages, which only readers of the conversation can open. */
const NEW = { documents: {}, citation_link_mode: 'authenticated' };

function create() {
  const { field, name } = nameField();
  const file = element('input', { type: 'file', accept: '.toml,application/toml' });
  const { field: fileField } = labelled('Settings from a TOML file (optional)', file, 'A file that “Export TOML” wrote.');
  return ask({
    title: 'New assistant',
    content: [field, fileField],
    action: 'Create',
    submit: async () => {
      const given = name();
      const [toml] = file.files;
      return put(given, toml ? { body: toml, headers: { 'content-type': 'application/toml' } } : { json: NEW });
    },
  });
}

function duplicate(original) {
  const { field, name } = nameField();
  return ask({
    title: `Duplicate ${original}`,
    content: [make('p', '', 'The settings are copied, but not the documents.'), field],
    action: 'Duplicate',
    submit: async () => {
      const given = name();
      const settings = await read(assistantPath(original));
      for (const [member, inner] of NOT_COPIED) {
        if (inner) delete settings[member]?.[inner];
        else delete settings[member];
      }
      return put(given, { json: settings });
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
