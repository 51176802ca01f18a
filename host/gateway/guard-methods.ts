/** An object that can be ended after an internal error. */
export interface Abortable {
  abort(error: unknown): void;
}

/** Makes a listener call `abort` instead of throwing: an error in a socket's or timer's event would end the process. */
export function guarded<Parameters extends readonly unknown[]>(
  target: Abortable,
  listener: (...parameters: Parameters) => void,
): (...parameters: Parameters) => void {
  return (...parameters) => {
    try {
      listener(...parameters);
    } catch (error) {
      target.abort(error);
    }
  };
}

/** The same for methods of a class, at no cost for each object. After an error they return false. */
export function guardMethods<T extends Abortable>(
  { prototype }: { readonly prototype: T },
  names: readonly (keyof T & string)[],
): void {
  for (const name of names) {
    const method = prototype[name] as (this: T, ...parameters: unknown[]) => unknown;
    const value = function (this: T, ...parameters: unknown[]): unknown {
      try {
        return method.apply(this, parameters);
      } catch (error) {
        this.abort(error);
        return false;
      }
    };
    Object.defineProperty(prototype, name, { value });
  }
}
