// The stored conversations: find, read, download and erase them.

import { call, read } from './api.js';
import { feedbackRow } from './feedback.js';
import { ask, button, count, element, labelled, make, problemBox, save, say, showProblem, time } from './screen.js';
import { isCited, verdictsOf } from './verdicts.js';

/** So many conversations are shown at a time. */
const SHOWN = 50;
/** So many are read at a time to find some among them. */
const READ = 200;

const pathOf = (id, more = '') => `/v1/conversations/${encodeURIComponent(id)}${more}`;
const userPath = (id, more = '') => `/v1/users/${encodeURIComponent(id)}${more}`;

export async function showConversations() {
  const search = new Search();
  await search.find();
  return { parts: [search.section], leave: () => search.leave() };
}

/** The list, and what it is narrowed down to. */
class Search {
  #fields = {
    user: element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' }),
    id: element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' }),
    from: element('input', { type: 'datetime-local' }),
    to: element('input', { type: 'datetime-local' }),
  };
  #list = make('ul', 'rows');
  #words = element('p', { class: 'quiet-text', role: 'status' });
  #problem = problemBox();
  #more = button('Show more', 'quiet', () => this.#next());
  #ofUser = make('div', 'buttons');
  /** The running search: where its next page begins, and conversations that are read but not shown. */
  #run;

  constructor() {
    const { user, id, from, to } = this.#fields;
    const form = element('form', { class: 'find', role: 'search', 'aria-label': 'Find conversations' });
    const fields = [
      labelled('User id', user),
      labelled('Conversation id', id),
      labelled('Active after', from),
      labelled('Active before', to),
    ];
    const find = element('button', { type: 'submit', class: 'primary' }, 'Find');
    form.append(...fields.map(({ field }) => field), find);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.find();
    });
    this.section = make('section', 'card', make('h2', '', 'Conversations'), form, this.#problem, this.#words, this.#ofUser, this.#list, this.#more);
  }

  leave() {
    this.#run = undefined;
  }

  /** Begins the list anew. */
  async find() {
    const value = (name) => this.#fields[name].value.trim();
    const day = (name) => (value(name) === '' ? undefined : new Date(value(name)));
    this.#list.replaceChildren();
    this.#problem.replaceChildren();
    this.#ofUser.replaceChildren();
    this.#run = { id: value('id'), user: value('user'), from: day('from'), to: day('to'), after: '', found: [] };
    if (this.#run.user) this.#ofUser.append(...buttonsOfUser(this.#run.user, () => this.find()));
    await this.#next();
  }

  async #next() {
    const run = this.#run;
    this.#more.hidden = true;
    this.#words.textContent = 'Looking for conversations';
    try {
      while (run.found.length < SHOWN && run.after !== undefined) await this.#read(run);
    } catch (error) {
      if (run === this.#run) {
        this.#words.textContent = '';
        showProblem(this.#problem, error);
      }
      return;
    }
    // Another search has begun.
    if (run !== this.#run) return;
    this.#list.append(...run.found.splice(0, SHOWN).map(conversationRow));
    this.#more.hidden = run.after === undefined && run.found.length === 0;
    const shown = this.#list.children.length;
    this.#words.textContent = shown === 0 ? 'No conversation was found.' : `${count(shown, 'conversation')}${this.#more.hidden ? '' : ', and more'}`;
  }

  /** Reads on, as the search says what is read. */
  async #read(run) {
    const fits = ({ id, name, active, user }) =>
      (!run.id || id === run.id || name === run.id) &&
      (!run.user || run.isOfUser || user?.id === run.user) &&
      (!run.from || new Date(active) >= run.from) &&
      (!run.to || new Date(active) <= run.to);
    if (run.user) {
      run.after = undefined;
      run.isOfUser = true;
      run.found.push(...(await conversationsOf(run.user)).filter(fits));
    } else if (run.id) {
      run.after = undefined;
      const one = await conversationCalled(run.id);
      if (one && fits(one)) run.found.push(one);
    } else {
      const isNarrow = run.from || run.to;
      const page = await read(`/v1/conversations?limit=${isNarrow ? READ : SHOWN}&after=${encodeURIComponent(run.after)}`);
      // The list begins with the newest: what follows is older still.
      const isOver = run.from && page.conversations.some(({ active }) => new Date(active) < run.from);
      run.after = isOver ? undefined : (page.next ?? undefined);
      run.found.push(...page.conversations.filter(fits));
    }
  }
}

/** The conversations of a user, those included that others have started: only the export knows them all. */
async function conversationsOf(user) {
  const response = await call('GET', userPath(user, '/export'));
  const found = new Map();
  let rest = '';
  const take = (line) => {
    if (line === '') return;
    const { conversation, activity } = JSON.parse(line);
    const { timestamp } = activity;
    const one = found.get(conversation) ?? { id: conversation, user: { id: user }, activities: 0, created: timestamp };
    found.set(conversation, { ...one, activities: one.activities + 1, active: timestamp });
  };
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    lines.forEach(take);
  }
  take(rest);
  return [...found.values()].sort((one, other) => (one.active < other.active ? 1 : -1));
}

async function conversationCalled(called) {
  try {
    const { id, name, user, activities } = await read(pathOf(called, '?limit=1000'));
    const times = activities.map(({ timestamp }) => timestamp);
    return { id, name, user, activities: activities.length, created: times[0], active: times.at(-1) ?? times[0] };
  } catch (error) {
    if (error.status === 404) return undefined;
    throw error;
  }
}

function conversationRow({ id, name, user, activities, active }) {
  const link = element('a', { href: `#/conversations/${encodeURIComponent(id)}` }, name ?? id);
  const facts = make('ul', 'counts', make('li', '', count(activities, 'activity').replace(/activitys$/, 'activities')));
  if (user) facts.append(make('li', '', user.name ? `${user.name} (${user.id})` : user.id));
  if (active) facts.append(make('li', '', time(active)));
  return make('li', '', make('h3', 'name', link), facts);
}

/** What can be done with everything that is stored about a user. */
function buttonsOfUser(user, done) {
  const download = async () => save(`${user}.ndjson`, await (await call('GET', userPath(user, '/export'))).blob());
  const erase = async () => {
    const isGone = await ask({
      title: 'Erase this user?',
      content: [
        make('p', '', 'Every conversation of the user ', make('strong', 'name', user), ' is erased, with the messages of all members, files and feedback.'),
        make('p', '', 'This cannot be undone.'),
      ],
      action: 'Erase the user',
      danger: true,
      submit: async () => {
        await call('DELETE', userPath(user));
        return true;
      },
    });
    if (!isGone) return;
    say('The user is erased.');
    done();
  };
  return [button('Download all of this user', 'quiet', () => download().catch((error) => say(error.message))), button('Erase this user', 'quiet', erase)];
}

/** One conversation, as text. */
export async function showConversation(id) {
  const first = await read(pathOf(id, `?limit=${READ}`));
  const { name, user } = first;
  const problem = problemBox();
  const list = element('ol', { class: 'transcript', 'aria-label': 'Messages' });
  const more = button('Show more', 'quiet', () => next().catch((error) => showProblem(problem, error)));
  let watermark;
  const add = (page) => {
    const rows = page.activities.map(activityRow);
    list.append(...rows);
    judge(page.activities, rows);
    more.hidden = page.activities.length < READ;
    watermark = page.watermark ?? watermark;
  };
  const next = async () => add(await read(pathOf(id, `?limit=${READ}&watermark=${encodeURIComponent(watermark)}`)));
  add(first);
  const download = button('Download (NDJSON)', 'quiet', async () => {
    try {
      save(`${id}.ndjson`, await (await call('GET', pathOf(id, '/export'))).blob());
    } catch (error) {
      showProblem(problem, error);
    }
  });
  const erase = button('Erase this conversation', 'quiet', () => eraseConversation(id, user));
  const buttons = make('div', 'buttons', download, erase);
  if (user) buttons.append(...buttonsOfUser(user.id, () => (location.hash = '#/conversations')));
  const facts = make('ul', 'counts');
  if (user) facts.append(make('li', '', user.name ? `${user.name} (${user.id})` : user.id));
  const head = make('section', 'card', element('a', { href: '#/conversations' }, 'All conversations'), make('h2', 'name', name ?? id), facts, buttons, problem);
  const messages = make('section', 'card', make('h3', '', 'Messages'), list, more);
  const given = await feedbackOf(id);
  const feedback = make('section', 'card', make('h3', '', 'Feedback'));
  const texts = new Map(first.activities.map((activity) => [activity.id, activity.text]));
  if (given.length > 0) feedback.append(make('ul', 'rows', ...given.map((one) => feedbackRow(one, texts.get(one.answer)))));
  else feedback.append(make('p', 'quiet-text', 'No reader has rated an answer.'));
  return { parts: [head, messages, feedback] };
}

async function feedbackOf(id) {
  return (await read(pathOf(id, '/feedback?limit=1000'))).feedback;
}

/** An activity: who, when, what. */
function activityRow(activity) {
  const { type, from, timestamp, text, attachments = [], entities = [] } = activity;
  const who = make('strong', '', from?.name || from?.id || 'unknown');
  const head = make('p', 'who', who);
  if (type !== 'message') head.append(make('span', 'quiet-text', activity.name ? `${type}: ${activity.name}` : type));
  if (timestamp) head.append(make('span', 'quiet-text', time(timestamp)));
  const line = make('li', from?.role === 'bot' ? 'bot' : '', head);
  const sources = entities.flatMap((entity) => entity.citation ?? []);
  // Where sources are listed, the definitions of their links say nothing more.
  const words = sources.length > 0 ? text?.replaceAll(/^\[[^\]]+\]: .*$/gm, '').trim() : text;
  if (words) line.append(make('p', 'said-text', words));
  if (attachments.length > 0) {
    line.append(make('p', 'quiet-text', `Attached: ${attachments.map((one) => one.name ?? one.contentType).join(', ')}`));
  }
  if (sources.length > 0) {
    const items = sources.map((one) => make('li', '', `[${one.position ?? '?'}] ${one.appearance?.name ?? one.appearance?.url ?? 'a source'}`));
    line.append(element('ul', { class: 'sources', 'aria-label': 'Sources' }, ...items));
  }
  return line;
}

/** Adds the verdicts to the rows of cited messages, one after the other. */
async function judge(activities, rows) {
  let wasShown = false;
  for (const [at, activity] of activities.entries()) {
    // Another screen has been opened.
    if (wasShown && !rows[at].isConnected) return;
    wasShown ||= rows[at].isConnected;
    if (!isCited(activity)) continue;
    try {
      rows[at].append(await verdictsOf(activity));
    } catch (error) {
      rows[at].append(make('p', 'quiet-text', `The citations could not be checked. ${error.message}`));
    }
  }
}

async function eraseConversation(id, user) {
  const of = user ? [' with ', make('strong', 'name', user.name || user.id)] : [];
  const isGone = await ask({
    title: 'Erase this conversation?',
    content: [
      make('p', '', 'The conversation ', make('code', 'name', id), ...of, ' is erased, with its messages, files and feedback.'),
      make('p', '', 'This cannot be undone.'),
    ],
    action: 'Erase the conversation',
    danger: true,
    submit: async () => {
      await call('DELETE', pathOf(id));
      return true;
    },
  });
  if (!isGone) return;
  say('The conversation is erased.');
  location.hash = '#/conversations';
}
