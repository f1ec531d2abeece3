// Agents Playground, Microsoft's emulator of Teams, in front of a real citewire: what a person reads there.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { API_KEY, startBrowser, startService } from '../browser/processes.mjs';
import { startBackEnd } from './back-end.mjs';
import { Chat } from './chat.mjs';
import { startPlayground } from './playground.mjs';

/** How long a whole test may take, and how long it may take to begin and to end. */
const LIMIT_MS = 90_000;

const LABEL = { id: 'confidential', name: 'Confidential', description: 'Internal readers only', priority: 3 };
const LEAVE = { title: 'Leave policy', url: 'https://hr.contoso.example/leave', content: 'Employees get 30 days.', label: LABEL };
const HANDBOOK = { title: 'Staff handbook, page 12', content: 'Leave is asked for in writing.' };
/** Back ends need not send passages along. */
const CANTEEN = { title: 'Canteen', url: 'https://contoso.example/canteen?a=1&b=2' };

/** Tests that share a browser, a service and an emulator in front of it. */
function inFrontOf(title, prepare, body) {
  describe(title, () => {
    const running = {};
    before(
      async () => {
        const { environment, ...more } = await prepare();
        Object.assign(running, more);
        running.service = await startService({}, { CITEWIRE_ASSISTANT: '', CITEWIRE_AZURE_BOT_ANONYMOUS: 'true', ...environment });
        running.browser = await startBrowser();
      },
      { timeout: LIMIT_MS },
    );
    after(
      async () => {
        await running.browser?.close();
        await running.service?.stop();
        await running.backEnd?.stop();
        if (running.folder) await rm(running.folder, { recursive: true, force: true });
      },
      { timeout: LIMIT_MS },
    );
    const chatting = (name, work, options) =>
      test(name, { timeout: LIMIT_MS }, async () => {
        const playground = await startPlayground(running.service.url, options);
        try {
          const chat = await Chat.open(running.browser, playground);
          await work(chat, running, playground);
          await chat.close();
        } catch (error) {
          error.message += `\nthe service said:\n${running.service.said.slice(-20).join('\n')}`;
          throw error;
        } finally {
          await playground.stop();
        }
      });
    body(chatting);
  });
}

/** A call of the operator. */
async function operate(service, path, body) {
  const response = await fetch(`${service.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const EXPECTING = { more: ['--delivery-mode', 'expectReplies'] };

inFrontOf('The assistant for the documentation', async () => ({}), (chatting) => {
  chatting('answers a question of a person, in one message that grows, with true citations', async (chat) => {
    await chat.say('What happens to a marker that names no source?');
    const answer = chat.bubble('This is what the documentation says');
    await answer.waitFor();
    const early = (await answer.textContent()).length;
    await answer.evaluate(
      (element, length) =>
        new Promise((resolve) => {
          const look = () => (element.textContent.length > length ? resolve() : requestAnimationFrame(look));
          look();
        }),
      early,
    );
    // While an answer is written, a cursor stands behind it.
    await chat.badges(answer).nth(1).waitFor();
    await chat.page.getByText('AI generated').waitFor();
    assert.equal(await answer.count(), 1);
    const count = new Set(await chat.badges(answer).allTextContents()).size;
    assert.ok(count >= 2, `${count} badges`);
    const { name, abstract } = await chat.opened(chat.badges(answer).first());
    assert.ok(name.length > 0 && abstract.length > 20, `${name}: ${abstract}`);
    await chat.assertClean();
  });

  chatting('says so when the documentation says nothing', async (chat) => {
    await chat.say('Which football club won the cup?');
    const answer = chat.bubble('The documentation says nothing about this');
    await answer.waitFor();
    assert.equal(await chat.badges(answer).count(), 0);
    await chat.assertClean();
  });
});

/** An assistant whose back end the test plays. */
async function recorded() {
  const backEnd = await startBackEnd();
  const folder = await mkdtemp(join(tmpdir(), 'citewire-playground-'));
  const file = join(folder, 'citewire.toml');
  await writeFile(
    file,
    `[assistants.recorded]
informative = "Looking into the handbook"
greeting = "Hello, ask me about leave."

[assistants.recorded.options]
feedback = true

[assistants.recorded.upstream]
kind = "http"
url = "${backEnd.url}"
from = "citewire"
`,
  );
  return { backEnd, folder, environment: { CITEWIRE_CONFIG: file } };
}

inFrontOf('An assistant with labels and feedback', recorded, (chatting) => {
  chatting('greets who has come', async (chat) => {
    await chat.bubble('Hello, ask me about leave.').waitFor();
    assert.equal(await chat.bubbles().count(), 1);
    await chat.assertClean();
  });

  chatting('streams in a personal chat: a note, the text as it comes, and one message with its sources', async (chat, { backEnd }) => {
    await chat.say('How long is leave?');
    const asked = await backEnd.asked();
    assert.equal(asked.question, 'How long is leave?');
    await chat.page.getByText('Looking into the handbook').first().waitFor();
    asked.send({ sources: [LEAVE, HANDBOOK, CANTEEN] });
    asked.send({ delta: 'Leave is **30 days** ' });
    const answer = chat.bubble('Leave is 30 days');
    await answer.waitFor();
    // The marker is cut in the middle, and is not shown before it is whole.
    asked.send({ delta: '[1' });
    asked.send({ delta: '] a year, and it is asked for in writing' });
    await chat.bubble('in writing').waitFor();
    assert.doesNotMatch(await answer.textContent(), /\[1(?!\])/);
    asked.end({ delta: ' [2][1]. Index `list[0]` stays.' });
    await chat.badges(answer).nth(2).waitFor();
    await chat.around(answer).getByText('AI generated').waitFor();
    assert.equal(await chat.bubble('30 days').count(), 1, 'one message is left of the stream');
    assert.equal(await chat.bubble('Looking into the handbook').count(), 0);
    await chat.assertCited(answer, [1, 2, 1]);
    assert.match(await answer.textContent(), /list\[0\]/);
    // A stream that has not ended shows a cursor.
    assert.doesNotMatch(await answer.textContent(), /\|/);
    const [first, second] = [await chat.opened(chat.badges(answer).nth(0)), await chat.opened(chat.badges(answer).nth(1))];
    assert.equal(first.name, 'Leave policy');
    assert.equal(first.url, 'https://hr.contoso.example/leave#:~:text=Employees%20get%2030%20days');
    assert.equal(first.abstract, 'Employees get 30 days.');
    assert.equal(first.label, 'Confidential');
    assert.match(first.all, /Internal readers only/);
    assert.equal(second.name, 'Staff handbook, page 12');
    assert.equal(second.url, undefined);
    assert.equal(second.abstract, 'Leave is asked for in writing.');
    assert.equal(second.label ?? '', '');
    await chat.assertClean();
  });

  chatting('shows the label of the message, and keeps what people think of it', async (chat, { backEnd, service }) => {
    await chat.say('How long is leave?');
    (await backEnd.asked()).end({ sources: [LEAVE], delta: 'Leave is 30 days [1].' });
    const answer = chat.bubble('Leave is 30 days');
    const around = chat.around(answer);
    await around.getByRole('button', { name: 'Confidential' }).waitFor();
    await around.getByRole('button', { name: 'Like', exact: true }).click();
    await chat.page.getByRole('dialog').getByRole('textbox').fill('It told me all that I wanted.');
    await chat.page.getByRole('button', { name: 'Submit' }).click();
    await chat.page.getByText('We appreciate your feedback').waitFor();
    const name = await conversation(service, 'How long is leave?');
    const { feedback } = await operate(service, `/v1/conversations/${encodeURIComponent(name)}/feedback`);
    assert.equal(feedback.length, 1, JSON.stringify(feedback));
    assert.equal(feedback[0].reaction, 'like');
    assert.match(JSON.stringify(feedback[0]), /It told me all that I wanted\./);
    await chat.page.getByRole('button', { name: 'Close' }).last().click();
    await chat.assertClean();
  });

  for (const place of ['group', 'channel']) {
    chatting(`answers in a ${place} with one ordinary message, and then the next question`, async (chat, { backEnd }) => {
      await chat.enter(place);
      for (const [question, days] of [['How long is leave?', 30], ['And in Germany?', 32]]) {
        await chat.say(question, { mention: true });
        const asked = await backEnd.asked();
        assert.equal(asked.question, question, 'the mention is taken out');
        asked.send({ sources: [LEAVE, HANDBOOK] });
        asked.end({ delta: `Leave is ${days} days [1]` }, { delta: ', asked for in writing [2].' });
        const answer = chat.bubble(`Leave is ${days} days`);
        await chat.badges(answer).nth(1).waitFor();
        assert.equal(await answer.count(), 1);
        await chat.assertCited(answer, [1, 2]);
        await chat.around(answer).getByText('AI generated').waitFor();
      }
      const calls = await chat.statuses();
      assert.ok(!calls.some((call) => call.startsWith('typing 4')), `${calls}`);
      await chat.assertClean();
    });
  }

  const replies = async (chat, { backEnd }) => {
    await chat.say('How long is leave?');
    (await backEnd.asked()).end({ sources: [LEAVE] }, { delta: 'Leave is 30 days [1].' });
    const answer = chat.bubble('Leave is 30 days');
    await chat.badges(answer).first().waitFor();
    await chat.assertCited(answer, [1]);
    // Nothing was sent but what the body of the response had.
    assert.deepEqual(new Set(await chat.statuses()), new Set(['installationUpdate 200', 'conversationUpdate 200', 'message 200']));
  };
  chatting('answers in the response where replies are expected there', replies, EXPECTING);

  chatting('answers with more than ten sources', async (chat, { backEnd }) => {
    await chat.say('What is there to know?');
    const sources = Array.from({ length: 12 }, (_, at) => ({
      title: `Document ${at + 1}`,
      url: `https://contoso.example/${at + 1}`,
      content: `This is what document ${at + 1} says.`,
    }));
    const sentences = sources.map((_, at) => `This is fact ${at + 1} [${at + 1}].`);
    (await backEnd.asked()).end({ sources, delta: `All of it:\n\n${sentences.join('\n\n')}` });
    // The emulator takes ten citations where Teams takes twenty: the reader gets the answer all the same.
    const answer = chat.bubble('This is fact 12');
    await answer.waitFor();
    assert.equal(await chat.bubble('This is fact 1').count(), 1, 'there is one answer');
    const text = await answer.textContent();
    for (const { title } of sources) assert.ok(text.includes(title), `${title} is named`);
  });

  chatting('takes an answer that comes later, from outside', async (chat, { service, backEnd }) => {
    await chat.say('Is there news?');
    (await backEnd.asked()).end({ delta: 'Not yet.' });
    await chat.bubble('Not yet.').waitFor();
    const name = await conversation(service, 'Is there news?');
    const answer = { text: 'The canteen opens at eight [1].', sources: [CANTEEN] };
    await operate(service, `/v1/conversations/${encodeURIComponent(name)}/answers`, { from: 'citewire', answer });
    const bubble = chat.bubble('The canteen opens at eight');
    await chat.badges(bubble).first().waitFor();
    await chat.assertCited(bubble, [1]);
    const shown = await chat.opened(chat.badges(bubble).first());
    assert.deepEqual([shown.url, shown.name], ['https://contoso.example/canteen?a=1&b=2', 'Canteen']);
    await chat.assertClean();
  });

  chatting('keeps what was shown when the back end breaks off, and says that it is not all', async (chat, { backEnd }) => {
    await chat.say('How long is leave?');
    const asked = await backEnd.asked();
    asked.send({ delta: 'Leave is thirty days, and' });
    const shown = chat.bubble('Leave is thirty days, and');
    await shown.waitFor();
    asked.breakOff();
    await chat.bubble('it broke off while it was being written').waitFor();
    assert.equal(await shown.count(), 1, 'what was shown stays, once');
    assert.equal(await chat.bubble('I cannot answer').count(), 0, 'there is an answer, so nobody apologises');
    await chat.assertClean();
  });

  chatting('apologises when the back end reports an error before it has said anything', async (chat, { backEnd }) => {
    await chat.say('How long is leave?');
    const asked = await backEnd.asked();
    asked.end({ error: { code: 'overloaded', message: 'secret words of the back end' } });
    const apology = chat.bubble('I cannot answer at the moment');
    await apology.waitFor();
    assert.doesNotMatch(await chat.page.locator('body').textContent(), /secret words/);
    await chat.assertClean();
  });
});

/** The name of the conversation in which this was said. */
async function conversation(service, said) {
  const { conversations } = await operate(service, '/v1/conversations');
  for (const { id } of conversations) {
    const { activities } = await operate(service, `/v1/conversations/${encodeURIComponent(id)}`);
    if (activities.some(({ text }) => text === said)) return id;
  }
  assert.fail(`no conversation has “${said}” in ${JSON.stringify(conversations)}`);
}
