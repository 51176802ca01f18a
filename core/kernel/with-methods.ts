/**
 * The object with some members replaced. The other methods are bound to the original, because of private fields, and
 * are the same on each access.
 */
export function withMethods<T extends object>(target: T, replaced: Partial<T>): T {
  const bound = new Map<PropertyKey, unknown>();
  return new Proxy(target, {
    get: (_target, name) => {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name) as unknown;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (!bound.has(name)) bound.set(name, value.bind(target));
      return bound.get(name);
    },
  });
}
