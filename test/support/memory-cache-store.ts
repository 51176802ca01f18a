import type { CacheStore, StoredAnswer } from '../../core/index.ts';

/** A shared cache in memory, for the gateways of one test. */
export class MemoryCacheStore implements CacheStore {
  readonly answers = new Map<string, { readonly value: string; readonly expiresAt: number }>();

  find(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const now = performance.now();
    const found = keys.flatMap((key): (readonly [string, string])[] => {
      const answer = this.answers.get(key);
      return answer === undefined || answer.expiresAt <= now ? [] : [[key, answer.value]];
    });
    return Promise.resolve(new Map(found));
  }

  put(answers: readonly StoredAnswer[], keepMs: number): Promise<void> {
    for (const { key, value } of answers) this.answers.set(key, { value, expiresAt: performance.now() + keepMs });
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
