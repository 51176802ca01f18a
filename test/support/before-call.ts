/**
 * Wraps an object so that one of its stores runs a function before a method's first call, as another instance could.
 *
 * @param before - runs once, and is awaited
 */
export function beforeCall<T extends object, S extends keyof T & string>(
  target: T,
  store: S,
  method: keyof T[S] & string,
  before: () => Promise<unknown>,
): T {
  let due = true;
  const once = async (): Promise<void> => {
    if (!due) return;
    due = false;
    await before();
  };
  const stepped = bound(target[store] as object, (name, call) =>
    name === method ? async (...args: unknown[]) => (await once(), call(...args)) : call,
  );
  return new Proxy(
    bound(target, (_name, call) => call),
    {
      get: (inner, name) => (name === store ? stepped : (Reflect.get(inner, name, inner) as unknown)),
    },
  );
}

type Call = (...args: unknown[]) => unknown;

/** The object with its methods bound to it, which private fields require. */
function bound<T extends object>(target: T, each: (name: string, call: Call) => Call): T {
  return new Proxy(target, {
    get: (_target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? each(String(name), value.bind(target) as Call) : value;
    },
  });
}
