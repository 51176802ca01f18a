import { once } from 'node:events';
import type { Redis } from 'ioredis';
import type { CacheStore, StoredAnswer } from '../../core/index.ts';

/** Different from what other applications may keep in the same server. */
const PREFIX = 'tillgate:answer:';
const CONNECT_TIMEOUT_MS = 5_000;
const COMMAND_TIMEOUT_MS = 2_000;

/** How a {@link RedisCacheStore} is reached. */
export interface RedisCacheOptions {
  /** `redis://` or `rediss://`, with the password: a secret. */
  readonly url: string;
  /** Called when the connection fails, with a word such as `ECONNREFUSED`; never with an address. */
  readonly onError: (reason: string) => void;
}

/**
 * Answers that gateways share, in Redis or Valkey by the package `ioredis`, which is loaded and connected with the first
 * call. The server bounds its memory itself: `maxmemory` with `maxmemory-policy allkeys-lru`.
 */
export class RedisCacheStore implements CacheStore {
  readonly #options: RedisCacheOptions;
  #connecting: Promise<Redis> | null = null;
  #closed = false;

  constructor(options: RedisCacheOptions) {
    this.#options = options;
  }

  async find(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (keys.length === 0) return new Map();
    const client = await this.#client();
    const values = await client.mget(keys.map((key) => PREFIX + key));
    return new Map(keys.flatMap((key, index) => (values[index] == null ? [] : [[key, values[index]]])));
  }

  async put(answers: readonly StoredAnswer[], keepMs: number): Promise<void> {
    if (answers.length === 0) return;
    const pipeline = (await this.#client()).pipeline();
    for (const { key, value } of answers) pipeline.set(PREFIX + key, value, 'PX', keepMs);
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = await this.#connecting?.catch(() => null);
    client?.disconnect();
  }

  #client(): Promise<Redis> {
    if (this.#closed) throw new Error('the cache is closed');
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<Redis> {
    const { Redis: Client } = await import('ioredis');
    const client = new Client(this.#options.url, {
      connectTimeout: CONNECT_TIMEOUT_MS,
      commandTimeout: COMMAND_TIMEOUT_MS,
      // A command that cannot be sent at once fails, instead of waiting in a queue that grows.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
    });
    client.on('error', (error: NodeJS.ErrnoException) => this.#options.onError(error.code ?? error.name));
    // The first calls wait for the connection; where there is none, all fail until one of the further attempts succeeds.
    await once(client, 'ready').catch(() => undefined);
    return client;
  }
}
