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
      headers: {
        accept: 'application/json, application/problem+json',
        authorization: `Bearer ${key}`,
        ...(json && { 'content-type': 'application/json' }),
        ...headers,
      },
      body,
    });
  } catch {
    throw new Refusal('The server cannot be reached', 'Is citewire still running? Nothing was changed.');
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => undefined);
  const { title = `The server answered ${response.status}`, detail, code } = answer ?? {};
  throw new Refusal(title, detail ?? answer?.error?.message, response.status, code);
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
