// Streams in both versions of Web Chat: what readers see after each activity, and what they never see.
//
// A stream is sent as a bot sends it that stands beside the channel: it converts the answer, says the first activity, and
// names the stream in all others by the id that this one was given.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { RELEASE, Visit, inEachVersion, visiting } from './harness.mjs';

const EVERY_UPDATE = { updates: 1000 };

/** A file of the sample answers. */
const sample = (path) => readFile(new URL(`../../samples/answers/${path}`, import.meta.url), 'utf8');
/** Server-sent events. */
const events = (all) => all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

/** A native stream with its sources first and its text in pieces of so many characters. */
function written(text, sources, characters) {
  const pieces = [...text].map((_, at, all) => (at % characters ? '' : all.slice(at, at + characters).join('')));
  const deltas = pieces.filter(Boolean).map((delta) => ({ delta }));
  return events([{ sources }, ...deltas, { done: true }]);
}

const PUMP = ['https://support.contoso.com/pump.pdf#:~:text=Prime%20the%20pump', 'Pump manual'];
const VALVE = ['https://support.contoso.com/valve.pdf#:~:text=Open%20valve%20A', 'Valve manual'];
const LEAVE = ['https://hr.contoso.example/leave', 'Leave policy'];

// What is expected of one:
// - `least`: how many updates it has at least. A `late` one shows its text without markers until the final puts them in.
// - `text`: what can be read in the end, with blanks joined and badges as ‹1›; `badges`: where these lead, in order.
// - `references`: the list at the bottom, as address and title; without an address it opens a passage.
const STREAMS = [
  {
    name: 'Azure OpenAI On Your Data',
    body: await sample('azure-oyd/stream/input.sse'),
    from: 'azure-oyd',
    least: 3,
    text: 'Prime the pump first ‹1›, then open valve A ‹2›.',
    badges: [PUMP[0], VALVE[0]],
    references: [PUMP, VALVE],
  },
  {
    name: 'markers cut into pieces',
    body: await sample('azure-oyd/stream-split/input.sse'),
    from: 'azure-oyd',
    least: 3,
    text: 'Prime the pump first ‹1›, then open valve A ‹2›.',
    badges: [PUMP[0], VALVE[0]],
    references: [PUMP, VALVE],
  },
  {
    name: 'sources first',
    body: await sample('native/stream/input.sse'),
    least: 3,
    text: 'Leave is 30 days ‹1›, to be asked for in writing ‹2›‹1›.',
    badges: [LEAVE[0], 'cite:2', LEAVE[0]],
    references: [LEAVE, [null, 'Staff handbook, page 12']],
  },
  {
    name: 'many updates, and addresses and a list that the model wrote',
    body: written(
      'Leave is 30 days [2], asked for in writing [1][2].\n\n[1]: https://evil.example "Leave policy"\n\n' +
        'The rest is in the handbook [1](https://evil.example), and nowhere else [doc9].' +
        '\n\nReferences:\n[1] Leave policy\n[2] Handbook\n',
      [
        { title: LEAVE[1], url: LEAVE[0] },
        { title: 'Handbook', url: 'https://hr.contoso.example/handbook' },
      ],
      3,
    ),
    least: 20,
    text: 'Leave is 30 days ‹1›, asked for in writing ‹2›‹1›. The rest is in the handbook ‹2›, and nowhere else.',
    badges: ['https://hr.contoso.example/handbook', LEAVE[0], 'https://hr.contoso.example/handbook', LEAVE[0]],
    references: [['https://hr.contoso.example/handbook', 'Handbook'], LEAVE],
  },
  {
    name: 'citations that come last',
    body: await sample('native/stream-late/input.jsonl'),
    least: 2,
    late: true,
    text: 'The workshop closes at five ‹1›. Süße 😀 Äpfel sind reif‹2›.',
    badges: ['https://workshop.example/hours', 'https://orchard.example/apples'],
    references: [
      ['https://workshop.example/hours', 'Opening hours'],
      ['https://orchard.example/apples', 'Orchard'],
    ],
  },
  {
    name: 'an error at the end',
    body: await sample('native/stream-failed/input.sse'),
    least: 1,
    text: 'Leave is 30 days ‹1›. It is asked',
    badges: [LEAVE[0]],
    references: [LEAVE],
  },
];

/** Everything that readers see of the messages, oldest first. Runs in the page. */
function see() {
  const BADGE = 'webchat__render-markdown__pure-identifier';
  const spoken = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE) return '';
    if (node.classList.contains(BADGE)) return `‹${node.textContent}›`;
    const inner = [...node.childNodes].map(spoken).join('');
    return node.matches('p, li, br, pre, div') ? ` ${inner} ` : inner;
  };
  const joined = (text) => text.replaceAll('\u200b', '').replace(/\s+/g, ' ').trim();
  return [...document.querySelectorAll('#chat-host [role=feed] > article')].map((article) => ({
    text: [...article.querySelectorAll('.webchat__render-markdown')].map((body) => joined(spoken(body))).join(' | '),
    badges: [...article.querySelectorAll(`.${BADGE}`)].map((badge) => badge.getAttribute('href') ?? badge.getAttribute('value')),
    links: article.querySelectorAll(`.webchat__render-markdown a:not(.${BADGE})`).length,
    references: [...article.querySelectorAll('.webchat__link-definitions [role=listitem]')].map((item) => [
      item.querySelector('a')?.getAttribute('href') ?? null,
      item.querySelector('.webchat__link-definitions__list-item-text').textContent,
    ]),
    whole: article.textContent,
  }));
}

/** Keeps every state of the transcript from now on, also those that last no longer than a moment. */
async function record({ page }) {
  await page.evaluate((see) => {
    window.see = new Function(`return (${see})()`);
    window.states = [];
    const keep = () => {
      const state = window.see();
      if (JSON.stringify(state) !== JSON.stringify(window.states.at(-1))) window.states.push(state);
    };
    new MutationObserver(keep).observe(document.querySelector('#chat-host'), {
      attributes: true,
      characterData: true,
      childList: true,
      subtree: true,
    });
  }, see.toString());
}

const states = ({ page }) => page.evaluate(() => window.states);

/** Waits until one of the messages says this and nothing else. */
const shows = ({ page }, text) =>
  page.waitForFunction((text) => window.see().some((message) => message.text === text), text, { polling: 'raf' });

/** What an update looks like: its own words, for these answers have no other Markdown than paragraphs and marks. */
const drawn = (text) => text.replaceAll('\u200b', '').replace(/\s+/g, ' ').trim();

/** Streams an answer; each activity is drawn before the next one is said. Gives what the updates showed. */
async function stream(visit, { body, from, text }) {
  const activities = await visit.convert(body, EVERY_UPDATE, from);
  const updates = activities.slice(0, -1).map((update) => drawn(update.text));
  let streamId;
  for (const [place, activity] of activities.entries()) {
    if (streamId) {
      activity.channelData.streamId = streamId;
      activity.entities.find(({ type }) => type === 'streaminfo').streamId = streamId;
    }
    const id = await visit.say(activity);
    streamId ??= id;
    await shows(visit, updates[place] ?? text);
  }
  return updates;
}

/** Nothing that readers of an answer should not see, at no time. */
function assertPresentable(seen) {
  for (const { text, whole } of seen) {
    assert.doesNotMatch(whole, /\]:|cite:|evil\.example|References:/, 'no definition is visible');
    assert.doesNotMatch(text, /\[(?!\d\])|doc\d|【|】|^[^[]*\]/, 'no half marker and none of the model is visible');
  }
}

/** The message of an answer that has ended. */
const said = (state, { text }) => state.find((message) => message.text === text) ?? assert.fail(`nothing says ${text}`);

/** What is left of a stream: one message with its badges and its list. */
function assertFinal(seen, { text, badges, references }) {
  assert.equal(seen.text, text);
  assert.deepEqual(seen.badges, badges);
  assert.deepEqual(seen.references, references);
  assert.equal(seen.links, 0);
}

/** The states of one stream in a conversation with nothing else. */
function assertGrowth(history, updates, { text, late, least }) {
  assert.ok(updates.length >= least, `${updates.length} updates`);
  assert.ok(history.every((state) => state.length <= 1), 'one bubble');
  const seen = history.flat();
  assertPresentable(seen);
  const texts = seen.map((message) => message.text).filter((text, at, all) => text !== all[at - 1]);
  assert.deepEqual(texts, [...updates, text]);
  for (const [at, update] of updates.entries()) {
    assert.ok(at === 0 || update.startsWith(updates[at - 1]), `${update} continues ${updates[at - 1]}`);
    assert.ok(late || text.replace(/‹(\d)›/g, '[$1]').startsWith(update), `${text} continues ${update}`);
  }
  assert.ok(!late || !updates.join('').includes('['), 'no marker before it is known what it cites');
  const unfinished = seen.filter((message) => message.text !== text);
  assert.deepEqual(unfinished.flatMap(({ badges, references }) => [...badges, ...references]), [], 'badges come at once');
}

inEachVersion('streams in Web Chat', (around, version) => {
  for (const told of STREAMS) {
    visiting(around, told.name, {}, async (visit) => {
      await record(visit);
      const updates = await stream(visit, told);
      const history = await states(visit);
      assertGrowth(history, updates, told);
      assertFinal(history.at(-1)[0], told);
    });
  }

  visiting(around, 'streams in a row keep their own sources', {}, async (visit) => {
    const row = ['sources first', 'an error at the end', 'Azure OpenAI On Your Data'].map((name) =>
      STREAMS.find((told) => told.name === name),
    );
    await record(visit);
    const ended = [];
    for (const told of row) {
      const begun = (await states(visit)).length;
      await stream(visit, told);
      const since = (await states(visit)).slice(begun);
      assert.ok(since.every((state) => state.length <= ended.length + 1), 'one more bubble');
      since.forEach(assertPresentable);
      for (const earlier of ended) {
        for (const state of since) assertFinal(said(state, earlier), earlier);
      }
      assertFinal(said(since.at(-1), told), told);
      ended.push(told);
    }
    // The first activity of a stream that is sent from outside cannot name it, for which the release draws the next
    // stream above: only the prerelease keeps the order.
    const texts = (await states(visit)).at(-1).map((message) => message.text);
    const order = row.map((told) => told.text);
    if (version === RELEASE) assert.deepEqual(texts.toSorted(), order.toSorted());
    else assert.deepEqual(texts, order);
  });
});

const HANDBOOK = ['https://hr.contoso.example/handbook', 'Handbook'];
const SOURCES = { sources: [LEAVE, HANDBOOK].map(([url, title]) => ({ url, title })) };

/** The messages as they are now. */
const now = ({ page }) => page.evaluate(() => window.see());

/** Waits until one of the messages says this, and gives it. */
async function reads(visit, text) {
  await shows(visit, text);
  return said(await now(visit), { text });
}

// Answers that are sent to the service while they are written: it shows them itself.
inEachVersion('answers while they are written in Web Chat', (around) => {
  visiting(around, 'badges are links before the answer has ended', {}, async (visit) => {
    await record(visit);
    const writing = visit.writing();
    await writing.send(SOURCES);
    await writing.send({ delta: 'Leave is 30 days [2], ' });
    // The comma waits for the next word: it would go with a marker that names nothing.
    const first = await reads(visit, 'Leave is 30 days ‹1›');
    assert.deepEqual([first.badges, first.references], [[HANDBOOK[0]], [HANDBOOK]]);
    await writing.send({ delta: 'asked for in writing [1][2]' });
    await writing.send({ delta: ', like this:\n\n```\nDear [1], ' });
    const second = await reads(visit, 'Leave is 30 days ‹1›, asked for in writing ‹2›‹1›, like this: Dear [1],');
    assert.deepEqual([second.badges, second.references], [[HANDBOOK[0], LEAVE[0], HANDBOOK[0]], [HANDBOOK, LEAVE]]);
    await writing.send({ delta: '\n```\n\nThat is all.' });
    await writing.end();
    const text = 'Leave is 30 days ‹1›, asked for in writing ‹2›‹1›, like this: Dear [1], That is all.';
    assertFinal(await reads(visit, text), { ...second, text });
    const history = await states(visit);
    assert.ok(history.every((state) => state.length <= 1), 'one bubble');
    for (const { whole, text, badges } of history.flat()) {
      assert.doesNotMatch(whole, /\]:|\[2/, 'no definition and no marker of the model is visible');
      assert.equal(badges.length, text.split('‹').length - 1);
    }
  });

  visiting(around, 'two answers at once keep to their bubbles', {}, async (visit) => {
    await record(visit);
    const [one, two] = [visit.writing(), visit.writing()];
    for (const writing of [one, two]) await writing.send(SOURCES);
    await one.send({ delta: 'Leave [1], ' });
    await reads(visit, 'Leave ‹1›');
    await two.send({ delta: 'Manners [2], ' });
    await reads(visit, 'Manners ‹1›');
    await one.send({ delta: 'and more leave, ' });
    await reads(visit, 'Leave ‹1›, and more leave,');
    await two.send({ delta: 'and more manners.' });
    await two.end();
    assert.deepEqual((await reads(visit, 'Manners ‹1›, and more manners.')).badges, [HANDBOOK[0]]);
    await one.send({ delta: 'and an end.' });
    await one.end();
    assert.deepEqual((await reads(visit, 'Leave ‹1›, and more leave, and an end.')).badges, [LEAVE[0]]);
    assert.ok((await states(visit)).every((state) => state.length <= 2), 'a bubble for each');
    assert.equal((await now(visit)).length, 2);
  });

  visiting(around, 'a tab that is opened in the middle shows one bubble', {}, async (visit) => {
    await record(visit);
    await visit.say({ type: 'message', text: 'Hello.' });
    await reads(visit, 'Hello.');
    const writing = visit.writing();
    await writing.send(SOURCES);
    await writing.send({ delta: 'Leave [1], ' });
    await reads(visit, 'Leave ‹1›');
    const { browser, service } = around();
    const tab = await Visit.begin(browser, service, {});
    try {
      await (await tab.join(visit)).open();
      await record(tab);
      await reads(tab, 'Hello.');
      for (const [delta, text] of [
        ['some ', 'Leave ‹1›, some'],
        ['more [2], ', 'Leave ‹1›, some more ‹2›'],
      ]) {
        await writing.send({ delta });
        await reads(tab, text);
      }
      await writing.send({ delta: 'the end.' });
      await writing.end();
      const text = 'Leave ‹1›, some more ‹2›, the end.';
      for (const reader of [visit, tab]) {
        await reads(reader, text);
        assert.deepEqual((await now(reader)).map((message) => message.text), ['Hello.', text]);
        assert.ok((await states(reader)).every((state) => state.length <= 2), 'one bubble beside the greeting');
      }
      tab.assertClean();
    } finally {
      await tab.context.close();
    }
  });

  visiting(around, 'a socket that is cut in the middle resumes in the same bubble', { opened: false }, async (visit) => {
    const sockets = [];
    await visit.page.routeWebSocket(/\/stream\?/, (socket) => {
      socket.connectToServer();
      sockets.push(socket);
    });
    await visit.open();
    await record(visit);
    const writing = visit.writing();
    await writing.send(SOURCES);
    await writing.send({ delta: 'Leave [1], ' });
    await reads(visit, 'Leave ‹1›');
    await writing.send({ delta: 'and then ' });
    await reads(visit, 'Leave ‹1›, and then');
    await sockets.at(-1).close({ code: 3001 });
    await writing.send({ delta: 'nobody heard ' });
    // What is recorded comes as soon as Web Chat has a socket again.
    await visit.say({ type: 'message', text: 'Hello.' });
    await reads(visit, 'Hello.');
    assert.equal(sockets.length, 2);
    await writing.send({ delta: 'of [2], ' });
    await reads(visit, 'Leave ‹1›, and then nobody heard of ‹2›');
    await writing.send({ delta: 'the end.' });
    await writing.end();
    await reads(visit, 'Leave ‹1›, and then nobody heard of ‹2›, the end.');
    assert.equal((await now(visit)).length, 2);
    assert.ok((await states(visit)).every((state) => state.length <= 2), 'one bubble beside the greeting');
  });
});
