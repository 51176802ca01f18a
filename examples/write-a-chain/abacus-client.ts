import type { z } from 'zod';
import { TillgateError } from 'tillgate/plugin';

const TIMEOUT_MS = 10_000;

/**
 * A client of an Abacus node. Every failure is `NODE_FAILED`, with a message that repeats nothing of the node's answer.
 */
export class AbacusClient {
  readonly #url: string;

  /** @param url - may hold a password, so no message repeats it */
  constructor(url: string) {
    this.#url = url.replace(/\/$/, '');
  }

  /** The answer; `null` when the resource does not exist. */
  async find<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
    const { status, text } = await this.#ask(path);
    if (status === 404) return null;
    if (status !== 200) throw new TillgateError('NODE_FAILED', `The Abacus node answered with HTTP ${status}.`);
    return read(text, schema);
  }

  /** The answer; a missing resource is a failure. */
  async get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const found = await this.find(path, schema);
    if (found === null) throw new TillgateError('NODE_FAILED', `The Abacus node has no ${path}.`);
    return found;
  }

  /** Broadcasts, and returns the node's answer. */
  async post(path: string, body: string): Promise<number> {
    return (await this.#ask(path, body)).status;
  }

  async #ask(path: string, body?: string): Promise<{ readonly status: number; readonly text: string }> {
    const init = { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' as const };
    try {
      const response = await fetch(
        `${this.#url}/${path}`,
        body === undefined ? init : { ...init, method: 'POST', body },
      );
      return { status: response.status, text: await response.text() };
    } catch {
      throw new TillgateError('NODE_FAILED', 'The Abacus node does not answer.');
    }
  }
}

function read<T>(text: string, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new TillgateError('NODE_FAILED', 'The Abacus node answered with something malformed.');
  }
}
