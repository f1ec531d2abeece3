// A service that is killed while it answers, in both versions of Web Chat.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { BackEnd } from './back-end.mjs';
import { Visit, badges, inEachVersion, visiting } from './harness.mjs';

const SOURCES = { sources: [{ url: 'https://hr.contoso.example/leave', title: 'Leave policy' }] };

inEachVersion(
  'a restart in Web Chat',
  (around) => {
    // There was the beginning of the first attempt above the whole answer, until the page was loaded again.
    visiting(
      around,
      'an answer that was broken off is continued in its bubble',
      { expected: [/WebSocket connection to .* failed/, /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET/] },
      async (visit) => {
        const first = backEnd.asked();
        const box = visit.page.getByRole('textbox', { name: 'Message input box' });
        await box.fill('How long is leave?');
        await box.press('Enter');
        const broken = await first;
        broken.send(SOURCES);
        broken.send({ delta: 'Leave is 30 ' });
        await visit.message('Leave is 30').waitFor();
        const second = backEnd.asked();
        await around().service.killAndStart();
        const whole = await second;
        // Read as soon as there is a socket again.
        await visit.say({ type: 'message', text: 'Welcome back.' });
        await visit.message('Welcome back.').waitFor();
        whole.send(SOURCES);
        whole.send({ delta: 'It is ' });
        await visit.message('It is').waitFor();
        const { browser, service } = around();
        const tab = await Visit.begin(browser, service, {});
        try {
          await (await tab.join(visit)).open();
          whole.send({ delta: 'so: ' });
          for (const reader of [visit, tab]) {
            await reader.message('It is so').waitFor();
            assert.equal(await reader.messages().count(), 3, 'the question, the greeting and one answer');
          }
          whole.send({ delta: 'Leave is 28 days [1].' });
          whole.end();
          for (const reader of [visit, tab]) {
            await badges(reader.message('Leave is 28 days')).waitFor();
            assert.equal(await reader.messages().count(), 3, 'the question, the greeting and one answer');
          }
          tab.assertClean();
        } finally {
          await tab.context.close();
        }
      },
    );
  },
  () => ({
    CITEWIRE_ASSISTANT: 'helper',
    CITEWIRE_ASSISTANTS: JSON.stringify({ helper: { upstream: { kind: 'http', url: backEnd.url } } }),
  }),
);

const backEnd = new BackEnd();
before(() => backEnd.start());
after(() => backEnd.stop());
