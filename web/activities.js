// The activities that the chat sends and receives, with their time, as JSON.

import { coloured } from './json.js';
import { make } from './parts.js';

/** The most activities that are kept, and the most letters of their JSON together. */
const MOST = 200;
const MOST_LETTERS = 2_000_000;

const byId = (id) => document.getElementById(id);

/** The kept activities, oldest first: direction, time, JSON, and their line on the page. */
const kept = [];
let letters = 0;
let dropped = 0;

/** Adds an activity; `direction` is `sent` or `received`. */
export function noteActivity(direction, activity) {
  const json = JSON.stringify(activity, null, 2) ?? '';
  const entry = { direction, time: new Date(), json, line: undefined };
  entry.line = line(entry, activity);
  kept.push(entry);
  letters += json.length;
  byId('activity-list').append(entry.line);
  while (kept.length > MOST || (letters > MOST_LETTERS && kept.length > 1)) {
    const oldest = kept.shift();
    letters -= oldest.json.length;
    oldest.line.remove();
    dropped += 1;
  }
  tell();
}

function line({ direction, time, json }, activity) {
  const at = make('time', '', `${time.toLocaleTimeString('en-GB')}.${String(time.getMilliseconds()).padStart(3, '0')}`);
  at.dateTime = time.toISOString();
  const kind = [activity.type, activity.channelData?.streamType, activity.name].filter(Boolean).join(' ');
  const text = make('span', 'excerpt', (activity.text ?? '').slice(0, 80));
  text.dir = 'auto';
  const summary = make('summary', '', at, make('span', `way ${direction}`, direction), make('strong', '', kind || 'activity'), text);
  const details = make('details', '', summary);
  // Most are never opened.
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(make('pre', 'code', ...coloured(json)));
  });
  return make('li', '', details);
}

function tell() {
  byId('activity-count').textContent = kept.length;
  byId('activities-empty').hidden = kept.length > 0;
  byId('activities-full').hidden = dropped === 0;
  byId('activities-full').textContent =
    `The oldest ${dropped === 1 ? 'activity was' : `${dropped} activities were`} left out: the newest ${MOST}, or two million letters, are kept.`;
}

/** Empties the panel. */
export function forgetActivities() {
  kept.length = 0;
  letters = 0;
  dropped = 0;
  byId('activity-list').replaceChildren();
  tell();
}

/** All kept activities as one JSON text. */
export function activitiesAsJson() {
  const entries = kept.map(({ direction, time, json }) => ({ direction, time: time.toISOString(), activity: JSON.parse(json) }));
  return JSON.stringify({ dropped, activities: entries }, null, 2);
}
