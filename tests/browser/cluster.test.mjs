// Three nodes on two PostgreSQL servers and Redis, behind nginx: a node dies while it answers, and then the primary.
//
// Redis shows the next attempt at the answer to the reader, who comes back to one node while another one may answer.

import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { BackEnd } from './back-end.mjs';
import { freePort } from './free-port.mjs';
import { RELEASE, Visit, badges, startBrowser, startService, visiting } from './harness.mjs';
import { startNginx } from './nginx.mjs';
import { Pair } from './postgresql.mjs';
import { startRedis } from './redis.mjs';

const SOURCES = { sources: [{ url: 'https://hr.contoso.example/leave', title: 'Leave policy' }] };

describe(`a cluster in Web Chat ${RELEASE.name}`, () => {
  const backEnd = new BackEnd();
  const nodes = [];
  let browser;
  let nginx;
  let pair;
  let redis;
  let service;

  before(async () => {
    await backEnd.start();
    pair = await Pair.start();
    redis = await startRedis();
    const port = await freePort();
    service = { url: `http://127.0.0.1:${port}` };
    for (const name of ['0', '1', '2']) {
      const helper = { upstream: { kind: 'http', url: `${backEnd.url}/${name}` } };
      const node = await startService(RELEASE, {
        CITEWIRE_ASSISTANT: 'helper',
        CITEWIRE_ASSISTANTS: JSON.stringify({ helper }),
        CITEWIRE_PUBLIC_URL: service.url,
        CITEWIRE_TRUSTED_PROXIES: '127.0.0.1',
        CITEWIRE_STORE_URL: pair.url,
        CITEWIRE_BUS_URL: redis.url,
        CITEWIRE_CLUSTER_HEARTBEAT_MILLISECONDS: '300',
        CITEWIRE_CLUSTER_DEAD_AFTER_MILLISECONDS: '2000',
      });
      nodes.push(node);
    }
    nginx = await startNginx(port, nodes.map((node) => new URL(node.url).host));
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await nginx?.stop();
    for (const node of nodes) await node.stop();
    await redis?.stop();
    await pair?.stop();
    backEnd.stop();
  });

  const lost = [/WebSocket connection to .* failed/];
  visiting(() => ({ browser, service }), 'answers while a node and the primary die', { expected: lost }, async (visit) => {
    const box = visit.page.getByRole('textbox', { name: 'Message input box' });
    const ask = async (question) => {
      const asked = backEnd.asked();
      await box.fill(question);
      await box.press('Enter');
      return asked;
    };
    const broken = await ask('How long is leave?');
    broken.send(SOURCES);
    broken.send({ delta: 'Leave is 30 ' });
    await visit.message('Leave is 30').waitFor();

    const again = backEnd.asked();
    const [, first] = broken.path.split('/');
    await nodes[first].kill();
    const whole = await again;
    assert.notEqual(whole.path, broken.path, 'another node asks again');
    whole.send(SOURCES);
    whole.send({ delta: 'It is so: ' });
    await visit.message('It is so').waitFor();
    assert.equal(await visit.messages().count(), 2, 'the question and one answer');

    await pair.failOver();
    whole.send({ delta: 'leave is 28 days [1].' });
    whole.end();
    await badges(visit.message('leave is 28 days')).waitFor();
    assert.equal(await visit.messages().count(), 2, 'the question and one answer');

    await nodes[first].startAgain();
    const next = await ask('And in the first year?');
    next.send(SOURCES);
    next.send({ delta: 'As long [1].' });
    next.end();
    await badges(visit.message('As long')).waitFor();
    const tab = await Visit.begin(browser, service, {});
    try {
      await (await tab.join(visit)).open();
      await badges(tab.message('As long')).waitFor();
      for (const reader of [visit, tab]) {
        assert.equal(await reader.messages().count(), 4, 'two questions, each with one answer');
      }
      tab.assertClean();
    } finally {
      await tab.context.close();
    }
  });
});
