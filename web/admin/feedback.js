// Feedback of readers about answers, in the newest conversations.

import { read } from './api.js';
import { button, count, element, make, problemBox, showProblem, time } from './screen.js';

/** So many conversations are looked at in one go. */
const LOOKED_AT = 100;

const REACTIONS = { like: ['some', 'helpful'], dislike: ['wrong', 'not helpful'] };

export async function showFeedback() {
  const list = make('ul', 'rows');
  const words = element('p', { class: 'quiet-text', role: 'status' });
  const problem = problemBox();
  const more = button('Look at older conversations', 'quiet', () => next().catch((error) => showProblem(problem, error)));
  let after = '';
  let looked = 0;
  const next = async () => {
    more.hidden = true;
    const page = await read(`/v1/conversations?limit=${LOOKED_AT}&after=${encodeURIComponent(after)}`);
    // The browser asks for a few at a time; one behind the other, a hundred took long enough to look like a page that is broken.
    const rows = await Promise.all(page.conversations.map(({ id, name }) => rowsOf(id, name)));
    list.append(...rows.flat());
    looked += page.conversations.length;
    after = page.next;
    more.hidden = after === null;
    const found = list.children.length;
    words.textContent = `${found === 0 ? 'No ratings' : count(found, 'rating')} in the newest ${count(looked, 'conversation')}`;
  };
  await next();
  return { parts: [make('section', 'card', make('h2', '', 'Feedback'), words, problem, list, more)] };
}

/** The feedback of a conversation, with the answers that it is about. */
async function rowsOf(id, name) {
  const path = `/v1/conversations/${encodeURIComponent(id)}`;
  // A conversation may be erased while this looks at it.
  const { feedback } = await read(`${path}/feedback?limit=1000`).catch(unlessGone({ feedback: [] }));
  if (feedback.length === 0) return [];
  const { activities } = await read(`${path}?limit=1000`).catch(unlessGone({ activities: [] }));
  const texts = new Map(activities.map((activity) => [activity.id, activity.text]));
  const link = element('a', { href: `#/conversations/${encodeURIComponent(id)}` }, name ?? id);
  return feedback.map((given) => feedbackRow(given, texts.get(given.answer), link.cloneNode(true)));
}

function unlessGone(instead) {
  return (error) => {
    if (error.status === 404) return instead;
    throw error;
  };
}

/** One rating: what the reader says, and about which answer. */
export function feedbackRow({ reaction, text, from, received }, answer, link) {
  const [weight, words] = REACTIONS[reaction] ?? ['', reaction ?? 'comment'];
  const facts = make('ul', 'counts', make('li', weight, words), make('li', '', time(received)));
  if (from) facts.append(make('li', '', from.name || from.id || 'unknown'));
  const line = make('li', '', facts);
  if (text) line.append(make('p', 'said-text', text));
  if (answer) line.append(make('blockquote', 'said-text', answer));
  if (link) line.append(make('p', 'name', 'Conversation ', link));
  return line;
}
