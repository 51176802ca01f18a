import fc from 'fast-check';
import type { Seeded } from './seeded.ts';

/** A schema of JSON Schema 2020-12, as far as our document uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly examples?: readonly unknown[];
}

const TEXT = 'abc XYZ019-_.@:/éß漢😀"\\\u0000';
const DEEPEST = 6;

/** Makes values by the schemas of one document. */
export class BySchema {
  readonly #random: Seeded;
  readonly #root: unknown;

  constructor(random: Seeded, root: unknown) {
    this.#random = random;
    this.#root = root;
  }

  /** A value that the schema allows, as far as the schema says it. */
  valid(given: Schema, depth = 0): unknown {
    const random = this.#random;
    const schema = this.#resolved(given);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return random.pick(schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) return this.valid(random.pick(choices), depth + 1);
    if (schema.allOf !== undefined)
      return Object.assign({}, ...schema.allOf.map((part) => this.valid(part, depth + 1))) as unknown;
    if (schema.examples !== undefined && schema.examples.length > 0 && random.oneIn(2))
      return random.pick(schema.examples);
    const types =
      typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['string', 'object', 'number', 'null']);
    return this.#ofType(random.pick(types), schema, depth);
  }

  /** The value with something in it that may be against the schema. */
  spoilt(value: unknown, depth = 0): unknown {
    const random = this.#random;
    const inside = typeof value === 'object' && value !== null && depth < DEEPEST && !random.oneIn(6);
    if (!inside)
      return random.pick([
        null,
        true,
        -1,
        0,
        1e21,
        0.1,
        '',
        'x',
        '\u0000',
        [],
        {},
        ['x'],
        { x: 1 },
        'x'.repeat(5_000),
        '1e400',
        '-1',
        Number.MAX_SAFE_INTEGER + 2,
      ]);
    if (Array.isArray(value))
      return random.oneIn(2)
        ? [...(value as unknown[]), this.spoilt(null, DEEPEST)]
        : value.map((item) => this.spoilt(item, depth + 1));
    const entries = Object.entries(value);
    const at = random.below(entries.length + 1);
    if (at === entries.length)
      return { ...value, [random.pick(['unknown', '__proto__', 'constructor', ''])]: this.spoilt(null, DEEPEST) };
    const [name, inner] = entries[at] as [string, unknown];
    if (random.oneIn(3)) return Object.fromEntries(entries.filter(([key]) => key !== name));
    return { ...value, [name]: this.spoilt(inner, depth + 1) };
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    let found = this.#root;
    for (const part of schema.$ref.replace('#/', '').split('/')) found = (found as Record<string, unknown>)[part];
    return this.#resolved(found as Schema);
  }

  #ofType(type: string, schema: Schema, depth: number): unknown {
    const random = this.#random;
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return random.oneIn(2);
      case 'integer':
        return this.#number(schema, true);
      case 'number':
        return this.#number(schema, random.oneIn(2));
      case 'array': {
        const least = schema.minItems ?? 0;
        const length = Math.min(least + random.below(3), schema.maxItems ?? 99);
        return Array.from({ length }, () => this.valid(schema.items ?? {}, depth + 1));
      }
      case 'object': {
        const names = Object.keys(schema.properties ?? {}).filter(
          (name) => schema.required?.includes(name) === true || (depth < DEEPEST && random.oneIn(2)),
        );
        return Object.fromEntries(names.map((name) => [name, this.valid(schema.properties?.[name] ?? {}, depth + 1)]));
      }
      default:
        return this.#text(schema);
    }
  }

  #number({ minimum, maximum, exclusiveMinimum }: Schema, whole: boolean): number {
    const from = minimum ?? (exclusiveMinimum === undefined ? 0 : exclusiveMinimum + (whole ? 1 : 0.01));
    const to = Math.min(maximum ?? from + 1_000, from + 1_000_000);
    const value = from + this.#random.unit() * (to - from);
    return whole ? Math.floor(value) : Math.round(value * 100) / 100;
  }

  #text({ pattern, minLength = 0, maxLength = 60 }: Schema): string {
    const text = this.#random.text(Math.min(minLength + this.#random.below(20), maxLength), TEXT);
    if (pattern === undefined || new RegExp(pattern).test(text)) return text;
    return (
      fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 1, seed: this.#random.below(2 ** 31) })[0] ?? ''
    );
  }
}
