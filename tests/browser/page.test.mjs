// The page around Web Chat: the panel, its errors, the keyboard, small screens, and both colour schemes.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { contrasts } from './contrasts.mjs';
import { RELEASE, badgeTexts, badges, entries, startBrowser, startService, visiting } from './harness.mjs';

let browser;
let service;
before(async () => {
  service = await startService(RELEASE);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});
const around = () => ({ browser, service });
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

const box = (page) => page.getByRole('textbox', { name: 'Read it, edit it, or paste your own' });
const sendButton = (page) => page.getByRole('button', { name: 'Send into the chat' });
const outcome = (page) => page.locator('#outcome');
const failure = (page) => page.locator('#failure');

const LEAVE = {
  text: 'Leave is thirty days[1][2]. The rest [9] is unknown.',
  sources: [
    { title: 'Leave policy', url: 'https://hr.example.com/leave' },
    { title: 'Works agreement', content: 'Thirty days for everybody.' },
    { title: 'Canteen menu', url: 'https://hr.example.com/menu' },
  ],
};

async function paste(page, answer, format = 'citewire') {
  await box(page).fill(typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2));
  await page.getByRole('combobox', { name: 'Format' }).selectOption(format);
}

async function send(page) {
  const answered = page.waitForResponse((response) => response.url().endsWith('/page/answers'));
  await sendButton(page).click();
  return (await answered).json();
}

visiting(around, 'every sample can be chosen, read and sent, and its citations arrive', {}, async (visit) => {
  const { page } = visit;
  const samples = await page.evaluate(async () => (await fetch('/page/samples')).json());
  assert.ok(samples.length > 2, 'there are samples');
  const radios = page.getByRole('radiogroup', { name: 'Choose an answer' }).or(page.getByRole('group', { name: 'Choose an answer' })).getByRole('radio');
  assert.equal(await radios.count(), samples.length);
  // A stream is played in another test.
  const play = page.getByRole('checkbox', { name: 'Play slowly' });
  for (const [place, sample] of samples.entries()) {
    await page.getByRole('radio', { name: sample.title, exact: true }).check();
    const written = await box(page).inputValue();
    assert.deepEqual(typeof sample.input === 'string' ? written : JSON.parse(written), sample.input);
    if (await play.isVisible()) await play.uncheck();
    const result = await send(page);
    assert.ok(result.id, `${sample.id}: ${JSON.stringify(result)}`);
    assert.equal(result.activity.type, 'message');
    await visit.messages().nth(place).waitFor();
    const cited = result.report.cited.length;
    assert.equal(await entries(visit.messages().nth(place)).count(), cited, `${sample.id} lists what it cites`);
    assert.equal(await failure(page).innerText(), '');
  }
  // Half of one at the lower edge and a shade say that the list goes on, until it does not.
  const list = page.locator('#sample-box');
  await page.locator('#sample-list').evaluate((list) => (list.scrollTop = 0));
  await page.waitForFunction(() => document.querySelector('#sample-box.goes-on'));
  await page.locator('#sample-list').evaluate((list) => (list.scrollTop = list.scrollHeight));
  await page.waitForFunction(() => document.querySelector('#sample-box:not(.goes-on)'));
  assert.equal(await list.locator('label').count(), samples.length);
});

visiting(around, 'an edited answer is sent, and the outcome is shown three ways', {}, async (visit) => {
  const { page } = visit;
  await paste(page, LEAVE);
  const { activity, report } = await send(page);
  assert.equal(report.cited.length, 2);
  const message = visit.message('Leave is thirty days');
  await message.waitFor();
  assert.deepEqual(await badgeTexts(message), ['[1]', '[2]']);
  assert.match(await outcome(page).innerText(), /^Sent: 2 sources cited, 1 marker unresolved/);

  await page.getByRole('tab', { name: 'Text' }).click();
  const text = page.getByRole('tabpanel', { name: 'Text' });
  assert.equal(await text.locator('pre').evaluate((pre) => pre.textContent.replaceAll('ZWSP', '\u200b')), activity.text);

  await page.getByRole('tab', { name: 'Activity' }).click();
  const shown = await page.getByRole('tabpanel', { name: 'Activity' }).locator('pre').textContent();
  assert.deepEqual(JSON.parse(shown), activity);
  assert.ok(await text.isHidden());

  await page.getByRole('tab', { name: 'Report' }).click();
  const panel = page.getByRole('tabpanel', { name: 'Report' });
  assert.equal(await panel.getByRole('list', { name: 'Cited', exact: true }).getByRole('listitem').count(), 2);
  const unresolved = panel.getByRole('list', { name: 'Unresolved' }).getByRole('listitem');
  assert.equal(await unresolved.count(), 1);
  assert.ok((await unresolved.innerText()).includes(report.unresolved[0].message));
  assert.ok((await unresolved.innerText()).includes(report.unresolved[0].code));
  await panel.getByText('1 unresolved', { exact: true }).waitFor();
});

visiting(around, 'verdicts stand at the badges and in the report, in both schemes and on a phone', {}, async (visit) => {
  const { page } = visit;
  const answer = {
    text: 'Leave is 30 days a year [1]. The canteen opens at noon [2].',
    sources: [
      { title: 'Leave', content: 'Employees have 25 days of leave a year.' },
      { title: 'Canteen', content: 'The canteen opens at noon.' },
    ],
  };
  await paste(page, answer);
  const { activity } = await send(page);
  await outcome(page).getByText(/, 1 citation to look at\.$/).waitFor();
  await page.getByRole('tab', { name: 'Text' }).click();
  const text = page.getByRole('tabpanel', { name: 'Text' });
  await text.getByRole('img', { name: '! conflict: 30 days' }).waitFor();
  await text.getByRole('img', { name: '✓ verbatim' }).waitFor();
  assert.equal(await text.locator('pre').evaluate((pre) => pre.textContent.replaceAll('ZWSP', '\u200b')), activity.text);
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme });
    for (const [told, contrast] of await page.locator('.verdict').evaluateAll(contrasts)) assert.ok(contrast >= 4.5, `${colorScheme} ${told}: ${contrast}`);
  }
  await page.getByRole('tab', { name: 'Text' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const verdicts = page.getByRole('list', { name: 'Verdicts' }).getByRole('listitem');
  assert.deepEqual(await verdicts.allInnerTexts().then((all) => all.map((one) => one.split('\n')[0].trim())), ['[1] ! conflict: 30 days', '[2] ✓ verbatim']);
  assert.ok((await verdicts.first().innerText()).includes('number-missing (30 days)'));
  await page.setViewportSize(PHONE.viewport);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone');
});

visiting(around, 'the activity can be copied', { permissions: ['clipboard-read', 'clipboard-write'] }, async (visit) => {
  const { page } = visit;
  await paste(page, LEAVE);
  const { activity } = await send(page);
  await page.getByRole('tab', { name: 'Activity' }).click();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.deepEqual(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())), activity);
});

visiting(around, 'text that is no JSON is reported beside the box at once and cannot be sent', {}, async (visit) => {
  const { page } = visit;
  await box(page).fill('{\n  "text": "Hello",\n  "sources": [}\n');
  const problem = page.locator('#answer-problem');
  assert.match(await problem.innerText(), /^This is no JSON yet. Line 3, column 15: a value is expected here\.$/);
  assert.equal(await box(page).getAttribute('aria-invalid'), 'true');
  assert.match(await box(page).getAttribute('aria-describedby'), /answer-problem/);
  assert.ok(await sendButton(page).isDisabled());
  await box(page).press('Control+Enter');
  assert.equal(visit.requests().filter((url) => url.endsWith('/page/answers')).length, 0);

  await page.getByRole('button', { name: 'Restore' }).click();
  assert.equal(await problem.innerText(), '');
  assert.ok(await sendButton(page).isEnabled());
  assert.equal(await box(page).getAttribute('aria-invalid'), 'false');
});

const REFUSED = [/^Failed to load resource: the server responded with a status of 4\d\d/];

visiting(around, 'an answer that the service refuses is explained in its words', { expected: REFUSED }, async (visit) => {
  const { page } = visit;
  await paste(page, { sources: 'none' });
  const problem = await send(page);
  await failure(page).getByText(problem.title, { exact: true }).waitFor();
  const words = await failure(page).innerText();
  for (const part of [problem.detail, problem.code, problem.pointer]) {
    if (part) assert.ok(words.includes(part), `${part} in ${words}`);
  }
  assert.equal(await outcome(page).innerText(), 'Not sent.');
  assert.equal(await visit.messages().count(), 0);

  await paste(page, LEAVE);
  await send(page);
  await visit.message('Leave is thirty days').waitFor();
  assert.equal(await failure(page).innerText(), '', 'the explanation goes when it is over');
});

visiting(around, 'a token that is refused is explained, and a new conversation helps', { expected: REFUSED }, async (visit) => {
  const { page } = visit;
  const breakToken = (route) =>
    route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer not-a-token' } });
  await page.route('**/page/answers', breakToken, { times: 1 });
  await sendButton(page).click();
  await failure(page).getByText('The session is not valid any more').waitFor();
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByText('Connected', { exact: true }).waitFor();
  assert.equal(await failure(page).innerText(), '');
  await sendButton(page).click();
  await visit.messages().first().waitFor();
});

visiting(around, 'a service that is away is said to be away', { expected: [/ERR_CONNECTION_REFUSED/] }, async (visit) => {
  const { page } = visit;
  await page.route('**/page/answers', (route) => route.abort('connectionrefused'), { times: 1 });
  await sendButton(page).click();
  await failure(page).getByText('The server cannot be reached').waitFor();
  assert.equal(await outcome(page).innerText(), 'Not sent.');
});

visiting(
  around,
  'without Web Chat the page says how to get it',
  { opened: false, expected: [/status of 404/] },
  async (visit) => {
    const { page } = visit;
    await page.route('**/page/webchat.js', (route) => route.fulfill({ status: 404 }));
    await page.goto(visit.url);
    const notice = page.locator('#chat-notice');
    await notice.getByText('cargo xtask run').waitFor();
    assert.match(await notice.innerText(), /CITEWIRE_WEBCHAT_JS/);
  },
);

visiting(around, 'everything can be done with the keyboard alone', {}, async (visit) => {
  const { page } = visit;
  const tabTo = async (wanted) => {
    for (let presses = 0; presses < 25; presses += 1) {
      await page.keyboard.press('Tab');
      if (await wanted.evaluate((element) => element === document.activeElement)) return;
    }
    assert.fail(`Tab does not lead to ${wanted}`);
  };
  const ringed = (element) =>
    element.evaluate((element) => {
      const style = getComputedStyle(element.matches('.sample input') ? element.closest('.sample') : element);
      return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
    });

  const radios = page.getByRole('radio');
  await tabTo(radios.first());
  assert.ok(await ringed(radios.first()), 'the focus is visible on a sample');
  await page.keyboard.press('ArrowDown');
  assert.ok(await radios.nth(1).isChecked());

  await tabTo(box(page));
  assert.ok(await ringed(box(page)), 'the focus is visible on the box');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(JSON.stringify(LEAVE));
  await page.keyboard.press('Control+Enter');
  const message = visit.message('Leave is thirty days');
  await message.waitFor();

  const tab = (name) => page.getByRole('tab', { name });
  await tabTo(tab('Explained'));
  assert.ok(await ringed(tab('Explained')), 'the focus is visible on a tab');
  for (const [key, name] of [
    ['ArrowRight', 'Text'],
    ['ArrowRight', 'Activity'],
    ['ArrowRight', 'Report'],
    ['ArrowRight', 'Check'],
    ['ArrowRight', 'Explained'],
    ['ArrowLeft', 'Check'],
    ['Home', 'Explained'],
    ['End', 'Check'],
    ['ArrowLeft', 'Report'],
  ]) {
    await page.keyboard.press(key);
    assert.equal(await tab(name).getAttribute('aria-selected'), 'true', `${key} leads to ${name}`);
    assert.ok(await page.getByRole('tabpanel', { name }).isVisible());
  }
  await page.keyboard.press('Tab');
  assert.ok(await page.getByRole('tabpanel', { name: 'Report' }).evaluate((panel) => panel === document.activeElement));

  // A passage opens and closes, and the focus comes back to where it was.
  const badge = badges(message).nth(1);
  await badge.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Works agreement' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  const chatBox = page.getByRole('textbox', { name: 'Message input box' });
  await page.getByRole('link', { name: 'Skip to the conversation' }).focus();
  await page.keyboard.press('Enter');
  await tabTo(chatBox);
  await page.keyboard.type('Hello');
  await page.keyboard.press('Enter');
  await visit.message('Nothing behind this page answers questions yet').waitFor();
});

visiting(around, 'a screen reader finds landmarks, names and live regions', {}, async (visit) => {
  const { page } = visit;
  await page.getByRole('banner').getByRole('heading', { level: 1, name: 'citewire' }).waitFor();
  const main = page.getByRole('main');
  for (const name of ['Answers to send', 'What came out', 'Conversation']) {
    await main.getByRole('region', { name, exact: true }).waitFor();
  }
  assert.equal(await outcome(page).getAttribute('role'), 'status');
  assert.equal(await failure(page).getAttribute('role'), 'alert');
  assert.equal(await page.locator('#connection').getAttribute('role'), 'status');
  const summaries = await page.getByRole('radio').evaluateAll((radios) =>
    radios.map((radio) => document.getElementById(radio.getAttribute('aria-describedby'))?.textContent ?? ''),
  );
  assert.ok(summaries.every((summary) => summary.length > 0), 'each sample is described');
  const nameless = await page.locator('.bar, .panel').locator('button, input, select, textarea').evaluateAll((all) =>
    all
      .filter((control) => {
        const named = control.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id));
        const text = (named ?? [...(control.labels ?? []), control]).map((element) => element?.textContent ?? '').join('');
        return text.trim() === '';
      })
      .map((control) => control.outerHTML),
  );
  assert.deepEqual(nameless, []);
});

visiting(around, 'a phone shows everything without scrolling sideways', PHONE, async (visit) => {
  const { page } = visit;
  const width = () => page.evaluate(() => [document.documentElement.scrollWidth, document.body.scrollWidth]);
  const narrow = async (when) => {
    for (const wide of await width()) assert.ok(wide <= 360, `${when}: ${wide} px`);
  };
  await narrow('at the start');
  const long = 'https://archive.example.com/' + 'a-very-long-part-of-a-path/'.repeat(12);
  await paste(page, {
    text: `Look at ${'unbreakable'.repeat(12)}[1][2].`,
    sources: [{ title: `A title ${'that does not end '.repeat(12)}`, url: long }, { title: 'Short', content: 'Text' }],
  });
  await send(page);
  const message = visit.messages().first();
  await message.waitFor();
  for (const name of ['Explained', 'Text', 'Activity', 'Report', 'Check', 'Teams', 'Records', 'Web Chat']) {
    await page.getByRole('tab', { name, exact: true }).tap();
    await narrow(name);
  }
  const bubble = await message.boundingBox();
  assert.ok(bubble.x >= 0 && bubble.x + bubble.width <= 360, `the message ends at ${bubble.x + bubble.width} px`);
  await box(page).fill('{');
  await narrow('with a problem');
});

visiting(around, 'on a phone the conversation comes into view when an answer is sent', PHONE, async (visit) => {
  const { page } = visit;
  await sendButton(page).scrollIntoViewIfNeeded();
  await send(page);
  await visit.messages().first().waitFor();
  await page.waitForFunction(() => {
    const { top, bottom } = document.getElementById('conversation').getBoundingClientRect();
    return bottom > 120 && top < innerHeight - 120;
  });
});

for (const colorScheme of ['light', 'dark']) {
  visiting(around, `in ${colorScheme} all text stands out from its ground`, { colorScheme }, async (visit) => {
    const { page } = visit;
    const brightness = await page.evaluate(() => /\d+/.exec(getComputedStyle(document.body).backgroundColor)[0]);
    assert.ok(colorScheme === 'dark' ? brightness < 40 : brightness > 200, `the ground has ${brightness}`);
    await paste(page, {
      ...LEAVE,
      sources: LEAVE.sources.map((source) => ({ ...source, label: { id: 'g', name: 'General', description: 'All' } })),
      interpreter: { slogan: 'By the HR assistant', url: 'https://hr.example.com/' },
    });
    await send(page);
    const message = visit.message('Leave is thirty days');
    await message.waitFor();
    await page.getByRole('textbox', { name: 'Message input box' }).fill('Thanks');
    await page.keyboard.press('Enter');
    await visit.message('Nothing behind this page answers questions yet').waitFor();
    await page.getByRole('tab', { name: 'Report' }).click();
    await badges(message).nth(1).click();
    const dialog = page.getByRole('dialog', { name: 'Works agreement' });
    await dialog.waitFor();

    const seen = page.locator(
      [
        '.bar h1, .tagline, #connection-text, .bar button',
        'legend, .sample strong, .sample .quiet-text, textarea, .step, .primary, #answer-hint, #outcome',
        '.tabs button, #report li, #report h4, #report code, .chat-foot span, .chat-foot a',
        '#chat-host [role=feed] p, .webchat__render-markdown__pure-identifier, .webchat__link-definitions__header-text',
        '.webchat__link-definitions__badge, .webchat__link-definitions__list-item-text',
        '.webchat__link-definitions__list-item-badge, .webchat__link-definitions__message-sensitivity-label-text',
        '.webchat__activity-status, dialog h2, dialog p',
      ].join(', '),
    );
    const measured = await seen.evaluateAll(contrasts);
    assert.ok(measured.length > 40, `${measured.length} texts were measured`);
    assert.deepEqual(measured.filter(([, ratio]) => ratio < 4.5), []);
  });
}

visiting(around, 'a change of the colour scheme reaches Web Chat too', { colorScheme: 'light' }, async (visit) => {
  const { page } = visit;
  await visit.show(LEAVE, 'Leave is thirty days');
  const ink = () => visit.message('Leave is thirty days').getByRole('paragraph').evaluate((p) => getComputedStyle(p).color);
  const before = await ink();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction(
    (before) => {
      const paragraph = document.querySelector('#chat-host [role=feed] p');
      return paragraph && getComputedStyle(paragraph).color !== before;
    },
    before,
  );
  assert.equal(await visit.messages().count(), 1);
  await visit.show({ text: 'Still connected.' }, 'Still connected');
});
