import type { LightningRestClient } from './lightning-rest-client.ts';

/** A part of a reply; `undefined` when it is missing. */
export function part(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    value,
  );
}

/** Typed access to a reply; a missing or invalid part is an error of the node. */
export class Reply {
  readonly #client: LightningRestClient;
  readonly #what: string;
  readonly body: unknown;

  constructor(client: LightningRestClient, what: string, body: unknown) {
    this.#client = client;
    this.#what = what;
    this.body = body;
  }

  /** @throws TillgateError `NODE_FAILED` */
  text(...path: readonly string[]): string {
    const value = part(this.body, ...path);
    if (typeof value !== 'string') throw this.#client.malformed(this.#what);
    return value;
  }

  /** A non-negative count or amount, a number or text. @throws TillgateError `NODE_FAILED` */
  count(...path: readonly string[]): bigint {
    const value = part(this.body, ...path);
    if (typeof value !== 'string' || !/^\d{1,20}(?:msat)?$/.test(value)) throw this.#client.malformed(this.#what);
    return BigInt(value.replace('msat', ''));
  }

  /** @throws TillgateError `NODE_FAILED` */
  hash(...path: readonly string[]): string {
    const value = this.text(...path).toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(value)) throw this.#client.malformed(this.#what);
    return value;
  }

  /** @throws TillgateError `NODE_FAILED` */
  list(...path: readonly string[]): readonly Reply[] {
    const value = part(this.body, ...path);
    if (!Array.isArray(value)) throw this.#client.malformed(this.#what);
    return value.map((one) => new Reply(this.#client, this.#what, one));
  }
}
