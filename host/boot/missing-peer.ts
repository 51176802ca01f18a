/** The name of an optional peer package that an import did not find; `null` for any other error. */
export function missingPeer(error: unknown): string | null {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') return null;
  const [, specifier] = /^Cannot find package '([^']+)' imported from /.exec(error.message) ?? [];
  // The package of `@noble/hashes/sha2.js` is `@noble/hashes`.
  return specifier === undefined ? null : (/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? null);
}

/** An error message with the command that installs the package. */
export function missingPeerWords(peer: string, what: string): string {
  return `tillgate needs ${peer} for ${what}: npm install ${peer}. The package @tillgate/server brings everything that a server needs.`;
}
