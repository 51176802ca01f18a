import type { ChainCode } from '../../core/index.ts';

/** How a payment is handed to a wallet: a link that opens one, and what its camera reads. */
export interface PaymentLink {
  /** `null` where wallets know no scheme for the chain: the code holds the plain address then. */
  readonly href: string | null;
  readonly qr: string;
  /** True for a Lightning payment request, which has no address and holds its amount itself. */
  readonly lightning: boolean;
}

const URI = /^[a-z][a-z0-9+.-]*:/;
const LIGHTNING = 'lightning:';
/** Whatever could run in the page, or read the payer's files. */
const NEVER = /^(?:javascript|data|vbscript|file|blob|about):/i;

/**
 * The link of a payment. A Lightning request is written in capitals in the code, which takes half the room so (BOLT 11,
 * BIP-173); every other URI is shown as the chain gave it, `&lightning=` and all (BIP-21).
 *
 * @param uri - the chain's payment URI, a bare payment request, or a plain address
 */
export function paymentLink(chain: ChainCode, uri: string): PaymentLink {
  const given = chain === 'BLN' && !URI.test(uri) ? `${LIGHTNING}${uri}` : uri;
  const lightning = given.startsWith(LIGHTNING);
  const href = URI.test(given) && !NEVER.test(given) ? given : null;
  return { href, qr: lightning ? given.toUpperCase() : given, lightning };
}
