// The verdicts about the citations of a message.

import { claimList } from '/page/verdicts.js';
import { call } from './api.js';
import { make } from './screen.js';

/** The claims of a message; none for activities without any. */
const citations = ({ entities = [] }) => entities.flatMap((entity) => entity.citation ?? []);

/** Whether there is anything to judge. */
export function isCited(activity) {
  return activity.type === 'message' && activity.from?.role === 'bot' && citations(activity).length > 0;
}

/** The list of verdicts about a message, as its readers got it. */
export async function verdictsOf(activity) {
  const response = await call('POST', '/v1/support?from=activity', { json: activity });
  const support = await response.json();
  const numbers = citations(activity).map(({ position }) => Number(position)).sort((one, other) => one - other);
  if (support.claims.length === 0) return make('p', 'quiet-text', 'No badge stands in the text.');
  return claimList(support, (position) => numbers[position - 1] ?? position);
}
