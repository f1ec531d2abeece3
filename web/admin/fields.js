// The controls for single settings, one kind for each kind of schema.
//
// A control has `put`, which shows a value or the default, and `get`, which gives what the visitor entered: undefined stands for
// the default, and an error for an entry that is no value.

import { element } from './screen.js';

/** Texts that take more than one line. */
const LONG = ['instructions', 'greeting', 'informative', 'refusal', 'failure', 'busy', 'stopped', 'role_information'];

/** How choices are called where their words alone do not say it. */
const WORDS = {
  none: 'None',
  authenticated: 'Authenticated',
  public: 'Public',
  false: 'Not required',
  true: 'Yes',
  extracted: 'Retrieved sources',
  any: 'At least one cited or used source',
  anchored: 'At least one citation in the text',
  dense: 'By first appearance: 1, 2, 3',
  provider: 'As the back end numbers them',
  merge: 'One source',
  split: 'Two sources',
  auto: 'Automatic',
  numbered: 'Numbered list',
  tags: 'List with tags',
};

const isText = (schema) => schema?.type === 'string';

/** The kinds of controls; the first one that fits is taken. */
const KINDS = [
  [(schema) => schema.enum, choice],
  [(schema) => schema.type === 'boolean', (schema) => (schema.default === undefined ? yesOrNo() : check(schema))],
  [(schema) => ['integer', 'number'].includes(schema.type), number],
  [(schema) => schema.type === 'array' && isText(schema.items), lines],
  [(schema) => schema.oneOf?.some((one) => one.type === 'array' && isText(one.items)), lines],
  [(schema) => schema.type === 'object' && isText(schema.additionalProperties), pairs],
  [isText, text],
  [() => true, json],
];

/** The control for a schema that holds no fields of its own. */
export function controlFor(name, schema) {
  return KINDS.find(([fits]) => fits(schema))[1](schema, name);
}

function choice({ enum: choices, default: usual }) {
  const control = element('select', {});
  const place = (value) => choices.findIndex((one) => String(one).toLowerCase() === String(value).toLowerCase());
  if (usual === undefined) control.append(new Option('Default', ''));
  choices.forEach((value, at) => control.append(new Option(WORDS[value] ?? value, String(at))));
  let given;
  return {
    control,
    put(value) {
      given = value;
      const at = place(value ?? usual);
      const isOther = value !== undefined && at < 0;
      control.querySelector('[value=other]')?.remove();
      // A value that has come by another way is kept.
      if (isOther) control.append(new Option(String(value), 'other'));
      control.value = isOther ? 'other' : at < 0 ? '' : String(at);
    },
    get() {
      if (control.value === 'other') return given;
      if (control.value === '') return undefined;
      const value = choices[Number(control.value)];
      return value === usual && given === undefined ? undefined : value;
    },
  };
}

/** For a switch whose default is not known. */
function yesOrNo() {
  const control = element('select', {});
  control.append(new Option('Default', ''), new Option('Yes', 'true'), new Option('No', 'false'));
  return {
    control,
    put: (value) => (control.value = value === undefined ? '' : String(value)),
    get: () => (control.value === '' ? undefined : control.value === 'true'),
  };
}

function check({ default: usual }) {
  const control = element('input', { type: 'checkbox' });
  let given;
  return {
    control,
    put(value) {
      given = value;
      control.checked = value ?? usual;
    },
    get: () => (control.checked === usual && given === undefined ? undefined : control.checked),
  };
}

function number({ type, minimum, maximum, default: usual }) {
  const step = type === 'integer' ? 1 : 'any';
  const control = element('input', { type: 'number', step, min: minimum, max: maximum, placeholder: usual });
  return {
    control,
    put: (value) => (control.value = value ?? ''),
    get() {
      // A browser gives no value for letters in a number.
      if (control.validity.badInput) throw new Error('A number is required.');
      if (control.value === '') return undefined;
      if (!control.validity.valid) throw new Error(control.validationMessage);
      return Number(control.value);
    },
  };
}

function text({ default: usual }, name) {
  const control = LONG.includes(name)
    ? element('textarea', { rows: name === 'instructions' ? 6 : 2, placeholder: usual })
    : element('input', { type: 'text', placeholder: usual, spellcheck: 'false', autocapitalize: 'none', autocomplete: 'off' });
  let given;
  return {
    control,
    put(value) {
      given = value;
      control.value = value ?? '';
    },
    get: () => (control.value === '' && given !== '' ? undefined : control.value),
  };
}

function lines({ oneOf }) {
  const control = element('textarea', { rows: 2, spellcheck: 'false' });
  return {
    control,
    hint: 'One a line.',
    put: (value) => (control.value = [value ?? []].flat().join('\n')),
    get() {
      const found = control.value.split('\n').map((line) => line.trim()).filter((line) => line !== '');
      if (found.length === 0) return undefined;
      return oneOf && found.length === 1 ? found[0] : found;
    },
  };
}

function pairs() {
  const control = element('textarea', { rows: 2, spellcheck: 'false', placeholder: 'Name: value' });
  return {
    control,
    hint: 'One a line, as `Name: value`.',
    put: (value) => (control.value = Object.entries(value ?? {}).map((pair) => pair.join(': ')).join('\n')),
    get() {
      const found = control.value.split('\n').filter((line) => line.trim() !== '');
      if (found.length === 0) return undefined;
      return Object.fromEntries(
        found.map((line) => {
          const [, name, value] = /^\s*([^:]*?)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
          if (!name) throw new Error(`“${line.trim()}” is not of the form Name: value.`);
          return [name, value];
        }),
      );
    },
  };
}

function json({ type }) {
  const control = element('textarea', { rows: 3, spellcheck: 'false', class: 'mono', placeholder: type === 'array' ? '[]' : '{}' });
  return {
    control,
    hint: 'As JSON.',
    put: (value) => (control.value = value === undefined ? '' : JSON.stringify(value, null, 2)),
    get() {
      if (control.value.trim() === '') return undefined;
      try {
        return JSON.parse(control.value);
      } catch (error) {
        throw new Error(`This is not JSON: ${error.message}`);
      }
    },
  };
}
