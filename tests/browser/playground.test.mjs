// The page as a playground: an answer in every form, why a marker was left alone, links that show the same, files, the log of
// activities, right-to-left answers; and the documentation that the server shows.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { contrasts } from './contrasts.mjs';
import { RELEASE, badges, entries, startBrowser, startService, visiting } from './harness.mjs';

let browser;
let service;
before(async () => {
  service = await startService(RELEASE, { CITEWIRE_LIMITS_POSTS_PER_SECOND: '0' });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});
const around = () => ({ browser, service });

const box = (page) => page.getByRole('textbox', { name: 'Read it, edit it, or paste your own' });
const form = (page, name) => page.getByRole('tablist', { name: 'Shown as' }).getByRole('tab', { name, exact: true });
const result = (page, name) => page.getByRole('tab', { name, exact: true }).and(page.locator('#result-list *'));
const REFUSED = [/^Failed to load resource: the server responded with a status of 4\d\d/];

const ANSWER = {
  text: [
    'Leave is 30 days [1][2]. The rest [9] is unknown, and `code [1]` stays.',
    '- tight [2]\n- **bold [1]**',
    '| days | place |\n|---|---|\n| 30 [1] | here |',
    'See ![a picture](http://10.0.0.1/x.png).',
  ].join('\n\n'),
  sources: [
    { title: 'Leave policy', url: 'https://hr.example.com/leave', content: 'Employees have 25 days of leave.' },
    { title: 'Works agreement', content: 'Thirty days for everybody.' },
    { title: 'Canteen menu', url: 'https://hr.example.com/menu' },
  ],
};

async function paste(page, answer) {
  await box(page).fill(typeof answer === 'string' ? answer : JSON.stringify(answer));
  await page.getByRole('combobox', { name: 'Format' }).selectOption('citewire');
}

async function send(page) {
  const drawn = page.waitForResponse((response) => response.url().endsWith('/page/previews'));
  await page.getByRole('button', { name: 'Send into the chat' }).click();
  return (await (await drawn).json()).forms;
}

/** No text of these is hard to read in either scheme. */
async function assertReadable(page, selector) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    const measured = await page.locator(selector).filter({ visible: true }).evaluateAll(contrasts);
    assert.ok(measured.length > 0, selector);
    assert.deepEqual(measured.filter(([, ratio]) => ratio < 4.5), [], colorScheme);
  }
}

visiting(around, 'one answer is shown in every form, each marker is explained, and a link shows the same', { permissions: ['clipboard-read', 'clipboard-write'] }, async (visit) => {
  const { page } = visit;
  await paste(page, ANSWER);
  const forms = await send(page);
  await visit.message('Leave is 30 days').waitFor();
  const tabs = page.getByRole('tablist', { name: 'Shown as' }).getByRole('tab');
  assert.equal(await tabs.count(), forms.length, 'a tab for each form');
  const shown = page.locator('#form-view');
  for (const { name } of forms.filter(({ name }) => name !== 'web-chat')) {
    const tab = page.locator(`#form-${name}`);
    await tab.click();
    assert.equal(await tab.getAttribute('aria-selected'), 'true');
    const panel = page.locator('#form-panel');
    assert.equal(await panel.getAttribute('aria-labelledby'), `form-${name}`);
    assert.match(await shown.innerText(), /30 days/, `${name} shows the answer`);
    assert.match(await shown.innerText(), /Leave policy|1/, name);
    assert.equal(await page.locator('#form-problem').innerText(), '');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is not too wide`);
  }
  assert.deepEqual(visit.requests().filter((url) => url.includes('10.0.0.1')), [], 'no picture is loaded');

  await form(page, 'Teams').click();
  assert.match(await shown.innerText(), /A likeness of what Microsoft 365 Agents Playground draws/);
  assert.equal(await shown.locator('.teams-badge').count(), 3, 'badges in paragraphs alone, and items are some');
  const left = page.getByRole('list', { name: 'Numbers that stay text' });
  const why = (await left.getByRole('listitem').allInnerTexts()).join('\n');
  for (const reason of ['in code', 'in bold', 'in a table', 'no source of the message']) {
    assert.ok(why.includes(reason), `${reason} in ${why}`);
  }
  const badge = shown.getByRole('button', { name: 'Source 1: Leave policy' });
  await badge.press('Enter');
  await shown.locator('.source-card').getByRole('link').waitFor();
  assert.equal(await badge.getAttribute('aria-expanded'), 'true');
  await assertReadable(page, '#form-view p, #form-view li, #form-view button, #form-list button, .source-card *');
  await badge.press('Enter');
  assert.equal(await shown.locator('.source-card').count(), 0);

  // The arrows go round, and back to the real conversation, which has kept its message.
  await form(page, 'Teams').press('Home');
  assert.equal(await form(page, 'Web Chat').getAttribute('aria-selected'), 'true');
  assert.equal(await badges(visit.message('Leave is 30 days')).count(), 5);
  await form(page, 'Web Chat').press('ArrowLeft');
  assert.equal(await form(page, 'Records').getAttribute('aria-selected'), 'true');

  await theMarkersAreExplained(visit, forms);
  await aLinkShowsTheSame(visit);
});

/** Each marker says what became of it, the report follows the form, and check says what it finds. */
async function theMarkersAreExplained(visit, forms) {
  const { page } = visit;
  await form(page, 'Web Chat').click();
  const text = page.getByRole('tabpanel', { name: 'Explained' });
  await text.locator('mark').first().waitFor();
  const words = await text.innerText();
  assert.match(words, /5 markers cite a source; 2 stay text/);
  assert.match(words, /The rest \[9\]\s*names no source; it stays as text\s+marker/);
  assert.match(words, /code \[1\]\s*It stands in code, where nothing is a marker/);
  assert.match(words, /30 \[1\]\s*! conflict: 30/);
  assert.match(words, /the image .* became a link/);
  await assertReadable(page, '.explained, .explained *, #explained > p, .of-form');
  await form(page, 'Teams').click();
  for (const name of ['teams', 'web-chat']) {
    await page.locator(`#form-${name}`).click();
    await result(page, 'Activity').click();
    const { output, findings } = forms.find((form) => form.name === name);
    const drawn = JSON.parse(await page.locator('#activity').textContent());
    assert.equal(drawn.text, output.text, name);
    await result(page, 'Check').click();
    const found = page.getByRole('list', { name: 'Findings' }).getByRole('listitem');
    assert.equal(await found.count(), findings.length);
  }
  await form(page, 'Slack').click();
  await page.getByText('check has rules for Web Chat and Teams only').waitFor();

  // What is edited is drawn anew where no conversation is.
  const anew = page.waitForResponse((response) => response.url().endsWith('/page/previews'));
  await paste(page, { text: 'Nothing is cited here.' });
  await anew;
  await page.locator('#form-view').getByText('Nothing is cited here.').waitFor();
  await result(page, 'Explained').click();
  await page.getByText('There are no markers in the text').waitFor();
  await form(page, 'Web Chat').click();
  assert.equal(await visit.messages().count(), 1, 'and nothing more was sent');
}

/** A copied link shows a colleague the same, and sends the answer into a conversation of theirs. */
async function aLinkShowsTheSame(visit) {
  const { page } = visit;
  await paste(page, ANSWER);
  await form(page, 'Teams').click();
  await result(page, 'Report').waitFor();
  await result(page, 'Report').click();
  await page.getByRole('button', { name: 'Copy the link' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const address = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(address.startsWith(`${visit.url}/#v1=`) && address.length < 2_000, address);
  // The skip links leave the address as it is.
  await page.getByRole('link', { name: 'Skip to the conversation' }).focus();
  await page.keyboard.press('Enter');
  assert.equal(page.url(), address);

  const other = await visit.context.newPage();
  await other.goto(address);
  await other.locator('#form-view').getByText('Numbers that stay text').waitFor();
  assert.deepEqual(JSON.parse(await box(other).inputValue()), ANSWER);
  assert.equal(await form(other, 'Teams').getAttribute('aria-selected'), 'true');
  assert.equal(await result(other, 'Report').getAttribute('aria-selected'), 'true');
  await form(other, 'Web Chat').click();
  await other.getByRole('feed').getByRole('paragraph').filter({ hasText: 'Leave is 30 days' }).waitFor();
  assert.equal(other.url(), address.replace(/#.*/, '') + new URL(other.url()).hash);
  await other.close();
}

visiting(around, 'a link that cannot be read is said to be so, and the page works', { opened: false }, async (visit) => {
  const { page } = visit;
  const problem = page.locator('#link-problem');
  const cases = [
    ['#v1=AAAA', 'damaged'],
    ['#v1=%00%ff', 'damaged'],
    ['#<script>alert(1)</script>', 'no state of this page'],
    [`#v1=${'A'.repeat(2_000_000)}`, 'too long to be read'],
  ];
  await page.goto(`${visit.url}/#v1=AAAA`);
  await page.getByText('Connected', { exact: true }).waitFor();
  for (const [fragment, words] of cases) {
    await page.evaluate((fragment) => (location.hash = fragment), fragment);
    await problem.getByText(words).waitFor();
    assert.equal(await problem.getAttribute('role'), 'alert');
  }
  assert.ok(await page.getByRole('button', { name: 'Send into the chat' }).isEnabled(), 'a sample is chosen');

  // A short link that unpacks to more than fits: 8 MB of blanks.
  const bomb = await page.evaluate(async () => {
    const stream = new Blob([' '.repeat(8_000_000)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  });
  await page.evaluate((bomb) => (location.hash = `#v1=${bomb}`), bomb);
  await problem.getByText('unpacks to more').waitFor();

  // An answer that is too long for a link is kept, and said not to be in the address.
  const noise = await page.evaluate(() => Array.from(crypto.getRandomValues(new Uint8Array(60_000)), (byte) => String.fromCodePoint(0x4e00 + byte * 70 + (byte % 7))).join(''));
  await paste(page, { text: `${noise}${[...noise].reverse().join('')}` });
  await page.evaluate(() => (document.querySelector('#answer').value = JSON.stringify({ text: Array.from({ length: 240_000 }, () => Math.floor(Math.random() * 1e9).toString(36)).join('') })));
  await box(page).press('End');
  await box(page).press('Space');
  await page.locator('#link-note').getByText('too long for an address').waitFor();
  assert.ok(page.url().length < 100 && (await page.getByRole('button', { name: 'Copy the link' }).isDisabled()));
});

visiting(around, 'streams play slowly, activities are noted, right-to-left answers run so, files are read, and unknown forms are shown', { expected: REFUSED }, async (visit) => {
  const { page } = visit;
  const delta = (text) => JSON.stringify({ delta: text });
  const lines = ['Leave ', 'is ', '30 ', 'days ', '[1].'].map(delta);
  const sources = JSON.stringify({ sources: [{ title: 'Leave policy', url: 'https://hr.example.com/leave' }] });
  await paste(page, [...lines, sources, JSON.stringify({ done: true })].join('\n'));
  assert.ok(await page.getByRole('checkbox', { name: 'Play slowly' }).isChecked());
  await page.locator('#activities > summary').click();
  await send(page);
  const message = visit.message('30 days');
  await badges(message).first().waitFor();
  await page.locator('#outcome').getByText('Sent: 1 source cited').waitFor();
  const list = page.locator('#activity-list > li');
  const noted = await list.allInnerTexts();
  assert.ok(noted.filter((line) => /received\s+typing streaming/.test(line)).length >= 2, `it grows: ${noted}`);
  assert.match(noted.at(-1), /\d\d:\d\d:\d\d\.\d\d\d\s+received\s+message/);
  assert.equal(await visit.messages().count(), 1);
  const chat = page.getByRole('textbox', { name: 'Message input box' });
  await chat.fill('Thanks');
  await chat.press('Enter');
  const said = list.filter({ hasText: 'sent' }).filter({ hasText: 'Thanks' });
  await said.locator('summary').click();
  assert.equal(JSON.parse(await said.locator('pre').textContent()).text, 'Thanks');
  await assertReadable(page, '#activity-list summary *, #activity-list pre, .activities p');

  // Two million letters are kept, whatever their number.
  for (let at = 0; at < 12; at += 1) await visit.say({ type: 'event', name: 'tick', value: 'x'.repeat(200_000) });
  await page.locator('#activities-full').getByText('left out').waitFor();
  await list.filter({ hasText: 'tick' }).last().waitFor();
  await page.waitForFunction(() => document.querySelectorAll('#activity-list > li').length === 9);
  await page.getByRole('button', { name: 'Empty' }).click();
  assert.equal(await list.count(), 0);

  await rightToLeft(visit);
  await filesAreRead(visit);
  await unknownFormsAreShown(visit);
});

/** In a right-to-left answer full stop and badge stand behind the sentence. */
async function rightToLeft(visit) {
  const { page } = visit;
  await visit.show({ text: 'PDF: החופשה היא שלושים יום [1].', sources: [{ title: 'מדיניות חופשה', url: 'https://hr.example.com/leave' }] }, 'החופשה');
  const message = visit.message('החופשה');
  await page.waitForFunction(() => document.querySelector('#chat-host .webchat__text-content[dir=rtl]'));
  const [badge, paragraph] = await Promise.all([badges(message).first().boundingBox(), message.getByRole('paragraph').first().boundingBox()]);
  assert.ok(badge.x + badge.width / 2 < paragraph.x + paragraph.width / 2, 'the badge is at the left end of the sentence');
  assert.equal(await entries(message).count(), 1);
  await visit.show({ text: 'A day off is a day off.' }, 'A day off');
  assert.equal(await visit.message('A day off').locator('.webchat__text-content').getAttribute('dir'), 'ltr');
}

/** Files are read where they are dropped, and refused with a reason. */
async function filesAreRead(visit) {
  const { page } = visit;
  const drop = (name, make) =>
    page.evaluate(
      ([name, make]) => {
        const transfer = new DataTransfer();
        const content = { json: '{"text":"From a file [1].","sources":[{"title":"File"}]}', broken: '{"text": ', binary: new Uint8Array([0xff, 0xfe, 0]), large: new Uint8Array(20_000_000) }[make];
        transfer.items.add(new File([content], name));
        document.querySelector('.panel').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
      },
      [name, make],
    );
  const failure = page.locator('#failure');
  for (const [name, kind, words] of [
    ['large.json', 'large', /large\.json has 19\.1 MiB, and the page takes 256 KiB\. Use the command instead: citewire convert/],
    ['picture.png', 'binary', /picture\.png is no text/],
  ]) {
    await drop(name, kind);
    await failure.getByText(words).waitFor();
  }
  await drop('broken.json', 'broken');
  await page.locator('#answer-problem').getByText('This is no JSON yet.').waitFor();
  await drop('answer.json', 'json');
  await page.locator('#outcome').getByText('answer.json is in the box').waitFor();
  assert.equal(await failure.innerText(), '');
  await send(page);
  await visit.message('From a file').waitFor();
  const chooser = page.waitForEvent('filechooser');
  await page.getByLabel('Open a file').first().press('Enter');
  await (await chooser).setFiles({ name: 'chosen.json', mimeType: 'application/json', buffer: Buffer.from('{"text":"Without sources."}') });
  await page.locator('#outcome').getByText('chosen.json is in the box').waitFor();
  await send(page);
  await visit.message('Without sources.').waitFor();
  assert.match(await page.locator('#outcome').innerText(), /^Sent: 0 sources cited/);
}

/** A form that the page does not know is shown as it is, and so is a block of Slack. */
async function unknownFormsAreShown({ page }) {
  await page.route('**/page/previews', async (route) => {
    const response = await route.fetch();
    const given = await response.json();
    const forms = given.forms.filter(({ name }) => !['google-chat', 'slack-blocks'].includes(name));
    const { report } = forms[0];
    const channelData = {
      text: 'Leave <chat-citation data-id="c1">[1]</chat-citation>.',
      elements: { citations: [{ id: 'c1', citedSources: [{ title: 'Leave policy', uri: 'https://hr.example.com/leave', snippet: { text: '30 days' } }] }] },
    };
    const section = { type: 'rich_text_section', elements: [{ type: 'text', text: 'Leave ' }, { type: 'citation', url: 'https://hr.example.com/leave', text: 'Leave policy', index: 1 }] };
    const blocks = [{ type: 'rich_text', elements: [section] }, { type: 'hologram' }];
    forms.push({ name: 'pigeon-post', output: { note: 'by air' }, report });
    forms.push({ name: 'google-chat', output: { channelData }, report });
    forms.push({ name: 'slack-blocks', output: { channelData: { blocks } }, report });
    await route.fulfill({ json: { forms } });
  });
  await send(page);
  await form(page, 'pigeon-post').click();
  const shown = page.locator('#form-view');
  await shown.getByText('no likeness of this form').waitFor();
  assert.deepEqual(JSON.parse(await shown.locator('pre').textContent()), { note: 'by air' });
  for (const [name, extra] of [['Google Chat', ''], ['Slack, blocks', 'hologram']]) {
    await form(page, name).click();
    const badge = shown.getByRole('button', { name: 'Source 1: Leave policy' });
    await badge.click();
    assert.equal(await shown.locator('.source-card').getByRole('link').getAttribute('href'), 'https://hr.example.com/leave');
    assert.ok((await shown.innerText()).includes(extra), 'a block that is not known is shown as JSON');
  }
}

visiting(around, 'the server shows its documentation, and a person finds settings and key from the page', { expected: REFUSED }, async (visit) => {
  const { page } = visit;
  const hint = page.locator('.for-newcomers');
  assert.match(await hint.innerText(), /API key.*api-key/s);
  await hint.getByRole('link', { name: 'its data folder' }).click();
  await page.getByRole('heading', { level: 1, name: 'Install citewire' }).waitFor();
  assert.equal(await page.evaluate(() => document.querySelector(':target')?.textContent), 'Start');
  const main = page.getByRole('main');
  for (const image of await main.getByRole('img').all()) {
    await image.scrollIntoViewIfNeeded();
    assert.ok(await image.evaluate(async (image) => (await image.decode(), image.naturalWidth > 0)), 'pictures are there');
  }
  await assertReadable(page, 'main p, main li, main code, main td, .contents a, .contents summary, .bar a');
  await page.setViewportSize({ width: 360, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('navigation', { name: 'Documentation' }).getByText('Guides', { exact: true }).click();
  await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: /Teams/ }).first().click();
  assert.equal(await page.locator('.contents [aria-current=page]').count(), 1);

  // Every link of every page leads to something, and every place in a page exists.
  const dead = await page.evaluate(async () => {
    const pages = new Map();
    const open = async (path) => {
      if (!pages.has(path)) {
        const response = await fetch(path, { headers: { accept: 'text/html' } });
        pages.set(path, response.ok && new DOMParser().parseFromString(await response.text(), 'text/html'));
      }
      return pages.get(path);
    };
    const first = await open('/help/README.md');
    const waiting = [...first.querySelectorAll('a[href^="/help/"]')].map((link) => link.getAttribute('href'));
    const [seen, dead] = [new Set(), []];
    while (waiting.length > 0) {
      const address = waiting.pop();
      if (seen.has(address)) continue;
      seen.add(address);
      const [path, place] = address.split('#');
      if (path.endsWith('.png') || path.endsWith('.json')) continue;
      const known = pages.has(path);
      const document = await open(path);
      if (!document || (place && !document.getElementById(decodeURIComponent(place)))) dead.push(address);
      else if (!known) waiting.push(...[...document.querySelectorAll('main a')].map((link) => link.getAttribute('href')).filter((href) => href.startsWith('/help/')));
    }
    return { dead, count: seen.size };
  });
  assert.deepEqual(dead.dead, []);
  assert.ok(dead.count > 80, `${dead.count} links were followed`);

  // The search is a form, with a field for the keyboard, and leads to headings.
  await page.goto(`${visit.url}/help/start/run.md`);
  const field = page.getByRole('searchbox', { name: 'Search the documentation' });
  await field.fill('When Teams refuses a call');
  await field.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
  assert.equal(await field.inputValue(), 'When Teams refuses a call');
  await assertReadable(page, 'main.document a, main.document p, .search button');
  for (const [width, height] of [[1280, 800], [390, 780]]) {
    await page.setViewportSize({ width, height });
    assert.ok(await field.isVisible());
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(overflow, 0, `${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.locator('main').getByRole('link', { name: /When Teams refuses a call/ }).first().click();
  await page.waitForURL(/\/help\/guides\/teams\.md#when-teams-refuses-a-call$/);

  const lost = await page.goto(`${visit.url}/no-such-page`);
  assert.equal(lost.status(), 404);
  await page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  await page.getByRole('link', { name: 'The documentation' }).click();
  await page.getByRole('heading', { level: 1, name: 'The documentation' }).waitFor();
});
