/** An address of mail without quoting, comments or routes: nothing in it separates it from another, or ends a command. */
const ADDRESS = /^[^\s@<>,;:"()[\]\\\p{Cc}]{1,64}@([^\s@<>,;:"()[\]\\\p{Cc}]{1,189})$/u;
const NAMED = /^([^<>"\p{Cc}]{1,100}?)\s*<([^<>]+)>$/u;

/** A sender or receiver. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
  readonly domain: string;
}

/** Reads `shop@example.com` or `Shop <shop@example.com>`; `null` for anything else. */
export function readMailAddress(text: string): MailAddress | null {
  const [, name = '', bare = text] = NAMED.exec(text) ?? [];
  const domain = ADDRESS.exec(bare)?.[1];
  return domain === undefined ? null : { name, address: bare, domain };
}
