/** The package that an import did not find, an optional peer of this one; `null` for any other error. */
export function missingPeer(error: unknown): string | null {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') return null;
  const [, specifier] = /^Cannot find package '([^']+)' imported from /.exec(error.message) ?? [];
  // Of `@noble/hashes/sha2.js` npm installs `@noble/hashes`.
  return specifier === undefined ? null : (/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? null);
}

/** What to do about it, in words. */
export function missingPeerWords(peer: string, what: string): string {
  return `tillgate needs ${peer} for ${what}: npm install ${peer}. The package @tillgate/server brings everything that a server needs.`;
}
