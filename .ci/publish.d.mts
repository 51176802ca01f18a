/** A packed package, to be published. */
export interface Packed {
  readonly name: string;
  readonly version: string;
  /** The path of its tarball. */
  readonly tarball: string;
}
/** How npm is run, in which folder and with which variables, and the flags that go on to `npm publish`. */
export interface PublishOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly flags?: readonly string[];
}
/**
 * Publishes tarballs in the order given.
 *
 * @returns the names of those that the registry did not have
 * @throws Error where the registry has another tarball of that version
 */
export function publish(packages: readonly Packed[], options?: PublishOptions): string[];
