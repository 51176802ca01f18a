import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What earlier runs found out, in the temp folder: removing `tillgate-mutation` there forgets it. */
export class Kept<Value> {
  readonly #folder: string;

  constructor(kind: string) {
    this.#folder = join(tmpdir(), 'tillgate-mutation', kind);
    mkdirSync(this.#folder, { recursive: true });
  }

  read(key: string): Value | null {
    const path = this.#path(key);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Value) : null;
  }

  write(key: string, value: Value): void {
    writeFileSync(this.#path(key), JSON.stringify(value));
  }

  #path(key: string): string {
    return join(this.#folder, `${key}.json`);
  }
}
