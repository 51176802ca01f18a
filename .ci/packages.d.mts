/** A published package, see packages.mjs. */
export interface Package {
  readonly name: string;
  readonly description: string;
  /** The source of each entry point, relative to the repository. */
  readonly entries: Readonly<Record<string, string>>;
  /** Further entry points, each the whole of another package. */
  readonly forwards: Readonly<Record<string, string>>;
  readonly bin: string | null;
  readonly dependencies: readonly string[];
  readonly peers: readonly string[];
  readonly files: readonly string[];
  readonly readme: string;
  /** Further documents and files for its users, or folders of them, at their paths in the repository. */
  readonly documents: readonly string[];
}
export const PACKAGES: readonly Package[];
export const repository: string;
/** The repository as package.json names it; undefined without an address. */
export const source: { readonly url: string } | undefined;
export function folderOf(each: Package): string;
export function entryFile(entry: string): string;
export function outsideOf(each: Package): readonly string[];
export function manifestOf(each: Package, from?: { readonly url: string }): Readonly<Record<string, unknown>>;
/** Whether a package is one of these. */
export function isOurs(name: string): boolean;
/** The version of a package that the tests use. */
export function tested(name: string): string;
