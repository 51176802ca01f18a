/** A typed name for a dependency: a symbol with the dependency's type, so that swapped tokens do not compile. */
export type Token<T> = abstract new (...args: unknown[]) => T;

/** Creates the token of a port. */
export function token<T>(name: string): Token<T> {
  return Symbol.for(`tillgate.${name}`) as unknown as Token<T>;
}
