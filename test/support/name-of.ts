/** The name of a property, derived from its type, so that renaming the property in an editor renames it here. */
export function nameOf<T>(select: (value: T) => unknown): string {
  const names: string[] = [];
  select(new Proxy({}, { get: (_target, name) => void names.push(String(name)) }) as T);
  const [name] = names;
  if (name === undefined) throw new Error('nothing was selected');
  return name;
}
