// The form of an assistant, made from the JSON schema of its settings.

import { KeyField, LOCAL, localOf, modelList, trial } from './back-end.js';
import { controlFor } from './fields.js';
import { element, labelled, make } from './screen.js';

/** Labels where the name of a setting does not make one. */
const LABELS = {
  enable_citations: 'Include citations',
  citation_link_mode: 'Citation link mode',
  secret_env: 'Direct Line secret',
  display_name: 'Name',
  key_env: 'Secret of the configuration',
  headers_env: 'Headers with secrets',
  abstract_max: 'Longest passage',
  feedback: 'Feedback buttons',
  pages: 'Two pages of one document',
  hard_breaks: 'Keep line breaks',
  ref_is_tracking: 'Ignore ref and source in URLs',
  self_contained: 'List sources in the text',
  withhold_encrypted: 'Omit encrypted passages',
  prefer_rerank: 'Prefer the ranker score',
  image_hosts: 'Hosts of images',
  numbering: 'Citation numbers',
  require_grounding: 'Required grounding',
  require_support: 'Check of citations',
  support_note: 'Note at an unconfirmed source',
  support_markup: 'Verdicts as ClaimReview',
  search_key_env: 'API key of the search service',
  url: 'URL',
  ai_label: 'AI label',
  sentence_links: 'Links to the sentence',
  bm25_max: 'Largest search score',
  rerank_max: 'Largest ranker score',
  max_turns: 'Questions at the same time',
  from: 'Answer format',
  informative: 'While the back end works',
  refusal: 'If an answer is refused',
  failure: 'If the back end fails',
  stopped: 'If the reader stops an answer',
  busy: 'If the back end is busy',
  passages: 'Passages for the model',
  sources: 'List of passages',
};

/** The kinds of back ends; others have the names that the schema gives them. */
const KINDS = {
  local: 'No model: sentences of the documents',
  openai: 'OpenAI, or another service with chat completions',
  'openai-responses': 'OpenAI with the Responses API',
  azure: 'Azure OpenAI',
  anthropic: 'Anthropic Claude',
  gemini: 'Google Gemini',
  http: 'Your own service over HTTP',
};

const ABOUT_MODEL = 'A model writes answers from your documents. Without one, answers are sentences of the documents, word for word.';

/** The settings of a back end that are not behind a fold, besides those that it requires. */
const USUAL = ['url', 'model', 'index', 'search_endpoint', 'search_key_env'];

/** The settings of an assistant that are not behind a fold, and those of the folds. What is named nowhere is less common. */
const FIRST = ['display_name', 'upstream', 'instructions', 'greeting'];
const TEXTS = ['informative', 'refusal', 'failure', 'busy', 'stopped'];
/** Settings that have a place outside of the form. */
const ELSEWHERE = ['shared'];
const ABOUT_DOCUMENTS = ['documents', 'enable_citations', 'citation_link_mode'];

export function label(name) {
  const words = name.replace(/_env$/, '').replaceAll('_', ' ');
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

function fold(title, ...children) {
  return make('details', 'fold', make('summary', '', title), make('div', 'inner', ...children));
}

/** Settings under AssistantHub's names, with the names that they have here. */
function renamed(settings, names) {
  const result = structuredClone(settings);
  for (const [old, path] of Object.entries(names)) {
    if (!(old in result)) continue;
    const inner = path.slice(0, -1).reduce((object, member) => (object[member] ??= {}), result);
    inner[path.at(-1)] = result[old];
    delete result[old];
  }
  if (result.EnableRag === true) result.documents ??= {};
  if (result.EnableRag === false) delete result.documents;
  delete result.EnableRag;
  return result;
}

/** The form: `fill` shows settings, `read` gives them, and `mark` shows faults beside their fields. */
export class AssistantForm {
  #schema;
  /** The fields of single settings by their path: control, where its problem stands, and the control's `get`. */
  #fields = new Map();
  #whole;
  #name;
  #readOnly;
  #refuse;

  /** `refuse` shows what the server does not accept in settings that are tried. */
  constructor(schema, { name, readOnly, refuse }) {
    this.#schema = schema;
    this.#name = name;
    this.#readOnly = readOnly;
    this.#refuse = refuse;
    this.key = new KeyField(name);
    this.element = element('fieldset', { class: 'form', disabled: readOnly });
    this.element.append(element('legend', { class: 'for-reader' }, 'Settings of the assistant'));
    this.#whole = this.#assistant(this.#resolve(schema));
  }

  fill(settings) {
    this.clear();
    this.#whole.put(renamed(settings, this.#schema.names));
  }

  /** The settings; entries that are no values are added to `faults`, each with its path and reason. */
  read(faults = []) {
    return this.#whole.get(faults);
  }

  /** Notes a setting that was changed outside of the form. */
  note(name, value) {
    this.#whole.note(name, value);
  }

  clear() {
    for (const { control, problem } of this.#fields.values()) {
      control.removeAttribute('aria-invalid');
      problem.textContent = '';
    }
  }

  /** Shows faults beside their fields, and moves to the first one; gives those that have no field. */
  mark(faults) {
    this.clear();
    const homeless = faults.filter((fault) => !this.#markOne(fault));
    const first = this.element.querySelector('[aria-invalid=true]');
    for (let at = first?.parentElement; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    first?.focus();
    return homeless;
  }

  #markOne({ path, reason }) {
    // A part may name the setting in its reason.
    const [, missing, inner, words] = /^(?:missing field `(\w+)`|(\w+): (.*))/.exec(reason) ?? [];
    const parts = path.split('.');
    const places = [`${path}.${missing ?? inner}`, ...parts.map((_, at) => parts.slice(0, parts.length - at).join('.'))];
    const field = places.map((place) => this.#fields.get(place)).find((found) => found && !found.control.closest('[hidden]'));
    if (!field) return false;
    field.control.setAttribute('aria-invalid', 'true');
    const isInner = this.#fields.get(places[0]) === field;
    field.problem.textContent = isInner ? (words ?? 'This is required.') : reason;
    return true;
  }

  #resolve(schema) {
    const [reference] = schema.allOf ?? [schema];
    if (!reference.$ref) return schema;
    return { ...this.#schema.definitions[reference.$ref.split('/').at(-1)], ...schema };
  }

  /** One setting with its label: a fieldset where it has settings of its own. */
  #setting(path, given) {
    const schema = this.#resolve(given);
    const name = path.at(-1);
    if (schema.properties) return this.#section(path, schema);
    const control = controlFor(name, schema);
    const help = [schema.description, control.hint].filter(Boolean).join(' ');
    const { field, problem } = labelled(label(name), control.control, help);
    const get = (faults) => {
      try {
        return control.get();
      } catch (error) {
        faults.push({ path: path.join('.'), reason: error.message });
        return undefined;
      }
    };
    const made = { element: field, control: control.control, problem, put: control.put, get };
    this.#fields.set(path.join('.'), made);
    return made;
  }

  #section(path, schema) {
    const group = this.#group(path, schema);
    const legend = make('legend', '', label(path.at(-1)));
    const parts = schema.description ? [make('p', 'help', schema.description.replaceAll('`', ''))] : [];
    return { ...group, element: make('fieldset', 'section', legend, ...parts, ...group.elements()) };
  }

  /** The settings of an object; members that the schema does not know are kept. */
  #group(path, { properties }) {
    const names = Object.keys(properties).filter((name) => !('const' in properties[name]));
    const inner = Object.fromEntries(names.map((name) => [name, this.#setting([...path, name], properties[name])]));
    let given;
    return {
      inner,
      elements: (wanted = names) => wanted.filter((name) => name in inner).map((name) => inner[name].element),
      put(value) {
        given = value;
        for (const name of names) inner[name].put(value?.[name]);
      },
      get(faults) {
        const result = Object.fromEntries(Object.entries(given ?? {}).filter(([name]) => !(name in inner)));
        for (const name of names) {
          const value = inner[name].get(faults);
          if (value !== undefined) result[name] = value;
        }
        return given === undefined && Object.keys(result).length === 0 ? undefined : result;
      },
    };
  }

  #assistant(schema) {
    const { upstream, documents, ...others } = schema.properties;
    const properties = Object.fromEntries(Object.entries(others).filter(([name]) => !ELSEWHERE.includes(name)));
    const group = this.#group([], { properties });
    const { inner } = group;
    inner.upstream = this.#backEnd(upstream);
    inner.documents = this.#documents(this.#resolve(documents), (has) => (inner.citation_link_mode.element.hidden = !has));
    const named = [...ABOUT_DOCUMENTS, ...FIRST, ...TEXTS, 'options'];
    const rest = Object.keys(properties).filter((name) => !named.includes(name));
    const { options } = inner;
    this.element.append(
      ...group.elements(FIRST),
      make('fieldset', 'section', make('legend', '', 'Documents and citations'), ...group.elements(ABOUT_DOCUMENTS)),
      fold('Texts for special cases', ...group.elements(TEXTS)),
      fold('How answers are shown', ...options.elements()),
      fold('Limits of documents', ...inner.documents.limits),
      fold('Less common options', ...group.elements(rest)),
    );
    const all = [...Object.keys(properties), 'upstream', 'documents'];
    let given = {};
    return {
      note(name, value) {
        given = { ...given, [name]: value };
        if (value === undefined) delete given[name];
      },
      put(settings) {
        given = settings;
        for (const name of all) inner[name].put(settings[name]);
      },
      get(faults) {
        const result = Object.fromEntries(Object.entries(given).filter(([name]) => !all.includes(name)));
        for (const name of all) {
          const value = inner[name].get(faults);
          if (value !== undefined) result[name] = value;
        }
        return result;
      },
    };
  }

  /** Documents: an assistant has them or not, and they have limits. */
  #documents(schema, whenChanged) {
    const limits = this.#group(['documents'], schema);
    const control = element('input', { type: 'checkbox' });
    const help = 'Answers are made from documents that you upload. A back end that searches by itself needs none.';
    const { field, problem } = labelled('Answer from documents', control, help);
    const show = () => whenChanged(control.checked);
    control.addEventListener('change', show);
    this.#fields.set('documents', { control, problem });
    return {
      element: field,
      limits: limits.elements(),
      put(value) {
        control.checked = value !== undefined;
        limits.put(value);
        show();
      },
      get: (faults) => (control.checked ? (limits.get(faults) ?? {}) : undefined),
    };
  }

  /** The back end: a kind, and the settings of that kind. */
  #backEnd({ anyOf }) {
    const kinds = new Map(anyOf.map((one) => this.#resolve(one)).map((one) => [one.properties.kind.const, one]));
    const control = element('select', {});
    const [first, ...others] = kinds.keys();
    const titles = [[first, KINDS[first]], ...Object.entries(LOCAL).map(([name, { title }]) => [name, title]), ...others.map((kind) => [kind, KINDS[kind]])];
    for (const [kind, title] of titles) control.append(new Option(title ?? kind, kind));
    const { field, problem } = labelled('What answers', control, ABOUT_MODEL);
    const place = make('div', 'inner');
    let given;
    let group;
    let models;
    /** The kind in the settings: a program on one's own machine is one of its services. */
    const kindOf = () => (control.value in LOCAL ? 'openai' : control.value);
    const key = this.key;
    const entered = () => {
      const faults = [];
      const settings = this.read(faults);
      if (faults.length === 0) return settings;
      this.mark(faults);
      return undefined;
    };
    const tried = trial(this.#name, key, entered, this.#refuse);
    const lookForModels = () => {
      const url = group.inner.url?.control.value.trim();
      if (control.value in LOCAL && url) models.show(url);
    };
    const open = (value) => {
      for (const path of this.#fields.keys()) if (path.startsWith('upstream.')) this.#fields.delete(path);
      this.#fields.set('upstream.kind', { control, problem });
      const schema = kinds.get(kindOf());
      const { required = [], properties } = schema ?? { properties: {} };
      const first = Object.keys(properties).filter((name) => required.includes(name) || USUAL.includes(name));
      first.sort((one, other) => USUAL.indexOf(one) - USUAL.indexOf(other));
      const rest = Object.keys(properties).filter((name) => name !== 'kind' && !first.includes(name));
      group = this.#group(['upstream'], { properties });
      group.put(value);
      const more = group.elements(rest);
      const parts = group.elements(first);
      tried.clear();
      if (kindOf() === 'openai') {
        models = modelList(this.#name, group.inner.model.control);
        group.inner.model.element.append(...models.parts);
        group.inner.url.control.addEventListener('change', lookForModels);
      }
      if (kindOf() !== 'local') {
        // A program on one's own machine asks for no key.
        const isOwn = control.value in LOCAL;
        parts.push(...(isOwn || this.#readOnly ? [] : [key.element]));
        if (isOwn && !this.#readOnly) more.unshift(key.element);
      }
      if (more.length > 0) parts.push(fold('Less common options of the back end', ...more));
      if (kindOf() !== 'local' && !this.#readOnly) parts.push(tried.element);
      place.replaceChildren(...parts);
      for (const name of required) group.inner[name]?.control?.setAttribute('aria-required', 'true');
    };
    control.addEventListener('change', () => {
      // Settings that both kinds have stay, but not the address of another service.
      const { properties } = kinds.get(kindOf());
      const before = Object.entries(group.get([]) ?? {}).filter(([name]) => name in properties && name !== 'kind');
      const settings = Object.fromEntries(before);
      const wasOwn = localOf({ kind: 'openai', url: settings.url });
      if (control.value in LOCAL) settings.url = LOCAL[control.value].url;
      else if (wasOwn) delete settings.url;
      // Models of one's own machine have names of their own.
      if (control.value in LOCAL || wasOwn) delete settings.model;
      open(settings);
      lookForModels();
    });
    this.#fields.set('upstream', { control, problem });
    return {
      element: make('fieldset', 'section', make('legend', '', 'Model'), field, place),
      put(value) {
        given = value;
        const kind = value?.kind ?? 'local';
        if (!kinds.has(kind)) control.append(new Option(kind, kind));
        control.value = localOf(value) ?? kind;
        open(value);
      },
      get(faults) {
        if (control.value === 'local' && given === undefined) return undefined;
        const settings = { ...group.get(faults), kind: kindOf() };
        const missing = (kinds.get(kindOf())?.required ?? []).filter((name) => !(name in settings));
        faults.push(...missing.map((name) => ({ path: `upstream.${name}`, reason: 'This is required.' })));
        return settings;
      },
    };
  }
}
