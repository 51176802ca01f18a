import type { ChainCode } from '../../core/index.ts';

/** A payment for a wallet: a link that opens one, and the text of the QR code. */
export interface PaymentLink {
  /** `null` if wallets know no scheme for the chain: the code then contains the plain address. */
  readonly href: string | null;
  readonly qr: string;
  /** True for a Lightning payment request, which has no address and contains its amount. */
  readonly lightning: boolean;
}

const URI = /^[a-z][a-z0-9+.-]*:/;
const LIGHTNING = 'lightning:';
/** Schemes that could run script in the page, or read the payer's files. */
const NEVER = /^(?:javascript|data|vbscript|file|blob|about):/i;

/**
 * The link of a payment. In the code a Lightning request is written in capitals, which halves its size (BOLT 11,
 * BIP-173); every other URI is shown exactly as the chain gave it, including `&lightning=` (BIP-21).
 *
 * @param uri - the chain's payment URI, a bare payment request, or a plain address
 */
export function paymentLink(chain: ChainCode, uri: string): PaymentLink {
  const given = chain === 'BLN' && !URI.test(uri) ? `${LIGHTNING}${uri}` : uri;
  const lightning = given.startsWith(LIGHTNING);
  const href = URI.test(given) && !NEVER.test(given) ? given : null;
  return { href, qr: lightning ? given.toUpperCase() : given, lightning };
}
