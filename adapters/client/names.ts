/** Fields whose members have names of the caller's choice, which are kept as they are. */
const OWN_NAMES: ReadonlySet<string> = new Set(['changes', 'headers', 'inputs', 'metadata', 'units']);

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** `merchantReference` for `merchant_reference`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());

/** A value with the names of the wire: `merchant_reference` for `merchantReference`. */
export const toWire = (value: unknown): unknown => renamed(value, snakeCase);

/** A value of the wire with the names of TypeScript. */
export const fromWire = (value: unknown): unknown => renamed(value, camelCase);

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => renamed(item, rename));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      rename(name),
      OWN_NAMES.has(name) ? (member as unknown) : renamed(member, rename),
    ]),
  );
}

/** The arguments of a call: the values of the path, then the fields, then the options. */
export interface CallArguments {
  readonly params: Readonly<Record<string, unknown>>;
  /** With the names of the wire. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The version of the record that is changed, for an operation that needs it. */
  readonly version: number | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Reads the arguments of a call.
 *
 * @param path - path template, such as `/v1/orders/{id}`
 * @param versioned - whether `version` is not a field but the version of the record
 * @throws TypeError for fields or options that are not an object
 */
export function readArguments(path: string, versioned: boolean, args: readonly unknown[]): CallArguments {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params = Object.fromEntries(names.map((name, at) => [name, args[at]]));
  const given = readObject(args[names.length], 'the fields');
  const { version, ...others } = given;
  const fields = toWire(versioned ? others : given) as Readonly<Record<string, unknown>>;
  return {
    params,
    fields,
    version: versioned ? (version as number | undefined) : undefined,
    options: readObject(args[names.length + 1], 'the options'),
  };
}

function readObject(given: unknown, what: string): Readonly<Record<string, unknown>> {
  if (given === undefined) return {};
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Record<string, unknown>;
  throw new TypeError(`Pass ${what} of the call as an object.`);
}

/** Iterates over a list that is read page by page. */
export async function* eachItem(
  list: (fields: object, options: unknown) => Promise<unknown>,
  fields: object = {},
  options?: unknown,
): AsyncGenerator<unknown, void, undefined> {
  let cursor: string | null | undefined;
  do {
    const page = (await list(cursor === undefined ? fields : { ...fields, cursor }, options)) as {
      readonly items: readonly unknown[];
      readonly nextCursor: string | null;
    };
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
