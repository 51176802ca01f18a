import { assert } from '../../core/index.ts';
import type { Operation } from './operation.ts';

/** The operations of one path, by method, and the values of its path parameters. */
export interface RouteMatch {
  readonly methods: ReadonlyMap<string, Operation>;
  readonly params: Readonly<Record<string, string>>;
}

interface Template {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly methods: Map<string, Operation>;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};
const PLACE = /\{(\w+)\}/g;

/**
 * Finds the operations of a path: fixed paths with one look-up, then templates. Paths are compared as sent, without
 * decoding, so that each resource has exactly one spelling, which signatures cover.
 */
export class HttpRouter {
  readonly #fixed = new Map<string, Map<string, Operation>>();
  readonly #templates: Template[] = [];

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      for (const path of [operation.path, ...operation.aliases]) this.#add(path, operation);
    }
  }

  /** @returns `null` for a path without an operation */
  find(path: string): RouteMatch | null {
    const methods = this.#fixed.get(path);
    if (methods !== undefined) return { methods, params: NO_PARAMS };
    for (const { pattern, names, methods: found } of this.#templates) {
      const match = pattern.exec(path);
      if (match !== null)
        return { methods: found, params: Object.fromEntries(names.map((name, at) => [name, match[at + 1] as string])) };
    }
    return null;
  }

  #add(path: string, operation: Operation): void {
    const methods = this.#methodsOf(path);
    assert(!methods.has(operation.method), `${operation.method} ${path} is in the table twice`);
    methods.set(operation.method, operation);
    // HEAD is GET without its body (RFC 9110, section 9.3.2).
    if (operation.method === 'GET') methods.set('HEAD', operation);
  }

  #methodsOf(path: string): Map<string, Operation> {
    const names = [...path.matchAll(PLACE)].map((match) => match[1] as string);
    if (names.length === 0) return getOrAdd(this.#fixed, path);
    const pattern = new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(PLACE, '([^/]+)')}$`);
    const known = this.#templates.find((template) => template.pattern.source === pattern.source);
    if (known !== undefined) return known.methods;
    const methods = new Map<string, Operation>();
    this.#templates.push({ pattern, names, methods });
    return methods;
  }
}

function getOrAdd(map: Map<string, Map<string, Operation>>, path: string): Map<string, Operation> {
  const methods = map.get(path) ?? new Map<string, Operation>();
  map.set(path, methods);
  return methods;
}
