import { bech32 } from '@scure/base';
import type { DecodedInvoice } from '../../core/index.ts';
import {
  MAX_LENGTH,
  SECRET_WORDS,
  bareRequest,
  invoiceRefused,
  readPaymentRequest,
  taggedFields,
} from './payment-request.ts';
import type { TaggedField } from './payment-request.ts';

/** Tags of BOLT 11: payment secret, features, least CLTV delta of the last hop; and the blinded paths of bLIP 39. */
const TAGS = { secret: 16, features: 5, finalCltv: 24, blindedPath: 20 } as const;
/**
 * The features that lnd, Core Lightning and phoenixd support when an invoice requires them: variable onions, payment
 * secrets, multi-part payments, blinded routes, payment metadata (BOLT 9), and blinded paths in BOLT 11 (bLIP 39).
 */
const KNOWN_REQUIRED: ReadonlySet<number> = new Set([8, 14, 16, 24, 48, 262]);
/** AMP, required or offered: lnd refuses both unless the payer asks for AMP, and the other nodes have none. */
const AMP: readonly number[] = [30, 31];
/**
 * The time lock of a whole route is at most 2016 blocks by default (lnd `max-cltv-expiry`, Core Lightning `maxdelay`), and lnd adds
 * three blocks to the delta of the last hop before it compares.
 */
const MOST_FINAL_CLTV = 2_016 - 3 - 1;
const BITS_OF_A_WORD = 5;

/**
 * Reads a payment request that is to be paid. A request that no supported node can pay is refused before anything is
 * reserved for it: nodes refuse it before they register a payment, each with another message, and the invoice may be
 * valid for years.
 *
 * @throws TillgateError `INVOICE_INVALID`; also as {@link readPaymentRequest}
 */
export function readPayableRequest(text: string, network: string): DecodedInvoice {
  const invoice = readPaymentRequest(text, network);
  const { words } = bech32.decode(bareRequest(text) as `${string}1${string}`, MAX_LENGTH);
  const obstacle = obstacleIn(taggedFields(words));
  if (obstacle !== null) throw invoiceRefused(obstacle);
  return invoice;
}

function obstacleIn(fields: readonly TaggedField[]): string | null {
  const first = (tag: number): readonly number[] => fields.find((field) => field.tag === tag)?.words ?? [];
  const features = bitsOf(first(TAGS.features));
  if (AMP.some((bit) => features.includes(bit)))
    return 'is for an AMP payment, which cannot be made here; ask the receiver for an ordinary one';
  const unknown = features.find((bit) => bit % 2 === 0 && !KNOWN_REQUIRED.has(bit));
  if (unknown !== undefined)
    return `requires feature ${unknown} of its payer, which is not supported; ask the receiver for an ordinary one`;
  const cltv = first(TAGS.finalCltv).reduce((sum, word) => sum * 32 + word, 0);
  if (cltv > MOST_FINAL_CLTV)
    return `requires a final CLTV delta of ${cltv} blocks; at most ${MOST_FINAL_CLTV} can be given`;
  const isSecured = fields.some(
    ({ tag, words }) => (tag === TAGS.secret && words.length === SECRET_WORDS) || tag === TAGS.blindedPath,
  );
  return isSecured
    ? null
    : 'has neither a payment secret nor a blinded path, and nodes pay only invoices with one of them';
}

/** The numbers of the bits that are set; the last bit of the field is bit 0. */
function bitsOf(words: readonly number[]): readonly number[] {
  const set: number[] = [];
  for (const [at, word] of [...words].reverse().entries())
    for (let bit = 0; bit < BITS_OF_A_WORD; bit++) if ((word >> bit) & 1) set.push(at * BITS_OF_A_WORD + bit);
  return set;
}
