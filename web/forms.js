// The forms of an answer: which there are, how each is called, and how it is drawn.

import { directionOf } from './direction.js';
import { coloured } from './json.js';
import { googleChat, mail, openWebUi, plain, teams, telegram } from './likeness.js';
import { make } from './parts.js';
import { slack } from './slack.js';

/** The likeness of each form that has one, its name, and what it was made from. The server may know more forms: these are shown as JSON. */
const KNOWN = {
  'web-chat': { name: 'Web Chat' },
  teams: {
    name: 'Teams',
    draw: teams,
    note: 'A likeness of what Microsoft 365 Agents Playground draws. It is not Teams, which may show more. Press a number to see its source.',
  },
  'teams-extended': {
    name: 'Teams, extended',
    draw: teams,
    note: 'A likeness of extended Markdown, which is a preview of Teams: made from its documentation, and never compared with Teams itself.',
  },
  'm365-copilot': { name: 'Copilot', draw: teams, note: 'A likeness as for Teams, with the limits of Microsoft 365 Copilot.' },
  slack: { name: 'Slack', draw: slack, note: "A likeness made from Slack's documentation, and never compared with Slack itself." },
  'slack-blocks': { name: 'Slack, blocks', draw: slack, note: "A likeness made from Slack's documentation, and never compared with Slack itself." },
  'google-chat': { name: 'Google Chat', draw: googleChat, note: "A likeness made from Google's documentation, and never compared with Google Chat itself." },
  telegram: { name: 'Telegram', draw: telegram, note: "A likeness made from Telegram's documentation." },
  line: { name: 'LINE', draw: plain, note: 'LINE shows text without markup.' },
  plain: { name: 'Plain', draw: plain, note: 'The text as it is sent, for SMS and e-mail without markup.' },
  sms: { name: 'SMS', draw: plain, note: 'The text as it is sent.' },
  'email-html': { name: 'E-mail', draw: mail, note: 'A likeness: each mail program draws HTML in its own way.' },
  'open-webui': { name: 'Open WebUI', draw: openWebUi, note: 'A likeness of the badges and source cards of Open WebUI.' },
  assistanthub: { name: 'AssistantHub', note: 'The answer for AssistantHub clients, as JSON.' },
  records: { name: 'Records', note: 'The sources in one schema for all providers, as JSON.' },
};

/** The name of a form for people. */
export function formName(form) {
  return KNOWN[form]?.name ?? form;
}

/** The form as its channel would show it, and a line that says what this is. */
export function drawForm(preview) {
  const known = KNOWN[preview.name];
  const note = make('p', 'quiet-text', known?.note ?? 'This page has no likeness of this form, so it is shown as JSON.');
  try {
    if (known?.draw) {
      const parts = known.draw(preview);
      for (const body of parts.flatMap((part) => [...part.querySelectorAll('.message-body')])) body.dir = directionOf(body.textContent);
      return [note, ...parts];
    }
  } catch (error) {
    // A form that has changed is still shown, as it is.
    console.info('citewire page: no likeness:', error.message);
    note.textContent = 'The likeness of this form cannot be drawn, so it is shown as JSON.';
  }
  return [note, make('pre', 'code', ...coloured(JSON.stringify(preview.output, null, 2)))];
}

/** What `check` found in a form. */
export function findingsOf({ findings }) {
  if (!findings) return [make('p', 'quiet-text', 'check has rules for Web Chat and Teams only, so it says nothing about this form.')];
  if (findings.length === 0) return [make('p', 'quiet-text', 'check found nothing to complain about.')];
  const items = findings.map(({ severity, code, pointer, message }) =>
    make('li', '', make('span', `severity ${severity}`, severity), ` ${message}`, make('code', '', [code, pointer].filter(Boolean).join('  '))),
  );
  const list = make('ul', 'entries', ...items);
  list.setAttribute('aria-label', 'Findings');
  return [list];
}
