import { parse } from 'lossless-json';
import { request } from 'undici';
import { TillgateError } from '../../core/index.ts';
import { networkCode, readBounded } from '../system/bounded-reply.ts';

/** Far larger than any reply of a rate source. */
const MAX_BYTES = 1024 * 1024;

/** A request to a rate source. `source` is its name in errors; neither the URL nor a header ever is. */
export interface JsonRequest {
  readonly source: string;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Gets a JSON document in which every number is left as the text that was sent, so that no price passes through a double.
 *
 * @throws TillgateError `NOT_READY` when the source fails in any way.
 */
export async function fetchJson({ source, url, headers = {}, signal }: JsonRequest): Promise<unknown> {
  const { status, text } = await exchange(source, url, headers, signal);
  if (status !== 200) throw sourceFailed(source, `answered with status ${status}`);
  try {
    return parse(text, null, (number) => number);
  } catch {
    throw sourceFailed(source, 'sent text that is not JSON');
  }
}

/** The error of a rate source: a sentence without address or key. */
export function sourceFailed(source: string, what: string): TillgateError {
  return new TillgateError('NOT_READY', `The rate source ${source} ${what}.`);
}

/** A property of a JSON object; `undefined` for anything else and for what it merely inherits. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

async function exchange(
  source: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  try {
    const reply = await request(url, {
      headers: { accept: 'application/json', 'user-agent': 'tillgate', ...headers },
      signal,
    });
    const text = await readBounded(reply.body as AsyncIterable<Uint8Array>, MAX_BYTES);
    if (text === null) throw sourceFailed(source, `sent more than ${MAX_BYTES} bytes`);
    return { status: reply.statusCode, text };
  } catch (error) {
    if (error instanceof TillgateError) throw error;
    throw sourceFailed(source, signal.aborted ? 'did not answer in time' : `cannot be reached (${networkCode(error)})`);
  }
}
