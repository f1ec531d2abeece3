// The chat to try an assistant: Web Chat, or a plain field on a server that has none.

import { watchDirections } from '/page/direction.js';
import { CONNECTION, chatStyle, loadWebChat, nonce } from '/page/parts.js';
import { assistantPath, call } from './api.js';
import { button, element, labelled, make, problemBox, showProblem } from './screen.js';
import { isCited, verdictsOf } from './verdicts.js';

const dark = matchMedia('(prefers-color-scheme: dark)');

export class TryIt {
  #name;
  #state = element('p', { class: 'connection', role: 'status' });
  #problem = problemBox();
  /** The verdicts about the last answer. */
  #verdicts = element('div', { class: 'card chat-verdicts', role: 'status', hidden: '' });
  #host;
  #chat;
  #hasLeft = false;
  #draw = () => this.#render();

  constructor(name) {
    this.#name = name;
    this.#host = element('div', { class: 'chat-host', id: 'chat-host' });
    const anew = button('New conversation', 'quiet small', () => this.#begin());
    const head = make('div', 'card chat-head', element('h3', { id: 'try-title' }, 'Try it'), this.#state, anew);
    this.section = element('section', { class: 'chat', 'aria-labelledby': 'try-title' }, head, this.#problem, this.#host, this.#verdicts);
    dark.addEventListener('change', this.#draw);
    this.#begin();
  }

  leave() {
    this.#hasLeft = true;
    dark.removeEventListener('change', this.#draw);
    this.#end();
  }

  #end() {
    this.#chat?.subscription.unsubscribe();
    this.#chat?.directLine.end();
    this.#chat = undefined;
  }

  #show(state, words) {
    this.#state.dataset.state = state;
    this.#state.replaceChildren(element('span', { class: 'dot', 'aria-hidden': 'true' }), words);
  }

  async #begin() {
    this.#end();
    this.#problem.replaceChildren();
    this.#verdicts.hidden = true;
    this.#show('waiting', 'Connecting');
    let WebChat;
    try {
      WebChat = await loadWebChat();
    } catch {
      this.#beginWithout();
      return;
    }
    const userId = `dl_settings-${Math.random().toString(16).slice(2, 10)}`;
    let token;
    try {
      const response = await call('POST', assistantPath(this.#name, 'tokens'), { json: { user: { id: userId, name: 'You' } } });
      ({ token } = await response.json());
    } catch (error) {
      this.#show('lost', 'Cannot connect');
      showProblem(this.#problem, error);
      return;
    }
    if (this.#hasLeft) return;
    this.#end();
    const directLine = WebChat.createDirectLine({ domain: `${location.origin}/v3/directline`, token });
    const subscription = directLine.connectionStatus$.subscribe((status) => this.#show(...(CONNECTION[status] ?? CONNECTION[0])));
    this.#chat = { directLine, subscription, store: WebChat.createStore({}, () => (next) => (action) => this.#heard(next, action)), userId };
    const host = element('div', { class: 'chat-host', id: 'chat-host' });
    this.#host.replaceWith(host);
    this.#host = host;
    watchDirections(host);
    this.#render();
  }

  /** Takes what Web Chat hears: each cited answer is judged when it is whole. */
  #heard(next, action) {
    const activity = action.type === 'DIRECT_LINE/INCOMING_ACTIVITY' ? action.payload.activity : undefined;
    if (activity && isCited(activity)) this.#judge(activity);
    return next(action);
  }

  async #judge(activity) {
    const chat = this.#chat;
    const list = await verdictsOf(activity).catch((error) => make('p', 'quiet-text', `The citations could not be checked. ${error.message}`));
    // Another conversation has begun.
    if (chat !== this.#chat) return;
    this.#verdicts.replaceChildren(make('h4', '', 'Citations of the last answer'), list);
    this.#verdicts.hidden = false;
  }

  #render() {
    if (!this.#chat) return;
    const { directLine, store, userId } = this.#chat;
    const styleOptions = { ...chatStyle(), hideUploadButton: true };
    window.WebChat.renderWebChat({ directLine, store, userID: userId, username: 'You', locale: 'en-US', nonce, styleOptions }, this.#host);
  }

  /** A question and its answer as plain text. */
  #beginWithout() {
    this.#show('waiting', 'Web Chat is missing');
    const notice = make('p', 'quiet-text', 'Web Chat is not installed (setting ', make('code', '', 'webchat_js'), '). Answers are shown as plain text.');
    const input = element('input', { type: 'text', autocomplete: 'off' });
    const { field } = labelled('Question', input);
    const answers = element('div', { class: 'plain-answers', role: 'log', 'aria-label': 'Answers' });
    const send = element('button', { type: 'submit', class: 'primary' }, 'Ask');
    const form = element('form', {}, field, send);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const question = input.value.trim();
      if (question === '') return;
      send.disabled = true;
      this.#problem.replaceChildren();
      try {
        answers.append(await this.#ask(question));
        input.value = '';
      } catch (error) {
        showProblem(this.#problem, error);
      } finally {
        send.disabled = false;
      }
    });
    this.#host.replaceChildren(make('div', 'card', notice, answers, form));
  }

  async #ask(question) {
    const messages = [{ role: 'user', content: question }];
    const json = { model: this.#name, messages, citewire: { citations: 'assistanthub' } };
    const answer = await (await call('POST', '/v1/chat/completions', { json })).json();
    const parts = [make('p', 'question', question), make('p', 'answer', answer.choices?.[0]?.message?.content ?? '')];
    const sources = answer.citations?.sources ?? [];
    const items = sources.map((source) => make('li', '', `[${source.index}] ${source.document_name}: ${source.excerpt}`));
    if (items.length > 0) parts.push(element('ul', { class: 'sources', 'aria-label': 'Sources' }, ...items));
    return make('article', '', ...parts);
  }
}
