// The requests to this server, with the key of the visitor.

/** Where the tab keeps the key; nothing else of it is stored anywhere. */
const STORED = 'citewire-key';

let key = sessionStorage.getItem(STORED) ?? undefined;

export const hasKey = () => key !== undefined;

export function useKey(given) {
  key = given;
}

export function keepKey() {
  sessionStorage.setItem(STORED, key);
}

export function forgetKey() {
  key = undefined;
  sessionStorage.removeItem(STORED);
}

/** An error whose message is meant for the reader. */
export class Refusal extends Error {
  constructor(title, detail, status, code) {
    super(detail ? `${title}: ${detail}` : title);
    Object.assign(this, { title, detail, status, code });
  }
}

/** A request; gives the response if it is a good one, and throws a Refusal for everything else. */
export async function call(method, path, { json, body = json && JSON.stringify(json), headers } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method,
      cache: 'no-store',
      headers: { ...ofEach(), ...(json && { 'content-type': 'application/json' }), ...headers },
      body,
    });
  } catch {
    throw unreachable();
  }
  if (response.ok) return response;
  throw refusal(response.status, await response.text().catch(() => ''));
}

/** Uploads a file, and gives the answer; `sent` hears how many bytes have left. Not every browser says that of a fetch. */
export function upload(path, file, sent) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', path);
    for (const [name, value] of Object.entries(ofEach())) request.setRequestHeader(name, value);
    for (const name of ['progress', 'load']) request.upload.addEventListener(name, ({ loaded }) => sent(loaded));
    request.addEventListener('error', () => reject(unreachable()));
    request.addEventListener('load', () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) resolve(parsed(responseText));
      else reject(refusal(status, responseText));
    });
    request.send(file);
  });
}

/** The headers of each request. */
function ofEach() {
  return { accept: 'application/json, application/problem+json', authorization: `Bearer ${key}` };
}

function unreachable() {
  return new Refusal('The server cannot be reached', 'Is citewire still running? Nothing was changed.');
}

/** What a response says that is no good one. */
function refusal(status, text) {
  const answer = parsed(text) ?? {};
  const { title = `The server answered ${status}`, detail, code } = answer;
  return new Refusal(title, detail ?? answer.error?.message, status, code);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON of a resource. */
export async function read(path) {
  return (await call('GET', path)).json();
}

/** The path of an assistant, or of something that belongs to it. */
export function assistantPath(name, ...more) {
  return ['/v1/assistants', ...[name, ...more].map(encodeURIComponent)].join('/');
}

/** The version in the ETag of a response, as `If-Match` sends it back; undefined if it has none. */
export function versionOf(response) {
  return response.headers.get('etag') ?? undefined;
}

/** The header for a change of this version; without a version, for something that is not there yet. */
export function onlyIf(version) {
  return version ? { 'if-match': version } : { 'if-none-match': '*' };
}
