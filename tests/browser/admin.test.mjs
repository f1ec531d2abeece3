// The settings page: assistants, their documents and conversations, made and looked after without a configuration file.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { contrasts } from './contrasts.mjs';
import { RELEASE, badges, startBrowser, startService, startWholeBrowser, visiting } from './harness.mjs';
import { pdf } from './office.mjs';
import { pictureOf } from './picture.mjs';
import { API_KEY } from './processes.mjs';

const KEY_OF_READERS = 'the-key-that-only-converts-answers';
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const CLOSED = { opened: false };
/** What the browser says about an answer of the server that a test provokes. */
const refused = (...statuses) => [new RegExp(`^Failed to load resource: the server responded with a status of (${statuses.join('|')})`)];

const CONFIG = `
[secrets]
model = { env = "KEY_OF_MODEL", hosts = ["127.0.0.1"] }

[keys.readers]
scopes = ["convert"]
secret_env = "KEY_OF_READERS"

[assistants.fixed]
greeting = "Greetings from the file"
documents = { folder = "FOLDER" }
`;

let browser;
/** Has a viewer of PDFs. */
let whole;
let service;
let home;
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'citewire-admin-'));
  const folder = join(home, 'handbook');
  await mkdir(folder);
  await writeFile(join(folder, 'leave.md'), '# Leave\n\nLeave is 30 days a year.\n');
  await writeFile(join(home, 'citewire.toml'), CONFIG.replace('FOLDER', folder));
  service = await startService(RELEASE, {
    CITEWIRE_CONFIG: join(home, 'citewire.toml'),
    KEY_OF_MODEL: 'the-key-of-the-model',
    CITEWIRE_EGRESS_ALLOW_HOSTS: '127.0.0.1:9',
    KEY_OF_READERS,
  });
  [browser, whole] = await Promise.all([startBrowser(), startWholeBrowser()]);
});
after(async () => {
  await Promise.all([browser?.close(), whole?.close()]);
  await service?.stop();
  await rm(home, { recursive: true, force: true });
});
const around = () => ({ browser, service });

const keyBox = (page) => page.getByRole('textbox', { name: 'API key' });
const button = (scope, name) => scope.getByRole('button', { name, exact: true });
const heading = (page, name) => page.getByRole('heading', { name, exact: true });
const said = (page) => page.locator('#said');
const dialog = (page) => page.getByRole('dialog');
const settings = (page) => page.getByRole('region', { name: 'Settings', exact: true });
const documents = (page) => page.getByRole('region', { name: 'Documents', exact: true });
const row = (page, text) => page.locator('.rows > li').filter({ hasText: text });
const asked = (page) => page.getByRole('textbox', { name: 'Message input box' });

async function request(method, path, body, type = 'application/json') {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${API_KEY}`, ...(body !== undefined && { 'content-type': type }) },
    body: type === 'application/json' && body !== undefined ? JSON.stringify(body) : body,
  });
  if (!response.ok) assert.fail(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

const store = (name, of = { documents: {} }) => request('PUT', `/v1/assistants/${name}`, of);
const stored = async (name) => (await request('GET', `/v1/assistants/${name}`)).json();
const upload = (name, file, text) => request('PUT', `/v1/assistants/${name}/documents/${encodeURIComponent(file)}`, text, 'text/markdown');

async function signIn(page, fragment = '') {
  await page.goto(`${service.url}/admin${fragment}`);
  await keyBox(page).fill(API_KEY);
  await button(page, 'Continue').click();
}

/** Opens an assistant; a test of its form alone does without Web Chat, which takes a while to load. */
async function openAssistant(page, name, { chat = true } = {}) {
  if (!chat) await page.route('**/page/webchat.js', (route) => route.fulfill({ status: 404 }));
  await signIn(page, `#/assistants/${name}`);
  await heading(page, name).waitFor();
}

async function saved(page) {
  await button(settings(page), 'Save').click();
  await said(page).getByText('Saved.').waitFor();
}

visiting(around, 'a key opens the page if the server knows it and it has the scope', { ...CLOSED, expected: refused(401, 403) }, async (visit) => {
  const { page } = visit;
  await page.goto(`${service.url}/admin`);
  for (const [key, words] of [
    ['', 'Enter a key.'],
    ['not-the-key-of-this-server', 'The server does not know this key.'],
    ['schlüssel', 'The server does not know this key.'],
    [KEY_OF_READERS, 'This key lacks the scope admin'],
  ]) {
    await keyBox(page).fill(key);
    await keyBox(page).press('Enter');
    await page.locator('#key-problem').getByText(words).waitFor();
    assert.equal(await keyBox(page).getAttribute('aria-invalid'), 'true');
  }
  assert.equal(await keyBox(page).getAttribute('type'), 'password');
  await keyBox(page).fill(API_KEY);
  await button(page, 'Continue').click();
  await heading(page, 'Assistants').waitFor();
  const kept = await page.evaluate(() => [Object.values(sessionStorage), localStorage.length, document.cookie]);
  assert.deepEqual(kept, [[API_KEY], 0, '']);
  await page.reload();
  await heading(page, 'Assistants').waitFor();
  // A fragment that names a place on the page left the page empty.
  await page.goto('about:blank');
  await page.goto(`${service.url}/admin#view`);
  await heading(page, 'Assistants').waitFor();
  await button(page, 'Forget the key').click();
  await keyBox(page).waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

visiting(around, 'an assistant is made, gets a document, and answers with a citation until citations are off', CLOSED, async (visit) => {
  const { page } = visit;
  await signIn(page);
  await button(page, 'New assistant').click();
  await button(dialog(page), 'Create').click();
  await dialog(page).getByText('Enter a name.').first().waitFor();
  const name = dialog(page).getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Human Resources');
  await dialog(page).getByText('Advanced').click();
  const id = dialog(page).getByRole('textbox', { name: 'Id', exact: true });
  assert.equal(await id.inputValue(), 'human-resources');
  await id.fill('H R');
  await dialog(page).getByText('Advanced').click();
  await button(dialog(page), 'Create').click();
  await dialog(page).getByText('An assistant cannot have this id.').first().waitFor();
  assert.ok(await id.evaluate((control) => control === document.activeElement), 'the fold with the fault opens');
  await id.fill('hr');
  await button(dialog(page), 'Create').click();
  await heading(page, 'Human Resources').waitFor();
  await documents(page).locator('input[multiple]').setInputFiles({
    name: 'leave.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from('# Leave\n\nLeave is 30 days a year.\n'),
  });
  await row(documents(page), 'leave.md').getByText('ready').waitFor();
  await documents(page).getByText('1 document, 34 bytes of 256 MiB').waitFor();

  await page.getByText('Connected', { exact: true }).waitFor();
  const ask = async () => {
    await asked(page).fill('How many days of leave are there?');
    await asked(page).press('Enter');
  };
  await ask();
  const answers = visit.message('Leave is 30 days a year');
  await badges(answers.first()).first().waitFor();

  const citations = settings(page).getByRole('checkbox', { name: 'Include citations' });
  assert.ok(await citations.isChecked(), 'citations are on at the start');
  await citations.uncheck();
  await saved(page);
  const greeting = 'Hello! I am Human Resources. Ask me a question, and I answer from my documents.';
  const made = { documents: {}, citation_link_mode: 'authenticated', display_name: 'Human Resources', greeting };
  assert.deepEqual(await stored('hr'), { ...made, enable_citations: false });
  await button(page, 'New conversation').click();
  await answers.first().waitFor({ state: 'detached' });
  await page.getByText('Connected', { exact: true }).waitFor();
  await ask();
  await answers.first().waitFor();
  assert.equal(await badges(answers.first()).count(), 0);

  await settings(page).getByRole('combobox', { name: 'Citation link mode' }).selectOption('Public');
  await saved(page);
  assert.equal((await stored('hr')).citation_link_mode, 'public');
  await button(documents(page), 'Delete leave.md').click();
  await button(dialog(page), 'Delete').click();
  await documents(page).getByText('0 documents').waitFor();

  await page.getByRole('link', { name: 'All assistants' }).click();
  await button(page, 'Duplicate hr').click();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('hr-2');
  await button(dialog(page), 'Duplicate').click();
  await heading(page, 'hr-2').waitFor();
  const { display_name: _, ...copied } = await stored('hr');
  assert.deepEqual(await stored('hr-2'), copied);
  await button(page, 'Delete').click();
  await button(dialog(page), 'Delete').click();
  await heading(page, 'Assistants').waitFor();
  assert.equal(await row(page, 'hr-2').count(), 0);
});

/** Waits until the browser's viewer of PDF shows a page. */
async function shownAt(page, number) {
  const viewer = () => page.frames().find((frame) => frame.url().startsWith('chrome-extension://'));
  // Every look waits for a frame to be drawn.
  while (!viewer()) await pictureOf(page);
  const selector = viewer().locator('viewer-page-selector input');
  while ((await selector.inputValue()) !== number) await pictureOf(page);
}

/** Which parts of a picture are white, dark, and of a light colour; a browser takes the picture apart. */
function parts(page, picture) {
  return page.evaluate(async (bytes) => {
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const greens = data.filter((_, at) => at % 4 === 1);
    const part = (least, most) => greens.filter((green) => green >= least && green <= most).length / greens.length;
    return [part(251, 255), part(0, 99), part(190, 240)];
  }, [...picture]);
}

visiting(() => ({ browser: whole, service }), 'a badge of a PDF leads to its page, which the browser may show', CLOSED, async (visit) => {
  const { page } = visit;
  // Made by the page, with nothing else set: the badge opened a passage, because links to documents were off.
  await signIn(page);
  await button(page, 'New assistant').click();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('papers');
  await button(dialog(page), 'Create').click();
  await heading(page, 'papers').waitFor();
  const file = pdf([['Parking is free on Sundays for all employees.'], ['Leave is 30 days a year for all employees.']], 18);
  const input = documents(page).locator('input[multiple]');
  await input.setInputFiles({ name: 'Hand book.pdf', mimeType: 'application/pdf', buffer: file });
  await row(documents(page), 'Hand book.pdf').getByText('ready').waitFor();
  await row(documents(page), 'Hand book.pdf').getByText('2 pages').waitFor();
  await page.getByText('Connected', { exact: true }).waitFor();
  await asked(page).fill('How many days of leave are there?');
  await asked(page).press('Enter');
  const answer = visit.message('Leave is 30 days a year');
  await badges(answer).first().waitFor();
  // The badge is the link: pressed, it opens a window at this address.
  const [opened] = await Promise.all([page.context().waitForEvent('page'), badges(answer).first().click()]);
  const address = await badges(answer).first().evaluate((badge) => badge.closest('a').href);
  assert.match(address, /\/v1\/documents\/papers\.[\w-]+\/download\?.*signature=[^#]+#page=2:~:text=Leave%20is%2030%20days%20a%20year/);
  await shownAt(opened, '2');
  // The line of text of this page stands on white paper, once the viewer has drawn it, and is marked. The viewer goes to the page
  // and to the words, in either order, so that the line may stand anywhere.
  const clip = { x: 390, y: 60, width: 800, height: 830 };
  const isDrawn = ([white, dark, marked]) => white > 0.6 && dark > 0.0005 && marked > 0.012;
  while (!isDrawn(await parts(page, await pictureOf(opened, { clip }))));
  await opened.close();
  const response = await fetch(address);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/pdf');
  assert.match(response.headers.get('content-disposition'), /^inline; filename="Hand book\.pdf"/);
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  assert.doesNotMatch(response.headers.get('content-security-policy'), /sandbox/);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), file);

  const messages = [{ role: 'user', content: 'How many days of leave are there?' }];
  const body = { model: 'papers', messages, citewire: { citations: 'assistanthub' } };
  const completion = await (await request('POST', '/v1/chat/completions', body)).json();
  assert.equal(completion.citations.sources[0].page, 2);
});

visiting(around, 'an upload shows how much of it has left', { ...CLOSED, expected: refused(404) }, async (visit) => {
  const { page } = visit;
  await store('slow');
  await openAssistant(page, 'slow', { chat: false });
  const network = await page.context().newCDPSession(page);
  const line = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 512 * 1024 };
  await network.send('Network.emulateNetworkConditions', line);
  const bar = page.getByRole('progressbar', { name: 'Upload of long.md', exact: true });
  const seen = page.waitForFunction(() => {
    const bar = document.querySelector('progress');
    return bar && bar.value > 0 && bar.value < bar.max && bar.closest('li').innerText;
  });
  const text = `# Leave\n\nLeave is 30 days a year.\n\n${'More words. '.repeat(100_000)}`;
  const file = { name: 'long.md', mimeType: 'text/markdown', buffer: Buffer.from(text) };
  await documents(page).locator('input[multiple]').setInputFiles(file);
  assert.match(await (await seen).jsonValue(), /KiB of 1\.1 MiB uploaded/);
  await bar.waitFor();
  await network.send('Network.emulateNetworkConditions', { ...line, uploadThroughput: -1 });
  await row(documents(page), 'long.md').getByText('ready').waitFor();
  assert.equal(await bar.count(), 0);
});

visiting(around, 'two people who save at once see it, and lose nothing', { ...CLOSED, expected: refused(412, 404) }, async (visit) => {
  const { page } = visit;
  await store('shared', { documents: {}, greeting: 'Hello', refusal: 'No' });
  await openAssistant(page, 'shared', { chat: false });
  const box = (name) => settings(page).getByRole('textbox', { name, exact: true });
  await box('Greeting').fill('Mine');
  await box('Instructions').fill('Be brief.');
  await store('shared', { documents: {}, greeting: 'Theirs', refusal: 'No', failure: 'Their words' });
  await button(settings(page), 'Save').click();
  await settings(page).getByText('somebody else has changed this assistant').waitFor();
  assert.equal(await box('Greeting').inputValue(), 'Mine');
  await page.keyboard.press('Enter');
  await settings(page).getByText('Greeting: they entered "Theirs"').waitFor();
  assert.equal(await box('Greeting').inputValue(), 'Mine');
  await saved(page);
  const all = { documents: {}, greeting: 'Mine', instructions: 'Be brief.', refusal: 'No', failure: 'Their words' };
  assert.deepEqual(await stored('shared'), all);
});

visiting(around, 'what is not accepted is marked at its field', { ...CLOSED, expected: refused(422, 404) }, async (visit) => {
  const { page } = visit;
  await store('model');
  await openAssistant(page, 'model', { chat: false });
  const field = (role, name) => settings(page).getByRole(role, { name, exact: true });
  const problem = async (control) => {
    const ids = (await control.getAttribute('aria-describedby')).split(' ');
    return page.locator(`#${ids.at(-1)}`).innerText();
  };
  await field('combobox', 'What answers').selectOption('openai');
  await button(settings(page), 'Save').click();
  const model = field('textbox', 'Model');
  assert.equal(await model.getAttribute('aria-invalid'), 'true');
  assert.equal(await problem(model), 'This is required.');
  assert.ok(await model.evaluate((control) => control === document.activeElement), 'the focus is at the fault');

  await model.fill('gemma3:4b');
  await field('textbox', 'URL').first().fill('http://127.0.0.1:9/v1');
  await settings(page).getByText('Less common options of the back end').click();
  const key = field('textbox', 'Secret of the configuration');
  await key.fill('NOT_NAMED');
  await button(settings(page), 'Save').click();
  await settings(page).getByText('no secret NOT_NAMED').waitFor();
  assert.match(await problem(key), /NOT_NAMED/);
  assert.equal(await model.getAttribute('aria-invalid'), null);
  await key.fill('model');
  // A fold with a fault opens.
  await field('textbox', 'Body').fill('{');
  await settings(page).getByText('Less common options of the back end').click();
  await button(settings(page), 'Save').click();
  assert.match(await problem(field('textbox', 'Body')), /^This is not JSON/);
  await field('textbox', 'Body').fill('{"top_p": 0.5}');
  await saved(page);
  assert.deepEqual(await stored('model'), {
    documents: {},
    upstream: { kind: 'openai', url: 'http://127.0.0.1:9/v1', model: 'gemma3:4b', key_env: 'model', body: { top_p: 0.5 } },
  });
  // What two kinds have in common stays when the kind changes, and without documents there are none to link.
  await field('combobox', 'What answers').selectOption('anthropic');
  assert.equal(await field('textbox', 'Model').inputValue(), 'gemma3:4b');
  await field('checkbox', 'Answer from documents').uncheck();
  assert.ok(await settings(page).locator('select').filter({ hasText: 'Authenticated' }).isHidden());
  await page.getByRole('link', { name: 'All assistants' }).click();
  await dialog(page).getByText('Your changes are not saved.').waitFor();
  await button(dialog(page), 'Cancel').click();
  await heading(page, 'model').waitFor();
});

visiting(around, 'settings under other names are understood, and unknown ones stay', { ...CLOSED, expected: refused(404) }, async (visit) => {
  const { page } = visit;
  await store('hub', { EnableCitations: false, SystemPrompt: 'Be brief.', EnableRag: true, RetrievalTopK: 3, options: { updates: 5 } });
  await openAssistant(page, 'hub', { chat: false });
  assert.ok(!(await settings(page).getByRole('checkbox', { name: 'Include citations' }).isChecked()));
  await settings(page).getByRole('textbox', { name: 'Greeting' }).fill('Hello');
  await saved(page);
  const all = { enable_citations: false, instructions: 'Be brief.', documents: { passages: 3 }, options: { updates: 5 }, greeting: 'Hello' };
  assert.deepEqual(await stored('hub'), all);
});

visiting(around, 'settings go out as a file and come back', { ...CLOSED, expected: refused(400, 404) }, async (visit) => {
  const { page } = visit;
  await store('moved', { documents: {}, greeting: 'a "b"' });
  await openAssistant(page, 'moved', { chat: false });
  const downloading = page.waitForEvent('download');
  await button(page, 'Export TOML').click();
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'moved.toml');
  const text = await readFile(await download.path(), 'utf8');
  assert.match(text, /\[assistants\.moved\]/);
  const give = async (words) => {
    await page.locator('input[accept*=toml]').setInputFiles({ name: 'a.toml', mimeType: '', buffer: Buffer.from(words) });
    await button(dialog(page), 'Replace').click();
  };
  await give('greeting = ');
  await dialog(page).getByText('not TOML').first().waitFor();
  await button(dialog(page), 'Cancel').click();
  await give(text.replace('a "b"', 'c').replace("'c'", '"c"'));
  await said(page).getByText('Saved.').waitFor();
  assert.equal(await settings(page).getByRole('textbox', { name: 'Greeting' }).inputValue(), 'c');
  await page.getByRole('link', { name: 'All assistants' }).click();
  await button(page, 'New assistant').click();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('moved');
  await button(dialog(page), 'Cancel').click();
});

visiting(around, 'names that look like markup are text, and a file that is refused says why', { ...CLOSED, expected: refused(415) }, async (visit) => {
  const { page } = visit;
  const hostile = '<img src=x onerror="window.hurt=1">.md';
  await store('names', { documents: {}, greeting: '<b>Hello</b>' });
  await upload('names', hostile, '# <img src=x onerror="window.hurt=1">\n\nLeave is 30 days a year.\n');
  await openAssistant(page, 'names');
  await documents(page).getByText(hostile, { exact: true }).waitFor();
  const file = (name, bytes) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(bytes) });
  await documents(page).locator('input[multiple]').setInputFiles([file('a.exe', 'x'), file('b.txt', [0xff, 0xfe, 0]), file('c.txt', 'Lunch is at noon.')]);
  await row(documents(page), 'a.exe').getByText('Not uploaded: files of this type cannot be read').waitFor();
  await row(documents(page), 'b.txt').getByText('not UTF-8').waitFor();
  await row(documents(page), 'c.txt').getByText('ready').waitFor();
  await documents(page).getByText('3 documents, 1 cannot be read, ').waitFor();
  await asked(page).fill('How many days of leave are there?');
  await asked(page).press('Enter');
  await visit.message('Leave is 30 days').waitFor();
  await button(documents(page), `Delete ${hostile}`).click();
  await dialog(page).getByText(`Delete ${hostile}?`).waitFor();
  assert.equal(await page.evaluate(() => window.hurt), undefined);
  assert.equal(await page.locator('img[src=x]').count(), 0);
});

visiting(around, 'an assistant of the configuration is shown, tried, and cannot be changed', CLOSED, async (visit) => {
  const { page } = visit;
  await openAssistant(page, 'fixed');
  await page.getByText('part of the configuration of the server. Change it there, in the section [assistants.fixed]').waitFor();
  const greeting = settings(page).getByRole('textbox', { name: 'Greeting' });
  assert.equal(await greeting.inputValue(), 'Greetings from the file');
  assert.ok(await greeting.isDisabled());
  for (const name of ['Save', 'Delete', 'Import TOML']) assert.equal(await button(page, name).count(), 0, name);
  await visit.message('Greetings from the file').waitFor();
  await page.getByRole('link', { name: 'All assistants' }).click();
  await row(page, 'fixed').getByText('configuration file').waitFor();
  assert.equal(await button(page, 'Delete fixed').count(), 0);
});

visiting(around, 'without Web Chat a plain field shows the answer and its sources', { ...CLOSED, expected: refused(404) }, async (visit) => {
  const { page } = visit;
  await openAssistant(page, 'fixed', { chat: false });
  await page.getByText('Web Chat is not installed').waitFor();
  await page.getByRole('textbox', { name: 'Question' }).fill('How many days of leave are there?');
  await page.getByRole('textbox', { name: 'Question' }).press('Enter');
  await page.getByRole('log', { name: 'Answers' }).getByText('Leave is 30 days a year. [1]').waitFor();
  await page.getByRole('list', { name: 'Sources' }).getByText('[1] Leave: Leave is 30 days a year.').waitFor();
});

/** Asks an assistant as a user, in a conversation of the user's own; gives its id. */
async function converse(user, question) {
  const granted = await (await request('POST', '/v1/assistants/fixed/tokens', { user: { id: user, name: user } })).json();
  const call = (path, body) =>
    fetch(`${service.url}/v3/directline/conversations${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${granted.token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
  await call('', {});
  await call(`/${granted.conversationId}/activities`, { type: 'message', from: { id: user }, text: question });
  for (let answers = 0; answers === 0; ) {
    const { activities } = await (await call(`/${granted.conversationId}/activities`)).json();
    answers = activities.filter(({ type, text }) => type === 'message' && text?.includes('30 days')).length;
  }
  return granted.conversationId;
}

visiting(around, 'conversations are found, read, downloaded and erased', CLOSED, async (visit) => {
  const { page } = visit;
  const [ann, bob] = [await converse('dl_ann', 'How long is my leave?'), await converse('dl_bob', 'Days of leave?')];
  await page.route('**/v1/conversations/*/feedback*', (route) => {
    const isOfAnn = route.request().url().includes(ann);
    const given = { answer: null, from: { id: 'dl_ann' }, reaction: 'dislike', text: '<i>Too short</i>', received: '2026-01-02T03:04:05Z' };
    return route.fulfill({ json: { id: ann, feedback: isOfAnn ? [given] : [], next: null } });
  });
  await signIn(page, '#/conversations');
  await heading(page, 'Conversations').waitFor();
  await page.getByRole('link', { name: bob }).waitFor();
  const find = async (fields) => {
    for (const name of ['User id', 'Conversation id', 'Active after', 'Active before']) await page.getByLabel(name, { exact: true }).fill(fields[name] ?? '');
    await button(page, 'Find').click();
  };
  await find({ 'Active before': '2020-01-01T00:00' });
  await page.getByText('No conversation was found.').waitFor();
  await find({ 'Conversation id': bob });
  await page.getByText('1 conversation', { exact: true }).waitFor();
  await find({ 'User id': 'dl_ann', 'Active after': '2020-01-01T00:00' });
  await page.getByText('1 conversation', { exact: true }).waitFor();
  await page.getByRole('link', { name: ann }).click();
  const messages = page.getByRole('list', { name: 'Messages' });
  await messages.getByText('How long is my leave?').waitFor();
  await messages.locator('.said-text', { hasText: 'Leave is 30 days a year. [1]' }).waitFor();
  await messages.getByRole('list', { name: 'Sources' }).getByText('[1] Leave').waitFor();
  const citations = messages.getByRole('list', { name: 'Citations' });
  await citations.getByText('verbatim').waitFor();
  await citations.locator('q', { hasText: 'Leave is 30 days a year' }).waitFor();
  await row(page, '<i>Too short</i>').getByText('not helpful').waitFor();
  const downloading = page.waitForEvent('download');
  await button(page, 'Download (NDJSON)').click();
  const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n');
  assert.ok(lines.length >= 3 && lines.every((line) => JSON.parse(line).conversation === ann), lines.join('\n'));

  await page.getByRole('link', { name: 'Feedback' }).click();
  await page.getByText('1 rating in the newest').waitFor();
  await row(page, 'Too short').getByRole('link', { name: ann }).click();
  await button(page, 'Erase this conversation').click();
  await dialog(page).getByText(ann).waitFor();
  await page.keyboard.press('Escape');
  await button(page, 'Erase this conversation').click();
  await button(dialog(page), 'Erase the conversation').click();
  await heading(page, 'Conversations').waitFor();
  await page.getByRole('link', { name: bob }).waitFor();
  assert.equal(await page.getByRole('link', { name: ann }).count(), 0);

  await find({ 'User id': 'dl_bob' });
  await button(page, 'Erase this user').click();
  await dialog(page).getByText('dl_bob').waitFor();
  await button(dialog(page), 'Erase the user').click();
  await page.getByText('No conversation was found.').waitFor();
  assert.equal(await (await request('GET', '/v1/users/dl_bob/export')).text(), '');
});

visiting(around, 'everything can be reached with the keyboard alone', CLOSED, async (visit) => {
  const { page } = visit;
  const tabTo = async (wanted) => {
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      if (!(await wanted.evaluate((element) => element === document.activeElement))) continue;
      // Web Chat draws its own ring.
      const isSeen = await wanted.evaluate((element) => element.closest('#chat-host') || getComputedStyle(element).outlineStyle !== 'none');
      assert.ok(isSeen, `the focus is visible on ${wanted}`);
      return;
    }
    assert.fail(`Tab does not lead to ${wanted}`);
  };
  await page.goto(`${service.url}/admin`);
  await page.keyboard.type(API_KEY);
  await page.keyboard.press('Enter');
  await heading(page, 'Assistants').waitFor();
  await tabTo(button(page, 'New assistant'));
  await page.keyboard.press('Enter');
  await dialog(page).waitFor();
  await page.keyboard.type('keyboard');
  await page.keyboard.press('Enter');
  await heading(page, 'keyboard').waitFor();
  assert.ok(await heading(page, 'keyboard').evaluate((element) => element === document.activeElement), 'the focus follows');
  await tabTo(button(page, 'Choose files'));
  await tabTo(settings(page).getByRole('checkbox', { name: 'Include citations' }));
  await page.keyboard.press('Space');
  await tabTo(button(page, 'Save'));
  await page.keyboard.press('Enter');
  await said(page).getByText('Saved.').waitFor();
  assert.equal((await stored('keyboard')).enable_citations, false);
  await page.getByText('Connected', { exact: true }).waitFor();
  await tabTo(asked(page));
  await page.getByRole('link', { name: 'Skip to the content' }).focus();
  await page.keyboard.press('Enter');
  await tabTo(page.getByRole('link', { name: 'All assistants' }));
  await page.keyboard.press('Enter');
  await heading(page, 'Assistants').waitFor();
  await tabTo(button(page, 'Delete keyboard'));
  await page.keyboard.press('Enter');
  assert.ok(await button(dialog(page), 'Cancel').evaluate((element) => element === document.activeElement), 'Enter deletes nothing');
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  assert.ok(await button(page, 'Delete keyboard').evaluate((element) => element === document.activeElement), 'the focus comes back');
});

/** Controls without a name, and names that stand for nothing. */
function faultsOf(elements) {
  const isNamed = (control) => {
    const named = control.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id));
    const words = named ?? [...(control.labels ?? [])];
    if (control.tagName === 'BUTTON') words.push(control);
    return control.ariaLabel || words.some((element) => element?.textContent.trim());
  };
  const described = (control) => (control.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean);
  return elements
    .filter((control) => !isNamed(control) || described(control).some((id) => !document.getElementById(id)))
    .map((control) => control.outerHTML);
}

visiting(around, 'everything has a name and stands out in light and dark, on a phone as well', { ...CLOSED, ...PHONE }, async (visit) => {
  const { page } = visit;
  await store('seen', { documents: {}, upstream: { kind: 'azure', endpoint: 'https://a.example', deployment: 'd', index: 'i', search_endpoint: 'https://s.example' } });
  await upload('seen', `${'a-long-name-'.repeat(12)}.md`, 'Leave is 30 days a year.');
  const conversation = await converse('dl_eve', 'How many days of leave?');
  await signIn(page);
  for (const [fragment, title] of [
    ['#/assistants', 'Assistants'],
    ['#/assistants/seen', 'seen'],
    ['#/conversations', 'Conversations'],
    [`#/conversations/${conversation}`, conversation],
    ['#/feedback', 'Feedback'],
  ]) {
    await page.evaluate((fragment) => (location.hash = fragment), fragment);
    await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor();
    if (title === 'seen') {
      await row(documents(page), 'a-long-name').waitFor();
      await page.getByText('Connected', { exact: true }).waitFor();
      await page.locator('details').evaluateAll((all) => all.forEach((one) => (one.open = true)));
    }
    const controls = page.locator('.bar, .card, dialog').locator('button, input, select, textarea');
    assert.deepEqual(await controls.evaluateAll(faultsOf), [], fragment);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${fragment} is ${wide} px wide`);
    const all = page.locator('.bar a, .card :is(h2, h3, p, label, legend, summary, li, a, button, input, select, textarea)');
    const texts = all.filter({ visible: true });
    for (const colorScheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme });
      const measured = await texts.evaluateAll(contrasts);
      assert.ok(measured.length > 5, `${measured.length} texts were measured`);
      assert.deepEqual(measured.filter(([, ratio]) => ratio < 4.5), [], `${fragment} in ${colorScheme}`);
    }
    const twice = await page.evaluate(() => {
      const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
      return ids.filter((id, at) => ids.indexOf(id) !== at);
    });
    assert.deepEqual(twice, [], `${fragment} has ids twice`);
  }
  await page.getByRole('banner').waitFor();
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Feedback', exact: true }).waitFor();
  assert.equal(await page.getByRole('navigation').locator('[aria-current=page]').innerText(), 'Feedback');
});
