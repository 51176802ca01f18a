import type { z } from 'zod';
import { isShown } from '../settings/setting-fields.ts';

/** A setting's value if its schema is marked as shown, otherwise only whether it is set. */
export type SettingFact = string | number | boolean | null | readonly (string | number | boolean | null)[];

const SET = 'set';
const NOT_SET = 'not set';
/** Only the first entries of a long list are shown. */
const MOST_ENTRIES = 50;

type Schema = z.core.$ZodType;
type Described = Record<string, SettingFact>;

interface Place {
  readonly path: string;
  readonly found: Described;
}

/**
 * Describes settings as they were written, by the schema that would read them. Only values that are marked and valid
 * are shown; unknown keys are counted, because they may be anything.
 */
export function describeSettings(schema: Schema, input: unknown): Described {
  const found: Described = {};
  describe(schema, input, { path: '', found });
  return found;
}

/** The names of all settings in the schema. */
export function settingNames(schema: Schema, names: Set<string> = new Set()): ReadonlySet<string> {
  const plain = unwrapped(schema);
  const { shape = {}, element, options = [], valueType } = defOf(plain);
  for (const [name, each] of Object.entries(shape)) {
    names.add(name);
    settingNames(each, names);
  }
  for (const each of [element, valueType, ...options]) if (each !== undefined) settingNames(each, names);
  return names;
}

/** The parts of schemas that hold other schemas. */
interface Def {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly values?: readonly unknown[];
}

const defOf = (schema: Schema): Def => schema._zod.def;

/** The input schema, without the defaults and transformations around it. */
function unwrapped(schema: Schema): Schema {
  const { innerType, in: input } = defOf(schema);
  const inside = innerType ?? input;
  return inside === undefined ? schema : unwrapped(inside);
}

function describe(schema: Schema, value: unknown, { path, found }: Place): void {
  const plain = unwrapped(schema);
  const { type, shape, element, options } = defOf(plain);
  if (value === undefined) found[path] = NOT_SET;
  else if (type === 'object' && shape !== undefined && isRecord(value)) describeObject(shape, value, { path, found });
  else if (type === 'array' && element !== undefined && Array.isArray(value))
    describeList(element, value, { path, found });
  else if (type === 'union' && options !== undefined) describeChoice(options, value, { path, found });
  else found[path] = factOf(plain, value);
}

function describeObject(
  shape: Readonly<Record<string, Schema>>,
  value: Readonly<Record<string, unknown>>,
  at: Place,
): void {
  const below = (name: string): string => (at.path === '' ? name : `${at.path}.${name}`);
  for (const [name, each] of Object.entries(shape)) describe(each, value[name], { ...at, path: below(name) });
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(shape, name)).length;
  if (unknown > 0) at.found[below('(unknown settings)')] = unknown;
}

function describeList(element: Schema, values: readonly unknown[], at: Place): void {
  const plain = unwrapped(element);
  if (isShown(plain)) {
    at.found[at.path] = values.slice(0, MOST_ENTRIES).map((each) => scalarOf(plain, each));
    return;
  }
  at.found[`${at.path}.length`] = values.length;
  for (const [index, each] of values.slice(0, MOST_ENTRIES).entries())
    describe(element, each, { ...at, path: `${at.path}.${index}` });
}

/** The chosen variant is the one whose literal values match those written. */
function describeChoice(options: readonly Schema[], value: unknown, at: Place): void {
  const chosen = isRecord(value) ? options.map(unwrapped).find((option) => fits(option, value)) : undefined;
  if (chosen === undefined) at.found[at.path] = SET;
  else describe(chosen, value, at);
}

function fits(option: Schema, value: Readonly<Record<string, unknown>>): boolean {
  const { type, shape = {} } = defOf(option);
  if (type !== 'object') return false;
  return Object.entries(shape).every(([name, each]) => {
    const { type: kind, values } = defOf(unwrapped(each));
    return kind !== 'literal' || values?.includes(value[name]) === true;
  });
}

const factOf = (schema: Schema, value: unknown): SettingFact => (isShown(schema) ? scalarOf(schema, value) : SET);

function scalarOf(schema: Schema, value: unknown): string | number | boolean | null {
  const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return scalar && (schema as z.ZodType).safeParse(value).success ? value : SET;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
