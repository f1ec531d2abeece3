// From an empty server to a colleague who chats, by a person's steps: a model, its key, and the link.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before } from 'node:test';
import { contrasts } from './contrasts.mjs';
import { RELEASE, startBrowser, startService, visiting } from './harness.mjs';
import { API_KEY } from './processes.mjs';

const CLOSED = { opened: false };
const KEY = 'sk-of-the-browser-tests-0123456789-xyz1';
const NAME = 'Größe & Maß 手册';
const refused = (...statuses) => [new RegExp(`^Failed to load resource: the server responded with a status of (${statuses.join('|')})`)];

/** What the browser says where a page is left whose connection is being closed. */
const LEAVING = /^WebSocket is already in CLOSING or CLOSED state/;

/** A service with chat completions that wants a key for questions and tells its models to everybody. */
const model = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const send = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (request.method === 'GET') send(200, { data: [{ id: 'tiny:1b' }, { id: 'large:9b' }] });
  else if (request.headers.authorization !== `Bearer ${KEY}`) send(401, { error: { message: 'No API key provided.' } });
  else if (JSON.parse(Buffer.concat(chunks)).model !== 'tiny:1b') send(404, { error: { message: 'model not found' } });
  else send(200, { choices: [{ message: { role: 'assistant', content: 'Leave is 30 days [1].' } }] });
});

let browser;
let service;
let address;
before(async () => {
  model.listen(0, '127.0.0.1');
  await once(model, 'listening');
  address = `http://127.0.0.1:${model.address().port}/v1`;
  service = await startService(RELEASE, { CITEWIRE_ASSISTANT: 'docs', CITEWIRE_EGRESS_ALLOW_HOSTS: new URL(address).host });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.stop();
  model.closeAllConnections();
  model.close();
});
const around = () => ({ browser, service });

const button = (scope, name) => scope.getByRole('button', { name, exact: true });
const heading = (page, name) => page.getByRole('heading', { name, exact: true });
const region = (page, name) => page.getByRole('region', { name, exact: true });
const said = (page) => page.locator('#said');

async function signIn(page, fragment = '') {
  await page.goto(`${service.url}/admin${fragment}`);
  await page.getByText('file api-key of its data folder').waitFor();
  await page.getByRole('textbox', { name: 'API key' }).fill(API_KEY);
  await button(page, 'Continue').click();
}

async function ask(page, question) {
  await page.getByText('Connected', { exact: true }).waitFor();
  const box = page.getByRole('textbox', { name: 'Message input box' });
  await box.fill(question);
  await box.press('Enter');
}

visiting(around, 'a local model is chosen, refused with what to allow, tried, keyed, and answers', { ...CLOSED, expected: refused(422) }, async (visit) => {
  const { page } = visit;
  await signIn(page);
  await button(page, 'New assistant').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(NAME);
  assert.ok(await dialog.getByText('TOML').first().isHidden(), 'files are for those who look for them');
  await button(dialog, 'Create').click();
  await heading(page, NAME).waitFor();
  assert.match(page.url(), /#\/assistants\/grosse-mass$/);
  await visit.message(`I am ${NAME}`).waitFor();
  const file = { name: 'leave.md', mimeType: 'text/markdown', buffer: Buffer.from('# Leave\n\nLeave is 30 days a year.\n') };
  await region(page, 'Documents').locator('input[multiple]').setInputFiles(file);
  await region(page, 'Documents').getByText('ready').waitFor();

  const settings = region(page, 'Settings');
  const url = settings.getByRole('textbox', { name: 'URL', exact: true });
  const named = (role) => settings.getByRole(role, { name: 'Model', exact: true });
  await settings.getByRole('combobox', { name: 'What answers' }).selectOption('Ollama, on your own machine');
  assert.equal(await url.inputValue(), 'http://127.0.0.1:11434/v1');
  await settings.getByText('No models were found: this server calls 127.0.0.1:11434 only if its operator allows this port').waitFor();
  await named('textbox').fill('tiny:1b');
  await button(settings, 'Save').click();
  await settings.locator('[aria-invalid=true]').waitFor();
  assert.equal(await url.getAttribute('aria-invalid'), 'true');
  const words = await page.locator(`#${(await url.getAttribute('aria-describedby')).split(' ').at(-1)}`).innerText();
  assert.match(words, /allow_hosts = "127\.0\.0\.1:11434" in the section \[egress\]/);

  await named('textbox').fill('');
  await url.fill(address);
  await url.press('Tab');
  await settings.getByText('Models there: large:9b, tiny:1b').waitFor();
  assert.equal(await named('combobox').inputValue(), 'large:9b');
  await button(settings, 'Try the model').click();
  await settings.getByText('wants a key (401): No API key provided.').waitFor();
  const key = settings.getByLabel('API key', { exact: true });
  if (await key.isHidden()) await settings.getByText('Less common options of the back end').click();
  assert.equal(await key.getAttribute('type'), 'password');
  await key.fill(KEY);
  await button(settings, 'Try the model').click();
  await settings.getByText('does not have the model "large:9b" (404)').waitFor();
  await named('combobox').fill('tiny:1b');
  await button(settings, 'Try the model').click();
  await settings.getByText('The model answers.').waitFor();
  await button(settings, 'Save').click();
  await said(page).getByText('Saved.').waitFor();
  await settings.getByText('A key is stored that ends in …xyz1').waitFor();
  assert.equal(await key.inputValue(), '');
  assert.ok(!(await page.content()).includes('sk-of-the-browser'), 'the key is nowhere on the page');
  await button(page, 'New conversation').click();
  await ask(page, 'How many days of leave are there?');
  await visit.message('Leave is 30 days').waitFor();

  // Another address drops the key, and says so.
  await page.reload();
  await settings.getByText('A key is stored that ends in …xyz1').waitFor({ state: 'attached' });
  await url.fill('https://api.openai.com/v1');
  await button(settings, 'Save').click();
  await said(page).getByText('Saved.').waitFor();
  await settings.getByText('was dropped, because the address of the back end changed: enter the key again').waitFor({ state: 'attached' });
});

visiting(around, 'a colleague chats by the link, and on the page, as soon as they are switched on', { ...CLOSED, expected: [...refused(403), LEAVING] }, async (visit) => {
  const { page } = visit;
  const put = (path, body) => fetch(`${service.url}/v1/assistants/${path}`, { method: 'PUT', headers: { authorization: `Bearer ${API_KEY}` }, body });
  const settings = { documents: {}, display_name: 'Leave & more', greeting: 'Hello from the handbook' };
  assert.equal((await put('handbook', JSON.stringify(settings))).status, 201);
  const colleague = await page.context().newPage();
  await colleague.goto(`${service.url}/?assistant=handbook`);
  await colleague.getByText('This link leads to no assistant').waitFor();

  await signIn(page, '#/assistants/handbook');
  const share = region(page, 'Share');
  const byLink = share.getByRole('switch', { name: 'Everybody with the link may chat' });
  assert.ok(!(await byLink.isChecked()));
  await byLink.focus();
  await page.keyboard.press('Space');
  await said(page).getByText('Everybody with the link may chat with it.').waitFor();
  const link = await share.locator('.copyable', { hasText: 'Link to chat with it' }).locator('code').innerText();
  assert.equal(link, `${service.url}/?assistant=handbook`);
  const line = await share.locator('.copyable', { hasText: 'Line for a web site' }).locator('code').innerText();
  const expected = `<script src="${service.url}/embed.js" data-assistant="handbook" data-title="Leave &amp; more"></script>`;
  assert.equal(line, expected);
  await share.getByText('The operator of this server has to name your site first').waitFor();
  await colleague.goto(link);
  await colleague.getByRole('feed').getByText('Hello from the handbook').first().waitFor();
  assert.equal(await colleague.title(), 'Leave & more');

  const onPage = share.getByRole('switch', { name: 'Answers the page' });
  await share.getByText('Now docs answers there.').waitFor();
  await onPage.click();
  await said(page).getByText('It answers on the page from now on.').waitFor();
  await share.getByText('Without it, docs answers there').waitFor();
  await colleague.goto(service.url);
  await colleague.getByRole('feed').getByText('Hello from the handbook').first().waitFor();
  await onPage.click();
  await said(page).getByText('It answers on the page no more.').waitFor();
  await colleague.goto(service.url);
  await colleague.getByRole('feed').getByText('I know the documentation of citewire').first().waitFor();

  // What is switched here does not touch what somebody is writing in the form.
  await region(page, 'Settings').getByRole('textbox', { name: 'Greeting' }).fill('Changed');
  await byLink.click();
  await said(page).getByText('The link leads nowhere any more.').waitFor();
  const stored = await (await fetch(`${service.url}/v1/assistants/handbook`, { headers: { authorization: `Bearer ${API_KEY}` } })).json();
  assert.deepEqual(stored, settings);
  await button(region(page, 'Settings'), 'Save').click();
  await said(page).getByText('Saved.').waitFor();
  await page.getByRole('link', { name: 'All assistants' }).click();
  await page.getByRole('link', { name: 'Leave & more' }).waitFor();
  // The assistant of the configuration cannot be switched off here, and the page says why.
  await page.getByRole('link', { name: 'docs', exact: true }).click();
  await heading(page, 'docs').waitFor();
  assert.ok(await onPage.isDisabled());
  await share.getByText('The configuration of the server chooses it.').waitFor();
});

visiting(around, 'what is shared has names, stands out and fits on a phone', { ...CLOSED, viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }, async (visit) => {
  const { page } = visit;
  const body = JSON.stringify({ documents: {}, shared: true, upstream: { kind: 'openai', url: address, model: 'tiny:1b' } });
  await fetch(`${service.url}/v1/assistants/phone`, { method: 'PUT', headers: { authorization: `Bearer ${API_KEY}` }, body });
  await signIn(page, '#/assistants/phone');
  await region(page, 'Share').getByText('For programs and Open WebUI').click();
  await button(region(page, 'Settings'), 'Try the model').click();
  await region(page, 'Settings').getByText('The model does not answer').waitFor();
  const nameless = await page.locator('.card').locator('button, input').evaluateAll((all) => all.filter((one) => !one.ariaLabel && !one.labels?.length && !one.textContent.trim()).map((one) => one.outerHTML));
  assert.deepEqual(nameless.filter((html) => !html.includes('type="file"')), []);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme });
    const measured = await page.locator('.card :is(p, span, strong, code, button, summary)').filter({ visible: true, hasText: /\S/ }).evaluateAll(contrasts);
    assert.deepEqual(measured.filter(([, ratio]) => ratio < 4.5), [], colorScheme);
  }
});
