// Documents as real Web Chat draws them, without a service: many on one page, each in a Web Chat of its own.

import { readFile } from 'node:fs/promises';

/** The address of the page, which no server has. */
const PAGE = 'http://127.0.0.1:9/';

/** How long the page may take until nothing changes any more. */
const WAIT_MS = 60_000;

/** A page with the script of one version of Web Chat. */
export class Drawing {
  #requests = [];

  static async begin(browser, { script }) {
    const drawing = new Drawing();
    drawing.context = await browser.newContext({ viewport: { width: 1000, height: 800 }, locale: 'en-US' });
    drawing.context.setDefaultTimeout(WAIT_MS);
    drawing.page = await drawing.context.newPage();
    drawing.context.on('request', (request) => drawing.#requests.push(request.url()));
    const source = await readFile(script, 'utf8');
    await drawing.page.route(`${PAGE}**`, (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === '/webchat.js') return route.fulfill({ contentType: 'text/javascript; charset=utf-8', body: source });
      const body = pathname === '/' ? '<!doctype html><meta charset="utf-8"><script src="/webchat.js"></script><body></body>' : '';
      return route.fulfill({ contentType: 'text/html; charset=utf-8', body });
    });
    await drawing.page.goto(PAGE);
    await drawing.page.evaluate(prepare);
    return drawing;
  }

  /** Draws each document, a list of activities, and gives what is seen of it. */
  async draw(documents) {
    const ids = await this.page.evaluate((written) => JSON.parse(written).map((document) => window.show(document)), JSON.stringify(documents));
    await this.page.evaluate(() => window.quiet());
    return this.page.evaluate((ids) => ids.map((id) => window.seen(id)), ids);
  }

  /** Draws each document, and tells what each of its badges opens. All wait at once: a press that opens nothing takes seconds. */
  async press(documents) {
    const ids = await this.page.evaluate((written) => JSON.parse(written).map((document) => window.show(document)), JSON.stringify(documents));
    await this.page.evaluate(() => window.quiet());
    return this.page.evaluate((ids) => Promise.all(ids.map((id) => window.press(id))), ids);
  }

  /** Draws a document, and gives the time until its last message has come, in milliseconds. */
  arrival(document) {
    return this.page.evaluate(([written, count]) => {
      const begun = performance.now();
      const id = window.show(JSON.parse(written));
      return new Promise((resolve) => {
        const look = () => {
          const all = window.document.querySelectorAll(`#${id} [role=feed] > article`);
          if (all.length >= count) resolve(performance.now() - begun);
          else requestAnimationFrame(look);
        };
        look();
      });
    }, [JSON.stringify(document), document.length]);
  }

  /** The addresses that were asked for, but those of the page itself. */
  requests() {
    return this.#requests.filter((url) => /^https?:/.test(url) && !url.startsWith(PAGE));
  }
}

/** Runs in the page: gives it functions to draw documents and to read what was drawn. */
function prepare() {
  const subject = () => {
    const observers = new Set();
    const past = [];
    return {
      next: (value) => {
        past.push(value);
        observers.forEach((observer) => observer.next(value));
      },
      subscribe(observer, ...more) {
        const whole = typeof observer === 'function' ? { next: observer, error: more[0], complete: more[1] } : observer;
        observers.add(whole);
        past.forEach((value) => whole.next(value));
        return { unsubscribe: () => observers.delete(whole) };
      },
    };
  };
  const BADGE = 'webchat__render-markdown__pure-identifier';
  const QUIET_MS = 300;
  /** How long nothing changes in any chat until it is sure that a press opens nothing: on a busy machine all of them are slow. */
  const PRESS_MS = 3_000;
  let changed = performance.now();
  window.heard = new Map();
  const hear = (node) => {
    const host = node.nodeType === Node.ELEMENT_NODE && node.closest('[aria-live], [role=log]') && node.closest('body > div');
    if (!host || node.closest('[role=feed]') || !node.textContent.trim()) return;
    if (!window.heard.has(host.id)) window.heard.set(host.id, new Set());
    window.heard.get(host.id).add(node.textContent.replaceAll('\u200b', '').replace(/\s+/g, ' ').trim());
  };
  new MutationObserver((records) => {
    changed = performance.now();
    records.forEach((record) => record.addedNodes.forEach(hear));
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  /** Waits until nothing has changed for a while. */
  window.quiet = () =>
    new Promise((resolve) => {
      const look = () => (performance.now() - changed > QUIET_MS ? resolve() : requestAnimationFrame(look));
      look();
    });

  let chats = 0;
  window.show = (activities) => {
    const id = `chat-${(chats += 1)}`;
    const host = document.createElement('div');
    host.id = id;
    host.style.cssText = 'height: 700px; width: 600px';
    document.body.append(host);
    const connectionStatus$ = subject();
    const activity$ = subject();
    const directLine = { connectionStatus$, activity$, end: () => {}, postActivity: () => subject(), referenceGrammarID: id };
    window.WebChat.renderWebChat({ directLine, userID: 'reader', locale: 'en-US' }, host);
    connectionStatus$.next(1);
    connectionStatus$.next(2);
    activities.forEach((activity) => activity$.next(activity));
    return id;
  };

  /** The dialog that has opened; nothing when the chat is gone, or none has opened for a while. */
  const answered = (host) =>
    new Promise((resolve) => {
      const begun = performance.now();
      const look = () => {
        const dialog = host.querySelector('dialog[open]');
        const gone = !host.querySelector('.webchat__basic-transcript');
        if (dialog || gone || performance.now() - Math.max(begun, changed) > PRESS_MS) resolve(dialog);
        else requestAnimationFrame(look);
      };
      look();
    });

  window.press = async (id) => {
    const host = document.getElementById(id);
    const opened = [];
    const count = host.querySelectorAll(`.${BADGE}`).length;
    for (let at = 0; at < count; at += 1) {
      host.querySelectorAll(`.${BADGE}`)[at]?.click();
      const dialog = await answered(host);
      if (!host.querySelector('.webchat__basic-transcript')) opened.push('the chat is gone');
      else if (!dialog) opened.push('nothing');
      else {
        const words = [...dialog.querySelectorAll('h2, .webchat__render-markdown, [class*="body"]')].map((part) => part.textContent.replaceAll('\u200b', '').replace(/\s+/g, ' ').trim());
        const images = [...dialog.querySelectorAll('.webchat__render-markdown img')].map((image) => image.getAttribute('src')).filter((src) => !/^data:/.test(src));
        opened.push({ words: [...new Set(words)], images, buttons: dialog.querySelectorAll('.webchat__render-markdown button').length });
        dialog.close();
        await window.quiet();
      }
    }
    return opened;
  };

  const BLOCKS = 'p, li, ul, ol, td, th, tr, table, blockquote, pre, br, hr, h1, h2, h3, h4, h5, h6, div, section';
  const spoken = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches('.webchat__link-definitions')) return '';
    if (node.classList.contains(BADGE)) return `‹${node.textContent}›`;
    const inner = [...node.childNodes].map(spoken).join('');
    return node.matches(BLOCKS) ? ` ${inner} ` : inner;
  };
  const joined = (text) => text.replaceAll('\u200b', '').replace(/\s+/g, ' ').trim();
  const led = (element) => element.getAttribute('href') ?? element.getAttribute('value');
  const of = (article) => {
    const all = (selector) => [...article.querySelectorAll(selector)];
    const body = article.querySelector('.webchat__text-content__markdown, .webchat__render-markdown, .webchat__bubble__content') ?? article;
    const inside = (selector) => [...body.querySelectorAll(selector)].filter((element) => !element.closest('.webchat__link-definitions'));
    const label = article.querySelector('.webchat__link-definitions__message-sensitivity-label');
    const status = article.querySelector('.webchat__activity-status');
    const entries = all('.webchat__link-definitions [role=listitem]');
    const part = (entry, name) => joined(entry.querySelector(`.webchat__link-definitions__${name}`)?.textContent ?? '');
    return {
      text: joined(spoken(body)).replace(/ ?AI-generated content may be incorrect$/, ''),
      badges: inside(`.${BADGE}`).map((badge) => joined(badge.textContent)),
      leads: inside(`.${BADGE}`).map(led),
      links: inside(`a:not(.${BADGE}), button:not(.${BADGE}):not(.code-block-copy-button)`).map((link) => [joined(link.textContent), led(link)]),
      images: inside('img').map((image) => image.getAttribute('src')).filter((src) => !/^data:/.test(src)),
      titles: entries.map((entry) => part(entry, 'list-item-text')),
      urls: entries.map((entry) => entry.querySelector('a')?.getAttribute('href') ?? entry.querySelector('button')?.tagName ?? null),
      entryLabels: entries.map((entry) => part(entry, 'list-item-badge')),
      label: label && joined(label.textContent),
      color: label && label.querySelector('path')?.getAttribute('fill'),
      lock: label && /is-encrypted/.test(label.className),
      interpreter: status && [...status.querySelectorAll('[class*="originator"]')].map((element) => [joined(element.textContent), element.getAttribute('href')]).at(-1) || null,
      attachments: all('[class*="__attachment-row"]').length,
      time: /Sent at (January|February)/.test(status?.textContent ?? ''),
      thumbs: all('.webchat__thumb-button').length,
      notice: /AI-generated content may be incorrect/.test(article.textContent),
    };
  };
  window.seen = (id) => {
    const host = document.getElementById(id);
    return {
      messages: [...host.querySelectorAll('[role=feed] > article')].map(of),
      alive: Boolean(host.querySelector('.webchat__basic-transcript')),
      said: [...(window.heard.get(id) ?? [])].filter((words) => words.startsWith('Bot said')),
    };
  };
}
