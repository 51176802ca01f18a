/**
 * Asserts a condition. A false one is a defect of this program, never of its input.
 *
 * @throws Error when the condition does not hold
 */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${message}`);
}

/** Makes the compiler check that every case of a union is handled. */
export function unreachable(value: never): never {
  throw new Error(`Assertion failed: unexpected value ${JSON.stringify(value)}`);
}

/** The value, which must not be null or undefined. */
export function present<T>(value: T | null | undefined, name: string): T {
  assert(value !== null && value !== undefined, `${name} is missing`);
  return value;
}
