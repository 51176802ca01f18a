/** The process is gone: nothing after it runs. */
export class Crash extends Error {}

/** Counts calls and crashes at one of them, before or after its effect. */
export class CrashPoint {
  #left: number;
  readonly #after: boolean;
  #crashed = false;

  /**
   * @param at - the call to crash at, 1 for the first
   * @param after - crash when its effect is there but its answer is not
   */
  constructor(at: number, after: boolean) {
    this.#left = at;
    this.#after = after;
  }

  get crashed(): boolean {
    return this.#crashed;
  }

  /** The object with every asynchronous method watched, those of the objects inside it too; a dead process calls nothing. */
  watch<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value === 'function')
          return (...args: unknown[]) => this.#call(value as (...args: unknown[]) => unknown, target, args);
        return typeof value === 'object' && value !== null && !(value instanceof Map) && !Array.isArray(value)
          ? this.watch(value)
          : value;
      },
    });
  }

  #call(method: (...args: unknown[]) => unknown, target: object, args: unknown[]): unknown {
    if (this.#crashed) throw new Crash('called by a dead process');
    const due = --this.#left === 0;
    if (due && !this.#after) this.#die();
    const result = method.apply(target, args);
    if (!due) return result;
    if (result instanceof Promise) return result.then(() => this.#die());
    // Nothing was awaited: the next call is the one.
    this.#left = 1;
    return result;
  }

  #die(): never {
    this.#crashed = true;
    throw new Crash('crashed');
  }
}
