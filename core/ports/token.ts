/**
 * A typed name for a dependency. At run time it is a symbol; its type says what it resolves to, so that a container
 * wired with two tokens swapped does not compile.
 */
export type Token<T> = abstract new (...args: unknown[]) => T;

/** Makes the token of a port. */
export function token<T>(name: string): Token<T> {
  return Symbol.for(`tillgate.${name}`) as unknown as Token<T>;
}
