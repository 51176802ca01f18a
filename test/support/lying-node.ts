/** An honest part of a node with these methods replaced by lies. */
export function lyingAbout<T extends object>(honest: T, lies: Partial<T>): T {
  return new Proxy(honest, {
    get(target, name) {
      if (Object.hasOwn(lies, name)) return Reflect.get(lies, name) as unknown;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
