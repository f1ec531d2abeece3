// Elements, messages and dialogs that all parts of the settings page use.

import { make } from '/page/parts.js';

export { make } from '/page/parts.js';

export const byId = (id) => document.getElementById(id);

/** An element with attributes; those that are undefined or false are left out. */
export function element(tag, attributes, ...children) {
  const made = make(tag, '', ...children);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  return made;
}

export function button(text, className, act) {
  const made = element('button', { type: 'button', class: className }, text);
  made.addEventListener('click', act);
  return made;
}

/** A sentence with `code` between backticks, as elements. */
export function sentence(text) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? make('code', '', part) : part));
}

/** How long a message is shown. */
const SHOWN_MS = 8000;

let hiding;

/** Tells everybody, screen readers included, what has happened. */
export function say(text) {
  const box = byId('said');
  clearTimeout(hiding);
  hiding = setTimeout(() => (box.textContent = ''), SHOWN_MS);
  box.textContent = '';
  // A text that stays the same would not be announced again.
  requestAnimationFrame(() => (box.textContent = text));
}

/** An empty box for errors, which screen readers announce. */
export function problemBox() {
  return element('div', { class: 'problem-box', role: 'alert' });
}

/** Shows an error in a box. */
export function showProblem(box, error, ...more) {
  console.info('citewire settings:', error.message);
  const parts = [make('strong', '', error.title ?? 'Something went wrong')];
  const detail = 'title' in error ? error.detail : error.message;
  if (detail) parts.push(...detail.split('\n').map((line) => make('div', '', line)));
  box.replaceChildren(...parts, ...more);
}

let fields = 0;

/** A label with its control, a help text and a place for a problem. */
export function labelled(label, control, help) {
  fields += 1;
  control.id ||= `field-${fields}`;
  const problem = element('p', { class: 'problem', id: `${control.id}-problem` });
  const parts = [element('label', { for: control.id }, label), control];
  if (control.type === 'checkbox') parts.reverse();
  if (help) parts.push(element('p', { class: 'help', id: `${control.id}-help` }, ...sentence(help)));
  control.setAttribute('aria-describedby', [help && `${control.id}-help`, problem.id].filter(Boolean).join(' '));
  const field = make('div', control.type === 'checkbox' ? 'field check' : 'field', ...parts, problem);
  return { field, problem };
}

/**
 * Opens a dialog; its `submit` is called when the visitor agrees, and a Refusal that it throws is shown in the dialog.
 *
 * Gives what `submit` gives, or undefined when the visitor has closed the dialog.
 */
export function ask({ title, content, action, danger = false, submit = () => true }) {
  const box = problemBox();
  const heading = element('h2', { id: 'dialog-title' }, title);
  const cancel = button('Cancel', 'quiet', () => dialog.close());
  const agree = element('button', { type: 'submit', class: danger ? 'danger' : 'primary' }, action);
  const form = element('form', { novalidate: true }, heading, ...content, box, make('div', 'buttons', cancel, agree));
  const dialog = element('dialog', { class: 'ask', 'aria-labelledby': 'dialog-title' }, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    let result;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      agree.disabled = true;
      box.replaceChildren();
      try {
        result = await submit();
        dialog.close();
      } catch (error) {
        showProblem(box, error);
      } finally {
        agree.disabled = false;
      }
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(result);
    });
    dialog.showModal();
    // The focus begins on Cancel, so that Enter does nothing that cannot be undone.
    if (danger) cancel.focus();
  });
}

/** Has the browser save something as a file. */
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Lets the visitor choose a file; gives a hidden input and a button that opens it. */
export function filePicker(text, { className = 'quiet', accept, multiple = false, label = text }, take) {
  const input = element('input', { type: 'file', hidden: true, accept, multiple, 'aria-label': label });
  input.addEventListener('change', () => {
    const files = [...input.files];
    // An empty value lets the user choose the file again.
    input.value = '';
    if (files.length > 0) take(files);
  });
  const open = button(text, className, () => input.click());
  if (label !== text) open.setAttribute('aria-label', label);
  return make('span', 'picker', input, open);
}

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function time(iso) {
  return element('time', { datetime: iso }, TIME.format(new Date(iso)));
}

export function size(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let value = bytes;
  let at = 0;
  for (; value >= 1024 && at < units.length - 1; at += 1) value /= 1024;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

export function count(number, thing) {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
