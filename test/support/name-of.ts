/** The name of a property, read from its type: an editor that renames the property renames it here. */
export function nameOf<T>(select: (value: T) => unknown): string {
  const names: string[] = [];
  select(new Proxy({}, { get: (_target, name) => void names.push(String(name)) }) as T);
  const [name] = names;
  if (name === undefined) throw new Error('nothing was selected');
  return name;
}
