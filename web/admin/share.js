// How others get to an assistant: the page, a link, a web site, and programs.

import { assistantPath, call } from './api.js';
import { button, element, labelled, make, problemBox, say, sentence, showProblem } from './screen.js';

/** The box that shares an assistant; `share` stores whether visitors may choose it. */
export class Share {
  #name;
  #isStored;
  #share;
  #problem = problemBox();
  #pageSwitch = element('input', { type: 'checkbox', role: 'switch' });
  #linkSwitch = element('input', { type: 'checkbox', role: 'switch' });
  #forPage = make('div', 'inner');
  #forLink = make('div', 'inner');
  #shared = false;
  #state;

  constructor(name, { assistants, page, embed }, share) {
    const own = assistants.find((one) => one.name === name);
    this.#name = name;
    this.#share = share;
    this.#isStored = own?.origin === 'store';
    this.#shared = own?.shared ?? false;
    this.#state = { page, embed, title: own?.display_name ?? name };
    const onPage = labelled('Answers the page', this.#pageSwitch, 'It answers whoever opens the page of this server.');
    const byLink = labelled('Everybody with the link may chat', this.#linkSwitch, 'Visitors of the page and of your web sites may choose it. They need no key.');
    this.#pageSwitch.addEventListener('change', () => this.#choose());
    this.#linkSwitch.addEventListener('change', () => this.#open());
    this.section = element('section', { class: 'card', 'aria-labelledby': 'share-title' });
    const heading = element('h3', { id: 'share-title' }, 'Share');
    this.section.append(heading, this.#problem, onPage.field, this.#forPage, byLink.field, this.#forLink, this.#forPrograms());
    this.#draw();
  }

  #draw() {
    const { page, embed, title } = this.#state;
    const isOnPage = page.assistant === this.#name;
    this.#pageSwitch.checked = isOnPage;
    // The assistant of the configuration answers until another one is chosen.
    const isByFile = isOnPage && !page.chosen;
    this.#pageSwitch.disabled = page.taken_by !== null || isByFile;
    this.#linkSwitch.checked = this.#shared;
    this.#linkSwitch.disabled = !this.#isStored;
    const forPage = [];
    if (page.taken_by) forPage.push(note(`A bot answers on the page: the configuration of the server says so in \`${page.taken_by}\`.`));
    else if (isByFile) forPage.push(note('The configuration of the server chooses it. Another assistant takes its place when you switch that one on.'));
    else if (isOnPage && page.configured) forPage.push(note(`Without it, \`${page.configured}\` answers there, as the configuration of the server says.`));
    else if (!isOnPage && page.assistant) forPage.push(note(`Now \`${page.assistant}\` answers there.`));
    if (!page.served) forPage.push(note('The page of this server is switched off (`page`).'));
    else if (isOnPage) forPage.push(copyable('Link to the page', `${location.origin}/`));
    this.#forPage.replaceChildren(...forPage);

    const forLink = [];
    if (!this.#isStored) forLink.push(note('This assistant is not made here: its `shared` is set in the configuration file.'));
    if (this.#shared && page.served) forLink.push(copyable('Link to chat with it', `${location.origin}/?assistant=${encodeURIComponent(this.#name)}`));
    if (this.#shared) {
      const script = `<script src="${location.origin}/embed.js" data-assistant="${this.#name}" data-title="${attribute(title)}"></script>`;
      forLink.push(copyable('Line for a web site', script), ...siteNotes(embed));
    }
    this.#forLink.replaceChildren(...forLink);
  }

  #forPrograms() {
    const words = note('A program needs an API key with the scope `answer`. Open WebUI and other clients take the address, the key and the model.');
    const parts = [words, copyable('Address for chat completions', `${location.origin}/v1`), copyable('Model', this.#name)];
    parts.push(copyable('Token for a Web Chat of your own', `POST ${location.origin}${assistantPath(this.#name, 'tokens')}`));
    return make('details', 'fold', make('summary', '', 'For programs and Open WebUI'), make('div', 'inner', ...parts));
  }

  async #choose() {
    const isWanted = this.#pageSwitch.checked;
    await this.#change(async () => {
      await call(isWanted ? 'PUT' : 'DELETE', assistantPath(this.#name, 'page'));
      const { page } = await (await call('GET', '/v1/assistants')).json();
      this.#state.page = page;
      say(isWanted ? 'It answers on the page from now on.' : 'It answers on the page no more.');
    });
  }

  async #open() {
    const isWanted = this.#linkSwitch.checked;
    await this.#change(async () => {
      if (!(await this.#share(isWanted))) return;
      this.#shared = isWanted;
      say(isWanted ? 'Everybody with the link may chat with it.' : 'The link leads nowhere any more.');
    });
  }

  async #change(act) {
    this.#problem.replaceChildren();
    try {
      await act();
    } catch (error) {
      showProblem(this.#problem, error);
    }
    this.#draw();
  }
}

/** What the operator has to set before a web site can have the chat. */
function siteNotes({ origins, anonymous }) {
  if (origins.length === 0) {
    const line = 'The operator of this server has to name your site first: `origins = ["https://www.example.com"]` and `anonymous = true` in the section `[embed]` of the configuration file, and a restart.';
    return [note(line)];
  }
  const sites = note(`It works on pages of ${origins.map((origin) => `\`${origin}\``).join(', ')}.`);
  return anonymous ? [sites] : [sites, note('These sites have to give tokens themselves (`data-token-url`), because `embed.anonymous` is off.')];
}

function note(text) {
  return make('p', 'help', ...sentence(text));
}

/** A text in an HTML attribute. */
function attribute(text) {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** A text to copy, under its name. */
function copyable(title, text) {
  const shown = element('code', { tabindex: '0', class: 'copied-text' }, text);
  const copy = button('Copy', 'quiet small', async () => {
    try {
      await navigator.clipboard.writeText(text);
      say('Copied.');
    } catch {
      // Pages without encryption have no clipboard; a marked text can be copied by hand.
      getSelection().selectAllChildren(shown);
      say('Press Ctrl+C to copy.');
    }
  });
  copy.setAttribute('aria-label', `Copy: ${title}`);
  return make('div', 'copyable', make('span', 'copyable-title', title), make('div', 'copyable-row', shown, copy));
}
