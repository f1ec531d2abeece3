import type { Change, Finding, Options, RecordsAnswer, Report } from './schemas.js';

export type * from './schemas.js';

/** An answer or activity: text or bytes as they were received, or an object. */
export type Body = string | Uint8Array | ArrayBuffer | object;

/** An activity of the Bot Framework. */
export interface Activity {
  type: string;
  text?: string;
  entities?: Array<Record<string, any>>;
  attachments?: Array<Record<string, any>>;
  channelData?: any;
  [member: string]: any;
}

/** The parameters beside an answer. */
export interface Parameters {
  /** The format of the answer; `auto` detects it. */
  from?: string | null;
  /** The dialect, such as `web-chat`, `teams` or `slack-blocks`, or a channel id with a dialect of its own; else `web-chat`. */
  channel?: string | null;
  options?: Partial<Options> | null;
}

export interface ConvertParameters extends Parameters {
  /** `false` leaves out the report. */
  report?: boolean | null;
}

export interface RecordsParameters extends Parameters {
  /** The result of a second model that rewrote the answer: its text, or its response as the provider sent it. */
  reshaped?: string | object | null;
}

export interface CheckParameters {
  /** `web-chat` or `teams`; else `web-chat`. */
  channel?: string | null;
  /** `copilot-store` or `teams-extended`: demands beyond those of Teams. */
  profile?: string | null;
}

export interface PromptParameters {
  options?: {
    style?: string | null;
    max_bytes?: number | null;
    max_tokens?: number | null;
    system?: string | null;
    sources_only?: boolean | null;
  } | null;
}

export interface Converted {
  /** The last one is the message; those before it are updates of a stream. */
  activities: Activity[];
  /** Absent with `report: false`. */
  report?: Report;
}

export interface Prompt {
  text: string;
  messages: Array<Record<string, any>>;
  sources: Array<{ place: number; number: number; listed: boolean }>;
}

/** The new text for readers. */
export interface Update {
  /** `informative`: words in place of an answer that cannot be shown yet. */
  kind: 'text' | 'informative';
  /** All of the text so far. */
  text: string;
}

export interface Streamed {
  /** Equal to the message of the whole answer. */
  message: Activity;
  /** Whether the message may follow the text shown last. If not, end the stream and send it as a new one. */
  continues: boolean;
  report: Report;
}

/** The longest answer, activity or stream, in bytes. */
export const MAX_BYTES: number;

/** An error with a stable code, the same as over HTTP. */
export class CitewireError extends Error {
  readonly name: 'CitewireError';
  readonly code: string;
  /** JSON pointer of the fault. */
  readonly pointer?: string;
  /** The number of the event at fault in a stream, from 1. */
  readonly event?: number;
  /** The line on which that event begins, from 1. */
  readonly line?: number;
}

/** Converts an answer, whole or as a stream that has ended, as `POST /v1/activities` does. */
export function convert(answer: Body, parameters?: ConvertParameters): Converted;

/** Checks an activity, as `citewire check --json` does. */
export function check(activity: Body, parameters?: CheckParameters): { findings: Finding[] };

/** Mends an activity and checks what came of it, as `citewire check --fix --json` does. */
export function fix(
  activity: Body,
  parameters?: CheckParameters,
): { findings: Finding[]; activity: Activity; changes: Change[] };

/** Reads the sources of an answer, as `POST /v1/records` does. */
export function records(answer: Body, parameters?: RecordsParameters): RecordsAnswer;

/** Writes a prompt with numbered sources, as `POST /v1/prompt` does. */
export function prompt(manifest: Body, parameters?: PromptParameters): Prompt;

/** Any of these calls by its name, with the result as it is written: the same bytes as over HTTP. */
export function callJson(
  call: 'convert' | 'check' | 'fix' | 'records' | 'prompt',
  body: Body,
  parameters?: ConvertParameters | RecordsParameters | CheckParameters | PromptParameters,
): string;

/** An answer that arrives in pieces, cut anywhere. It ends with `finish`, `free` or an error, and is freed when it is forgotten. */
export class Streaming {
  constructor(parameters?: Parameters);
  /** Takes the next piece; returns what readers see from now on, if that has changed. */
  push(piece: string | Uint8Array | ArrayBuffer): Update | undefined;
  /** Pushes all pieces, and yields each update. */
  follow(
    pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  ): AsyncGenerator<Update, void, undefined>;
  /** The text so far as an activity of its own, in Web Chat with its claims. */
  soFar(): Activity | undefined;
  finish(): Streamed;
  /** The end as it is written. */
  finishJson(): string;
  /** Gives the stream up. */
  free(): void;
  [Symbol.dispose](): void;
}
