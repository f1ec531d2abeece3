// A person at the page of Agents Playground, by what the page shows and says to assistive technology.

import assert from 'node:assert/strict';

/** How long the page may take for one thing that is waited for. */
const WAIT_MS = 20_000;

/** The name of the bot in the emulator. */
const BOT = 'Test Bot';

/** Where one can write, by the name in the list. */
export const PLACES = { personal: 'Personal Chat', group: 'Group Chat', channel: 'My Team - General' };

export class Chat {
  #place = 'personal';

  /** Opens the page, and waits until the bot has been told that it was installed. */
  static async open(browser, playground, options) {
    const chat = new Chat();
    chat.context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US', ...options });
    chat.context.setDefaultTimeout(WAIT_MS);
    chat.page = await chat.context.newPage();
    await chat.page.goto(playground.url);
    await chat.#told(2);
    return chat;
  }

  /** Goes to another place; the bot is added to it at once. */
  async enter(place) {
    const before = (await this.statuses()).length;
    await this.page.getByRole('treeitem', { name: PLACES[place] }).click();
    this.#place = place;
    await this.#told(before + 2);
  }

  async #told(lines) {
    await this.#log().nth(lines - 1).waitFor();
  }

  /** Writes, in a channel as a new post, with a mention of the bot in front of it if that is wanted, and sends it. */
  async say(text, { mention = false } = {}) {
    const box = this.page.getByRole('textbox').first();
    await box.click();
    if (mention) {
      await this.page.keyboard.type('@');
      await this.page.getByRole('menuitem', { name: BOT }).click();
      await this.page.keyboard.type(' ');
    }
    await this.page.keyboard.type(text);
    await this.page.getByRole('button', { name: this.#place === 'channel' ? 'Post' : 'Send Message', exact: true }).click();
  }

  /** What the bot has said here, oldest first. */
  bubbles() {
    // A post in a channel has its answers in the same card; only what was drawn from Markdown has such children.
    return this.page.locator(this.#place === 'channel' ? '.fui-Card div:has(> [node])' : '.fai-OutputCard');
  }

  /** The one thing that the bot has said with this in it. */
  bubble(text) {
    return this.bubbles().filter({ hasText: text });
  }

  /** What stands above and below an answer of a machine: mark, label and buttons. */
  around(bubble) {
    return bubble.locator('xpath=ancestor::*[.//*[normalize-space(text())="AI generated"]][1]');
  }

  /** The numbers that open a source. */
  badges(bubble) {
    return bubble.locator('.fai-Citation');
  }

  /** What the pop-up of a number shows: its address, if it has one, and texts. */
  async opened(badge) {
    await badge.hover();
    const preview = this.page.locator('.fai-PreviewContent');
    await preview.waitFor();
    const text = async (selector) => {
      const found = preview.locator(selector);
      return (await found.count()) > 0 ? (await found.first().textContent()).trim() : undefined;
    };
    const link = preview.locator('.fai-PreviewHeader__label a');
    const shown = {
      abstract: await text('.fai-PreviewHeader__label'),
      url: (await link.count()) > 0 ? await link.getAttribute('href') : undefined,
      name: await text('.fai-PreviewMetadata__primaryText'),
      label: await text('.fai-PreviewMetadata__secondaryText'),
      all: await preview.textContent(),
    };
    // Away from it, so that the next one is alone.
    await this.page.mouse.move(640, 5);
    await preview.waitFor({ state: 'hidden' });
    return shown;
  }

  #log() {
    return this.page.locator('span').filter({ hasText: /^\w+ \d{3}$/ });
  }

  /** What the log panel tells of each call, of the emulator and of the bot: `message 202`. */
  statuses() {
    return this.#log().allTextContents();
  }

  /** Nobody has refused anything: a refused answer leaves a chat simply empty. */
  async assertClean() {
    const refused = (await this.statuses()).filter((line) => Number(line.split(' ')[1]) >= 400);
    assert.deepEqual(refused, [], 'calls were refused');
  }

  /** What holds for every cited answer: numbers are badges, and neither links nor addresses are in the text. */
  async assertCited(bubble, numbers) {
    const texts = await this.badges(bubble).allTextContents();
    assert.deepEqual(texts.map((text) => Number(text)), numbers);
    const plain = await bubble.evaluate((element) => {
      const copy = element.cloneNode(true);
      for (const code of copy.querySelectorAll('code, pre')) code.remove();
      const links = [...copy.querySelectorAll('a:not(.fai-Citation)')].map((link) => link.textContent);
      return { text: copy.textContent, links };
    });
    assert.doesNotMatch(plain.text, /\[\d+\]/, 'a number was left in brackets');
    assert.doesNotMatch(plain.text, /https?:/, 'an address is in the text');
    assert.deepEqual(plain.links.filter((text) => /^\d+$/.test(text)), [], 'a definition slipped in');
  }

  close() {
    return this.context.close();
  }
}
