import { present } from '../../core/index.ts';
import type { Ports } from '../../core/index.ts';

/** Who gets a part: only the recipes after it, or the host too. */
type Audience = 'recipes' | 'host';

interface Recipe<Parts> {
  readonly audience: Audience;
  readonly make: (parts: Parts) => unknown;
}

/** An object with one part. */
export type Named<Name extends string, Part> = { readonly [Key in Name]: Part };

/**
 * The recipes of parts by name. A recipe can use the given values and the parts before it, so there are no cycles.
 *
 * @typeParam Parts - the given values and all parts
 * @typeParam HostParts - the parts that the host gets
 */
export class Recipes<Parts, HostParts = unknown> {
  readonly #recipes: ReadonlyMap<string, Recipe<Parts>>;

  constructor(recipes: ReadonlyMap<string, Recipe<Parts>> = new Map()) {
    this.#recipes = recipes;
  }

  /** Adds the till's own implementation of a port. The host gets the ports. */
  port<Name extends Exclude<keyof Ports, keyof Parts>>(
    name: Name,
    make: (parts: Parts) => Ports[Name],
  ): Recipes<Parts & Pick<Ports, Name>, HostParts & Pick<Ports, Name>> {
    return this.#add<Pick<Ports, Name>, Pick<Ports, Name>>(name, 'host', make);
  }

  /** Adds a part that only recipes use. */
  inner<Name extends string, Part>(
    name: Exclude<Name, keyof Parts>,
    make: (parts: Parts) => Part,
  ): Recipes<Parts & Named<Name, Part>, HostParts> {
    return this.#add<Named<Name, Part>>(name, 'recipes', make);
  }

  /** Adds a part that the server, the workers or the commands use. */
  part<Name extends string, Part>(
    name: Exclude<Name, keyof Parts>,
    make: (parts: Parts) => Part,
  ): Recipes<Parts & Named<Name, Part>, HostParts & Named<Name, Part>> {
    return this.#add<Named<Name, Part>, Named<Name, Part>>(name, 'host', make);
  }

  get names(): readonly (keyof Parts)[] {
    return this.#namesFor('recipes', 'host') as (keyof Parts)[];
  }

  make<Name extends keyof Parts>(name: Name, parts: Parts): Parts[Name] {
    const recipe = present(this.#recipes.get(String(name)), `the recipe of ${String(name)}`);
    return recipe.make(parts) as Parts[Name];
  }

  hostPartsOf(parts: Parts): HostParts {
    return select(parts, this.#namesFor('host')) as HostParts;
  }

  #add<Added, ForHost = unknown>(
    name: string,
    audience: Audience,
    make: (parts: Parts) => unknown,
  ): Recipes<Parts & Added, HostParts & ForHost> {
    return new Recipes<Parts & Added, HostParts & ForHost>(new Map([...this.#recipes, [name, { audience, make }]]));
  }

  #namesFor(...audiences: readonly Audience[]): readonly string[] {
    return [...this.#recipes].filter(([, { audience }]) => audiences.includes(audience)).map(([name]) => name);
  }
}

function select(parts: unknown, names: readonly string[]): unknown {
  return Object.fromEntries(names.map((name) => [name, (parts as Readonly<Record<string, unknown>>)[name]]));
}
