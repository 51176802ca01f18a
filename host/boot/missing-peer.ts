/** What an import says, what `require` says, and knex, which loads the driver of a database by it. */
const FORMS: readonly RegExp[] = [
  /^Cannot find package '([^']+)' imported from /,
  /^Cannot find module '([^'./][^']*)'\nRequire stack:/,
  /^Knex: run\n\$ npm install ([\w@/.-]+)(?: --save)?\nCannot find module /,
];

/** The name of an optional peer package that an import did not find; `null` for any other error. */
export function missingPeer(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const [, specifier] = FORMS.map((form) => form.exec(error.message)).find((found) => found !== null) ?? [];
  // The package of `@noble/hashes/sha2.js` is `@noble/hashes`.
  return specifier === undefined ? null : (/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? null);
}

/** An error message with the command that installs the package. */
export function missingPeerWords(peer: string, what: string): string {
  return `tillgate needs ${peer} for ${what}: npm install ${peer}. The package @tillgate/server brings everything that a server needs.`;
}
