/** Simulates the end of the process: nothing after it runs. */
export class Crash extends Error {}

const NONE: ReadonlySet<string> = new Set();

/** Counts calls and crashes at one of them, before or after its effect. */
export class CrashPoint {
  #left: number;
  readonly #after: boolean;
  readonly #reads: ReadonlySet<string>;
  #crashed = false;

  /**
   * @param at - the call to crash at, 1 for the first
   * @param after - crash after the effect but before the answer
   * @param reads - calls without effects, by path: a crash at one equals a crash at the call before it, so they do not
   * count
   */
  constructor(at: number, after: boolean, reads = NONE) {
    this.#left = at;
    this.#after = after;
    this.#reads = reads;
  }

  get crashed(): boolean {
    return this.#crashed;
  }

  /**
   * Watches every asynchronous method of the object and of the objects inside it; after a crash none is called.
   *
   * @param path - the object's name in the paths of its calls
   */
  watch<T extends object>(target: T, path = ''): T {
    return new Proxy(target, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        const at = `${path}.${String(name)}`;
        if (typeof value === 'function')
          return (...args: unknown[]) => this.#call(at, () => Reflect.apply(value, target, args) as unknown);
        return typeof value === 'object' && value !== null && !(value instanceof Map) && !Array.isArray(value)
          ? this.watch(value, at)
          : value;
      },
    });
  }

  #call(path: string, call: () => unknown): unknown {
    if (this.#crashed) throw new Crash('called by a dead process');
    if (this.#reads.has(path)) return call();
    const due = --this.#left === 0;
    if (due && !this.#after) this.#die();
    const result = call();
    if (!due) return result;
    if (result instanceof Promise) return result.then(() => this.#die());
    // Nothing was awaited, so the crash happens at the next call.
    this.#left = 1;
    return result;
  }

  #die(): never {
    this.#crashed = true;
    throw new Crash('crashed');
  }
}
