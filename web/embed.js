// A chat button for any web page: <script src="https://YOUR-HOST/embed.js"></script>. The guide is docs/start/embed.md.
//
// The button and the panel are in a shadow root, so that neither their styles nor the page's reach the other. Web Chat is in a
// frame in the panel: it has no support for shadow roots, and a frame without an address has the origin and the content
// security policy of the page. Nothing of Web Chat is loaded before the chat is opened.
(() => {
  'use strict';

  const script = document.currentScript;
  if (!script) throw new Error('citewire chat: the script must not have type="module", and stands in the page itself');
  // One chat is enough for a page.
  const LOADED = Symbol.for('citewire chat');
  if (window[LOADED]) return;
  window[LOADED] = true;

  const server = new URL('.', script.src).href.replace(/\/$/, '');
  const settings = {
    assistant: script.dataset.assistant ?? '',
    tokenUrl: script.dataset.tokenUrl && new URL(script.dataset.tokenUrl, document.baseURI).href,
    title: script.dataset.title || 'Chat',
    color: CSS.supports('color', script.dataset.color ?? '') ? script.dataset.color : undefined,
    theme: script.dataset.theme,
    polling: script.dataset.transport === 'polling',
    locale: script.dataset.locale || document.documentElement.lang || navigator.language,
    nonce: script.nonce,
  };
  const STORED = `citewire ${server} ${settings.assistant} ${settings.tokenUrl ?? ''}`;
  const PHONE = matchMedia('(max-width: 480px)');
  const DARK = matchMedia('(prefers-color-scheme: dark)');
  const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif';

  const SCHEMES = {
    light: { surface: '#ffffff', sunken: '#f3f5f5', ink: '#1a2123', quiet: '#566165', line: '#d9dedd', accent: '#0b5f6e', link: '#0b5f6e' },
    dark: { surface: '#181d1f', sunken: '#232a2d', ink: '#e6eaea', quiet: '#a3aeb0', line: '#394347', accent: '#7cd0dc', link: '#7cd0dc' },
  };

  const STYLE = `
    :host { all: initial; }
    * { box-sizing: border-box; font-family: ${FONT}; }
    button { cursor: pointer; border: 0; font-size: 15px; line-height: 20px; color: inherit; background: none; }
    button:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
    .launcher {
      position: fixed; right: 20px; bottom: 20px; z-index: 2147483000; width: 56px; height: 56px; padding: 0; border-radius: 28px;
      background: var(--accent); color: var(--accent-ink); box-shadow: 0 2px 6px rgb(0 0 0 / 25%), 0 8px 24px rgb(0 0 0 / 15%);
    }
    .launcher:focus-visible { outline-color: var(--ink); box-shadow: 0 0 0 2px var(--surface); }
    .launcher svg { display: block; margin: auto; width: 28px; height: 28px; }
    svg { fill: none; stroke: currentcolor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
    .panel {
      position: fixed; inset: auto 20px 88px auto; z-index: 2147483000; width: 400px; height: min(640px, 100vh - 108px);
      max-width: none; max-height: none; margin: 0; padding: 0; overflow: hidden; border: 1px solid var(--line); border-radius: 12px;
      background: var(--surface); color: var(--ink); box-shadow: 0 4px 12px rgb(0 0 0 / 15%), 0 16px 48px rgb(0 0 0 / 20%);
    }
    .panel[open] { display: flex; flex-direction: column; animation: appear 160ms ease-out; }
    .panel::backdrop { background: none; }
    @keyframes appear { from { opacity: 0; transform: translateY(12px); } }
    @media (prefers-reduced-motion: reduce) { .panel[open] { animation: none; } }
    header {
      display: flex; flex: none; align-items: center; gap: 8px; padding: 8px 8px 8px 16px;
      background: var(--accent); color: var(--accent-ink);
    }
    h2 { flex: 1; margin: 0; overflow: hidden; font-size: 16px; font-weight: 600; line-height: 24px; text-overflow: ellipsis; white-space: nowrap; }
    .close { width: 40px; height: 40px; padding: 8px; border-radius: 8px; }
    .close svg { display: block; width: 24px; height: 24px; }
    .stop { padding: 5px 12px; border: 1px solid currentcolor; border-radius: 8px; font-size: 14px; font-weight: 600; }
    .stop:focus-visible { outline-color: currentcolor; outline-offset: -4px; }
    .close:focus-visible { outline-color: currentcolor; outline-offset: -3px; }
    .body { position: relative; display: flex; flex: 1; flex-direction: column; min-height: 0; }
    .body > iframe { flex: 1; width: 100%; min-height: 0; border: 0; background: var(--surface); color-scheme: normal; }
    .notice { position: absolute; inset: 0; padding: 24px; background: var(--surface); font-size: 15px; line-height: 22px; overflow: auto; overflow-wrap: anywhere; }
    .notice:empty { display: none; }
    .notice p { margin: 0 0 12px; }
    .notice strong { display: block; margin-bottom: 4px; }
    .again { padding: 10px 16px; border-radius: 8px; background: var(--accent); color: var(--accent-ink); font-weight: 600; }
    [hidden] { display: none !important; }
    @media (max-width: 480px) {
      .panel { inset: 0; width: 100%; height: 100vh; height: 100dvh; border: 0; border-radius: 0; }
    }
    @media print { .launcher, .panel { display: none !important; } }
  `;

  // Styles for which Web Chat has no options. The names of its classes are those of 4.18.
  const FRAME_STYLE = `
    html, body { height: 100%; margin: 0; overflow: hidden; background: var(--surface); color: var(--ink); }
    #chat { height: 100%; }
    #chat .webchat__link-definitions__header { color: var(--quiet); }
    #chat .webchat__link-definitions__header-text { unicode-bidi: plaintext; }
    #chat .webchat__link-definitions__list-item-box { border-color: var(--line); border-radius: 6px; background: var(--surface); color: var(--ink); }
    #chat .webchat__link-definitions__badge { border-color: transparent; background: var(--sunken); color: var(--link); }
    #chat .webchat__link-definitions__list-item-box:hover { border-color: var(--link); }
    #chat .webchat__render-markdown a { color: var(--link); }
    #chat .webchat__render-markdown__pure-identifier { font-weight: 600; text-decoration: none; }
    #chat .webchat__modal-dialog__box { border: 1px solid var(--line); border-radius: 10px; background: var(--surface); color: var(--ink); }
    #chat .webchat__modal-dialog__close-button { color: var(--ink); }
    #chat .webchat__modal-dialog__close-button-image { fill: currentcolor; }
    .dark #chat .webchat__render-markdown__external-link-icon { filter: invert(1); }
    @media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important; transition: none !important; } }
  `;

  const SPEECH = 'M21 12a8 8 0 0 1-8 8H4l2-3.2A8 8 0 1 1 21 12ZM9 11h8M9 14h5';
  const CROSS = 'M6 6l12 12M18 6L6 18';

  /** An error whose words are meant for the reader: what has happened, and what can be done. */
  class Trouble extends Error {
    constructor(title, detail, status) {
      super(`${title}: ${detail}`);
      Object.assign(this, { title, detail, status });
    }
  }

  // ---- The button and the panel ------------------------------------------------------------------------------------------

  // An element of its own, so that no rule of the page for its own elements is for this one.
  const host = document.createElement('citewire-chat');
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet(window, STYLE)];

  const launcher = make('button', { type: 'button', className: 'launcher' }, drawing(SPEECH));
  const heading = make('h2', { id: 'title' }, settings.title);
  const closer = make('button', { type: 'button', className: 'close', ariaLabel: 'Close the chat' }, drawing(CROSS));
  const stopper = make('button', { type: 'button', className: 'stop', ariaLabel: 'Stop the answer', hidden: true }, 'Stop');
  const notice = make('div', { className: 'notice' });
  notice.setAttribute('role', 'status');
  const body = make('div', { className: 'body' }, notice);
  const panel = make('dialog', { className: 'panel', id: 'panel' }, make('header', {}, heading, stopper, closer), body);
  panel.setAttribute('aria-labelledby', 'title');
  launcher.setAttribute('aria-label', `Open the chat: ${settings.title}`);
  launcher.setAttribute('aria-haspopup', 'dialog');
  launcher.setAttribute('aria-controls', 'panel');
  launcher.setAttribute('aria-expanded', 'false');
  root.append(launcher, panel);

  launcher.addEventListener('click', () => (panel.open ? close() : open()));
  closer.addEventListener('click', close);
  stopper.addEventListener('click', stop);
  // Also where the browser has closed the dialog by itself.
  panel.addEventListener('close', closed);
  root.addEventListener('keydown', closeOnEscape);
  DARK.addEventListener('change', paint);

  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  /** Gives the chat the name of the assistant, unless the page has given it one. */
  function entitle(name) {
    if (script.dataset.title) return;
    settings.title = name;
    heading.textContent = name;
    frame.title = name;
    launcher.setAttribute('aria-label', `${panel.open ? 'Close' : 'Open'} the chat: ${name}`);
  }

  function drawing(path) {
    const [svg, line] = ['svg', 'path'].map((name) => document.createElementNS('http://www.w3.org/2000/svg', name));
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    line.setAttribute('d', path);
    svg.append(line);
    return svg;
  }

  /** A style sheet made by script, which no content security policy refuses. */
  function sheet(view, text) {
    const made = new view.CSSStyleSheet();
    made.replaceSync(text);
    return made;
  }

  function open({ focus = true } = {}) {
    // On a phone the chat covers the page, which is then out of reach of the keyboard and of screen readers.
    if (PHONE.matches) panel.showModal();
    // `show` would move the focus.
    else panel.open = true;
    launcher.setAttribute('aria-expanded', 'true');
    launcher.setAttribute('aria-label', `Close the chat: ${settings.title}`);
    remember({ open: true });
    if (focus) focusChat();
    converse();
  }

  function close() {
    panel.close();
  }

  function closed() {
    launcher.setAttribute('aria-expanded', 'false');
    launcher.setAttribute('aria-label', `Open the chat: ${settings.title}`);
    remember({ open: false });
    launcher.focus();
  }

  function closeOnEscape(event) {
    // A dialog of Web Chat's own, which shows a source, goes first.
    if (event.key !== 'Escape' || event.defaultPrevented || frame?.contentDocument?.querySelector('dialog[open]')) return;
    event.preventDefault();
    if (panel.open) close();
  }

  /** Into the box to type in, or to the button that is there while there is none. */
  function focusChat() {
    const box = frame?.contentDocument?.querySelector('[data-testid="send box text area"], .webchat__send-box-text-box__input');
    (box ?? closer).focus();
  }

  function say(...children) {
    notice.replaceChildren(...children);
    // Web Chat keeps its room, because it measures itself.
    if (frame) frame.style.visibility = children.length > 0 ? 'hidden' : '';
  }

  /** Puts an error into words, with a button to try again. */
  function complain(error) {
    console.info('citewire chat:', error.message);
    const known = error instanceof Trouble ? error : new Trouble('The chat does not work', error.message);
    const again = make('button', { type: 'button', className: 'again' }, 'Try again');
    again.addEventListener('click', () => {
      closer.focus();
      converse();
    });
    notice.setAttribute('role', 'alert');
    say(make('p', {}, make('strong', {}, known.title), known.detail), again);
  }

  // ---- Colours -----------------------------------------------------------------------------------------------------------

  function isDark() {
    return settings.theme === 'dark' || (settings.theme !== 'light' && DARK.matches);
  }

  function colours() {
    const scheme = SCHEMES[isDark() ? 'dark' : 'light'];
    const accent = settings.color ?? scheme.accent;
    const accentInk = contrast(accent, '#ffffff') >= contrast(accent, '#10181a') ? '#ffffff' : '#10181a';
    // A colour for areas may be too pale or too dark for letters on the surface.
    const link = contrast(accent, scheme.surface) >= 4.5 ? accent : scheme.link;
    return { ...scheme, accent, 'accent-ink': accentInk, link };
  }

  /** The ratio of the luminances of two colours (WCAG 2.2). */
  function contrast(one, other) {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }

  function luminance(color) {
    const context = document.createElement('canvas').getContext('2d');
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const parts = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  }

  function paint() {
    const named = Object.entries(colours());
    const roots = [host, frame?.contentDocument?.documentElement].filter(Boolean);
    for (const element of roots) {
      for (const [name, color] of named) element.style.setProperty(`--${name}`, color);
      element.style.setProperty('color-scheme', isDark() ? 'dark' : 'light');
      element.classList.toggle('dark', isDark());
    }
    if (chat) draw();
  }

  // ---- The session -------------------------------------------------------------------------------------------------------

  /** What is kept of the conversation in this tab; another tab has another conversation. */
  function remembered() {
    try {
      return JSON.parse(sessionStorage.getItem(STORED)) ?? {};
    } catch {
      return {};
    }
  }

  function remember(change) {
    try {
      sessionStorage.setItem(STORED, JSON.stringify({ ...remembered(), ...change }));
    } catch {
      // Storage is switched off or full: the conversation ends with the page.
    }
  }

  /** The JSON of a good answer to a POST; everything else is a Trouble. */
  async function post(url, { bearer, content, unreachable }) {
    let response;
    try {
      response = await fetch(url, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          ...(bearer && { authorization: `Bearer ${bearer}` }),
          ...(content && { 'content-type': 'application/json' }),
        },
        body: content && JSON.stringify(content),
      });
    } catch {
      throw await unreachable();
    }
    const answer = await response.json().catch(() => undefined);
    if (response.ok && answer) return answer;
    const detail = answer?.detail ?? answer?.error?.message ?? `${new URL(url).host} answered with the status ${response.status}.`;
    throw new Trouble('The chat cannot be started', detail, response.status);
  }

  /** Why a browser gives no answer: it cannot reach the server, or the server does not let this site read what it says. */
  async function silence() {
    try {
      await fetch(`${server}/embed.js`, { mode: 'no-cors', cache: 'no-store' });
    } catch {
      const why = navigator.onLine ? 'The server of the chat does not answer.' : 'There is no connection to the internet.';
      return new Trouble('The chat cannot be reached', why);
    }
    const advice = `The server of the chat does not list ${location.origin}: its setting embed.origins needs that origin.`;
    return new Trouble('This page may not use the chat', advice);
  }

  async function fromEndpoint() {
    const unreachable = () =>
      new Trouble('The chat cannot be started', `${new URL(settings.tokenUrl).host}, which gives tokens for the chat, does not answer.`);
    const content = { ...(settings.assistant && { assistant: settings.assistant }) };
    const answer = await post(settings.tokenUrl, { content, unreachable });
    if (typeof answer.token === 'string') return answer.token;
    throw new Trouble('The chat cannot be started', `The answer of ${settings.tokenUrl} has no member token.`);
  }

  /** A token with all of its life before it, for the conversation of this one. */
  function renewed(token) {
    return post(`${server}/v3/directline/tokens/refresh`, { bearer: token, unreachable: silence });
  }

  /** The user for whom a token speaks, as its claim `user` says. */
  function userOf(token) {
    try {
      const claims = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
      return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(claims), (sign) => sign.charCodeAt(0)))).user;
    } catch {
      return undefined;
    }
  }

  /** The conversation of this tab if it can go on, else a new one. */
  async function session() {
    // The token is asked for each time, so that no visitor sees the conversation of the user who was signed in before.
    const offered = settings.tokenUrl && (await fromEndpoint());
    const before = remembered();
    const isSame = before.token && (!offered || userOf(offered) === userOf(before.token));
    if (isSame) {
      try {
        return { ...(await renewed(before.token)), takesFiles: before.takesFiles, userId: before.userId, title: before.title };
      } catch (error) {
        // 401 and 403: too old, or of another secret.
        if (error.status !== 401 && error.status !== 403) throw error;
      }
    }
    if (offered) return { ...(await renewed(offered)), takesFiles: script.dataset.files === 'true' };
    const content = { ...(settings.assistant && { assistant: settings.assistant }) };
    return post(`${server}/embed/session`, { content, unreachable: silence });
  }

  // ---- Web Chat ----------------------------------------------------------------------------------------------------------

  /** The frame with Web Chat, once it is there. */
  let frame;
  /** The running conversation: its client and store, the user, and the timer that renews the token. */
  let chat;
  let isStarting = false;

  /** States of the connection as Direct Line's client numbers them. */
  const ONLINE = 2;
  const EXPIRED = 3;
  const FAILED = 4;

  async function converse() {
    if (chat || isStarting) return;
    isStarting = true;
    notice.setAttribute('role', 'status');
    say('Connecting …');
    try {
      const [WebChat, given] = await Promise.all([loadWebChat(), session()]);
      begin(WebChat, given);
    } catch (error) {
      complain(error);
    } finally {
      isStarting = false;
    }
  }

  function begin(WebChat, given) {
    const userId = userOf(given.token) ?? given.userId ?? `dl_${crypto.getRandomValues(new Uint32Array(4)).join('')}`;
    const { takesFiles = false } = given;
    remember({ token: given.token, userId, takesFiles, title: given.title });
    if (given.title) entitle(given.title);
    const directLine = WebChat.createDirectLine({
      domain: `${server}/v3/directline`,
      token: given.token,
      webSocket: !settings.polling,
      ...(settings.polling && { pollingInterval: 1000 }),
    });
    chat = { WebChat, directLine, userId, takesFiles, store: WebChat.createStore({}, () => listening) };
    // Web Chat is made for one conversation: a new one is drawn in a new place.
    const inside = frame.contentDocument;
    inside.getElementById('chat').replaceWith(Object.assign(inside.createElement('div'), { id: 'chat' }));
    chat.timer = setTimeout(renew, (given.expires_in * 1000) / 2, given.token);
    chat.subscription = directLine.connectionStatus$.subscribe((status) => {
      if (status === ONLINE) ready();
      if (status === EXPIRED) lost('The chat has ended', 'It was not used for a long time.');
      if (status === FAILED) lost('The connection is lost', 'What was said is kept for a while.');
    });
    draw();
  }

  /** Sees each activity that arrives. */
  function listening(next) {
    return (action) => {
      if (action.type === 'DIRECT_LINE/INCOMING_ACTIVITY') heard(action.payload.activity);
      return next(action);
    };
  }

  /** The button to stop an answer is there while one is written. */
  function heard({ type, from, channelData }) {
    if (from?.role !== 'bot') return;
    const { streamType } = channelData ?? {};
    if (streamType === 'informative' || streamType === 'streaming') offerStop(true);
    else if (type === 'message') offerStop(false);
  }

  function offerStop(isOffered) {
    const isFocused = root.activeElement === stopper;
    stopper.hidden = !isOffered;
    if (isFocused && !isOffered) focusChat();
  }

  function stop() {
    offerStop(false);
    const wish = { type: 'event', name: 'stop', from: { id: chat.userId, role: 'user' } };
    chat.directLine.postActivity(wish).subscribe(undefined, () => offerStop(true));
  }

  /** What is typed before there is a connection would be lost, so the box to type in is shown only now. */
  function ready() {
    say();
    if (panel.open && root.activeElement === closer) focusChat();
  }

  /** Renews the token at half of its life, for the next page as well. The client of Direct Line does so every 15 minutes only. */
  async function renew(token) {
    const { directLine } = chat;
    try {
      const fresh = await renewed(token);
      if (chat?.directLine !== directLine) return;
      directLine.token = fresh.token;
      remember({ token: fresh.token });
      chat.timer = setTimeout(renew, (fresh.expires_in * 1000) / 2, fresh.token);
    } catch (error) {
      console.info('citewire chat: the token was not renewed,', error.message);
      // The token still has half of its life; whether the line is lost, its client tells.
      if (chat?.directLine === directLine && !error.status) chat.timer = setTimeout(renew, 10_000, token);
    }
  }

  function lost(title, detail) {
    // The client tells of its state while it is made and ended.
    queueMicrotask(() => {
      if (!chat) return;
      clearTimeout(chat.timer);
      chat.subscription.unsubscribe();
      chat.directLine.end();
      chat = undefined;
      offerStop(false);
      complain(new Trouble(title, detail));
    });
  }

  async function loadWebChat() {
    if (frame?.contentWindow?.WebChat) return frame.contentWindow.WebChat;
    frame?.remove();
    frame = make('iframe', { title: settings.title });
    frame.style.visibility = 'hidden';
    frame.srcdoc = '<!doctype html><html><head><meta name="viewport" content="width=device-width"></head><body><div id="chat"></div></body></html>';
    const framed = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    body.append(frame);
    await framed;
    const { contentWindow: view, contentDocument: inside } = frame;
    inside.documentElement.lang = settings.locale;
    inside.adoptedStyleSheets = [sheet(view, FRAME_STYLE)];
    view.addEventListener('keydown', closeOnEscape);
    watchDirections(inside.body);
    paint();
    await new Promise((resolve, reject) => {
      const loader = inside.createElement('script');
      Object.assign(loader, { src: `${server}/embed/webchat.js`, nonce: settings.nonce, onload: resolve });
      loader.onerror = () => reject(new Trouble('The chat cannot be loaded', `${loader.src} is not there, or this page does not let it run.`));
      inside.head.append(loader);
    });
    return view.WebChat;
  }

  /**
   * Sets the direction of each message, now and when messages come or grow: full stop and badge of a right-to-left sentence stand
   * behind it. Most of the letters say the direction, because a sentence may begin with a foreign name.
   */
  function watchDirections(body) {
    const direct = () => {
      for (const text of body.querySelectorAll('.webchat__text-content')) {
        const beginning = text.textContent.slice(0, 10_000);
        const right = beginning.match(/[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu)?.length ?? 0;
        const direction = right * 2 > (beginning.match(/\p{L}/gu)?.length ?? 0) ? 'rtl' : 'ltr';
        if (text.dir !== direction) text.dir = direction;
      }
    };
    new MutationObserver(direct).observe(body, { childList: true, characterData: true, subtree: true });
  }

  function draw() {
    const of = colours();
    chat.WebChat.renderWebChat(
      {
        directLine: chat.directLine,
        store: chat.store,
        userID: chat.userId,
        locale: settings.locale,
        nonce: settings.nonce,
        styleOptions: {
          accent: of.link,
          backgroundColor: of.surface,
          primaryFont: FONT,
          subtle: of.quiet,
          bubbleBackground: of.sunken,
          bubbleBorderColor: of.line,
          bubbleBorderRadius: 10,
          bubbleTextColor: of.ink,
          bubbleMinHeight: 36,
          bubbleFromUserBackground: of.accent,
          bubbleFromUserBorderColor: of.accent,
          bubbleFromUserBorderRadius: 10,
          bubbleFromUserTextColor: of['accent-ink'],
          citationTextColor: of.ink,
          hideUploadButton: !chat.takesFiles,
          sendBoxBackground: of.surface,
          sendBoxBorderTop: `solid 1px ${of.line}`,
          sendBoxButtonColor: of.link,
          sendBoxButtonColorOnFocus: of.link,
          sendBoxButtonColorOnHover: of.ink,
          sendBoxPlaceholderColor: of.quiet,
          sendBoxTextColor: of.ink,
          timestampColor: of.quiet,
          transcriptVisualKeyboardIndicatorColor: of.link,
        },
      },
      frame.contentDocument.getElementById('chat'),
    );
  }

  // ---- The beginning -----------------------------------------------------------------------------------------------------

  function begun() {
    document.body.append(host);
    paint();
    // The reader has come from another page of the site with the chat open; the focus is the page's.
    if (remembered().open && !PHONE.matches) open({ focus: false });
  }

  if (document.body) begun();
  else document.addEventListener('DOMContentLoaded', begun);
})();
