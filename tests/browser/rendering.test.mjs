// How cited answers look in real Web Chat, in the release and in a prerelease with another Markdown engine.

import assert from 'node:assert/strict';
import { badgeTexts, badges, entries, inEachVersion, visiting } from './harness.mjs';

const POLICY = {
  text: 'Turn on the proxy for the guest network[1]. Laptops get the setting by policy[2]. Exceptions need a form[3].',
  sources: [
    {
      id: 'proxy',
      title: 'Proxy settings in the guest network',
      url: 'https://it.example.com/proxy?view=guest#top',
      label: { id: 'l1', name: 'General', description: 'For everybody', priority: 1, color: 'green' },
    },
    { id: 'policy', title: 'Device policy', url: 'https://it.example.com/policy' },
    {
      id: 'form',
      title: 'Exception form, page 3',
      content: 'An exception lasts **thirty days**.',
      label: {
        id: 'l2',
        name: 'Confidential\\Staff only',
        description: 'Not for guests',
        priority: 7,
        color: 'orange',
        encrypted: true,
      },
    },
  ],
  interpreter: { slogan: 'Surfaced with the IT assistant', url: 'https://it.example.com/assistant' },
};

const hrefs = (links) => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));

inEachVersion('Web Chat', (around) => {
  const case_ = (name, body) => visiting(around, name, {}, body);

  case_('a cited answer has badges, a list, a label and its interpreter', async (visit) => {
    const { message } = await visit.show(POLICY, 'Turn on the proxy');
    assert.deepEqual(await badgeTexts(message), ['[1]', '[2]', '[3]']);
    const links = ['https://it.example.com/proxy?view=guest#top', 'https://it.example.com/policy'];
    assert.deepEqual(await hrefs(message.getByRole('paragraph').getByRole('link')), links);

    await message.getByText('3 references', { exact: true }).waitFor();
    const titles = ['Proxy settings in the guest network', 'Device policy', 'Exception form, page 3'];
    const shown = await entries(message).allInnerTexts();
    assert.equal(shown.length, 3);
    titles.forEach((title, place) => {
      assert.ok(shown[place].includes(title), `${title} in ${shown[place]}`);
      assert.match(shown[place], new RegExp(`^${place + 1}\\b`));
    });
    assert.deepEqual(await hrefs(entries(message).getByRole('link')), links);
    assert.match(shown[0], /General/);
    assert.doesNotMatch(shown[1], /General|Confidential/);
    assert.match(shown[2], /Confidential\\Staff only/);

    const label = message.locator('summary').getByTitle('Not for guests');
    assert.equal(await label.innerText(), 'Confidential\\Staff only');
    assert.equal(await label.getAttribute('title'), 'Confidential\\Staff only\n\nNot for guests');
    assert.equal(await label.locator('path').first().getAttribute('fill'), 'orange');
    // Web Chat draws a shield with and without a lock; the class tells which one.
    assert.match(await label.getAttribute('class'), /--is-encrypted/);

    const interpreter = message.getByRole('link', { name: 'Surfaced with the IT assistant' });
    assert.equal(await interpreter.getAttribute('href'), 'https://it.example.com/assistant');
  });

  case_('a passage without an address opens from badge and list and closes again', async (visit) => {
    const { message } = await visit.show(POLICY, 'Turn on the proxy');
    const dialog = visit.page.getByRole('dialog', { name: 'Exception form, page 3' });
    for (const opener of [badges(message).nth(2), entries(message).getByRole('button')]) {
      await opener.click();
      await dialog.getByRole('heading', { name: 'Exception form, page 3' }).waitFor();
      assert.equal(await dialog.getByRole('paragraph').innerText(), 'An exception lasts thirty days.');
      await visit.page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });

      await opener.click();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'hidden' });
    }
    assert.equal(await visit.messages().count(), 1);
    await visit.page.getByRole('textbox', { name: 'Message input box' }).waitFor();
  });

  case_('a badge opens its page while its entry opens the passage and leads on to the page', async (visit) => {
    const url = 'https://it.example.com/leave';
    const answer = { text: 'Leave is thirty days[1].', sources: [{ title: 'Leave', url, content: 'Everybody has **thirty** days of leave.' }] };
    const options = { references: 'passages', sentence_links: false };
    for (const activity of await visit.convert(answer, options)) await visit.say(activity);
    const message = visit.message('Leave is thirty days');
    await message.waitFor();
    assert.deepEqual(await hrefs(badges(message)), [url]);
    await entries(message).getByRole('button').click();
    const dialog = visit.page.getByRole('dialog', { name: 'Leave' });
    await dialog.getByText('Everybody has thirty days of leave.').waitFor();
    assert.equal(await dialog.getByRole('link', { name: 'it.example.com' }).getAttribute('href'), url);
    await visit.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  case_('three adjacent citations are three badges to three places', async (visit) => {
    const sources = ['a', 'b', 'c'].map((name) => ({ title: `Paper ${name}`, url: `https://papers.example.com/${name}` }));
    const { message } = await visit.show({ text: 'All studies agree[1][2][3].', sources }, 'All studies agree');
    assert.deepEqual(await badgeTexts(message), ['[1]', '[2]', '[3]']);
    const expected = sources.map((source) => source.url);
    assert.deepEqual(await hrefs(badges(message).and(visit.page.locator('a'))), expected);
    assert.deepEqual(await hrefs(entries(message).getByRole('link')), expected);
  });

  case_('an answer that defines a link of its own cannot move a badge', async (visit) => {
    const { message } = await visit.show(
      {
        text: 'Your account is safe[1].\n\n[1]: https://evil.example/login "Security notice"\n',
        sources: [{ title: 'Security notice', url: 'https://bank.example.com/notice' }],
      },
      'Your account is safe',
    );
    assert.deepEqual(await badgeTexts(message), ['[1]']);
    assert.deepEqual(await hrefs(badges(message)), ['https://bank.example.com/notice']);
    assert.deepEqual(await hrefs(entries(message).getByRole('link')), ['https://bank.example.com/notice']);
    assert.equal(await message.locator('[href*="evil.example"]').count(), 0);
    await message.getByText('1 reference', { exact: true }).waitFor();
  });

  case_('an image, raw HTML and a forged citation button of the model do nothing', async (visit) => {
    const { message } = await visit.show(
      {
        text:
          'Quarterly numbers[1]. ![chart](https://tracker.example/pixel.png?q=secret)\n\n' +
          '<img src="https://tracker.example/raw.png"> <button value="cite:1">press me</button>',
        sources: [{ title: 'Quarterly report', content: 'Numbers.' }],
      },
      'Quarterly numbers',
    );
    assert.deepEqual(await badgeTexts(message), ['[1]']);
    assert.equal(await message.locator('img[src*="tracker.example"]').count(), 0);
    assert.equal(await message.getByRole('button', { name: 'press me' }).count(), 0);
  });

  case_('titles with quotes, line ends, brackets and HTML are shown as they are', async (visit) => {
    const titles = ['The "big" plan\\draft', 'First line\r\n\r\nsecond line', '[1]: <b>not bold</b> & more'];
    const { message } = await visit.show(
      {
        text: 'One[1], two[2], three[3].',
        sources: titles.map((title, place) => ({ title, url: `https://files.example.com/${place}` })),
      },
      'One',
    );
    assert.deepEqual(await badgeTexts(message), ['[1]', '[2]', '[3]']);
    const shown = await entries(message).locator('.webchat__link-definitions__list-item-text').allInnerTexts();
    assert.deepEqual(shown, ['The "big" plan\\draft', 'First line second line', '[1]: <b>not bold</b> & more']);
    assert.equal(await message.getByRole('paragraph').count(), 1);
  });

  case_('addresses with blanks, parentheses and letters beyond ASCII keep their badges', async (visit) => {
    const urls = [
      'https://files.example.com/travel plan (final).pdf',
      'https://files.example.com/Übersicht/naïve résumé?q=größe&copy=2',
      'https://bücher.example.com/a|b[c]{d}^e`f"g',
      'https://files.example.com/plain%20already',
    ];
    const { message } = await visit.show(
      { text: 'A[1] B[2] C[3] D[4].', sources: urls.map((url, place) => ({ title: `File ${place + 1}`, url })) },
      'A',
    );
    assert.deepEqual(await badgeTexts(message), ['[1]', '[2]', '[3]', '[4]']);
    const led = await hrefs(badges(message));
    assert.deepEqual(await hrefs(entries(message).getByRole('link')), led);
    const whole = (url) => {
      const { host, pathname, search } = new URL(url);
      return [host, decodeURIComponent(pathname), decodeURIComponent(search)];
    };
    assert.deepEqual(led.map(whole), urls.map(whole));
    for (const href of led) assert.match(href, /^[!#-;=?-Z_a-z~]+$/, 'written in ASCII without brackets');
  });

  case_('two answers in a row keep their own sources', async (visit) => {
    const answer = (name) => ({
      text: `${name} says so[1].`,
      sources: [{ title: `${name} handbook`, url: `https://${name}.example.com/` }],
    });
    await visit.show(answer('alpha'), 'alpha says so');
    await visit.show(answer('beta'), 'beta says so');
    for (const name of ['alpha', 'beta']) {
      assert.deepEqual(await hrefs(badges(visit.message(`${name} says so`))), [`https://${name}.example.com/`]);
      assert.match((await entries(visit.message(`${name} says so`)).allInnerTexts())[0], new RegExp(`${name} handbook`));
    }
  });
});
