import { z } from 'zod';
import { TillgateError } from '../../core/index.ts';
import type { ChargeOffer, ChargeOutcome, SentAuthorization } from '../../core/index.ts';

/** The payment requirements of x402 version 2, with the receiver and the exact amount. */
export interface PaymentRequirements {
  readonly scheme: 'exact';
  /** CAIP-2. */
  readonly network: string;
  readonly amount: string;
  /** The token's contract. */
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  /** The domain of the token's signatures (EIP-712). */
  readonly extra: {
    readonly assetTransferMethod: 'eip3009';
    readonly name: string;
    readonly version: string;
    /** A secret that clients send back with the payment: its holder receives the purchase. */
    readonly ticket?: string;
  };
}

/** The resource that is paid for. */
export interface PaidResource {
  readonly url: string;
  readonly description: string;
}

/** A payment as the client sent it. */
export interface SentPayment {
  readonly sent: SentAuthorization;
  /** The secret that the payer received with the requirements; `null` without one. */
  readonly ticket: string | null;
}

/** The longest accepted header, in characters; that of an authorization has about 1,200. */
const LONGEST = 8_192;
const LONGEST_TICKET = 128;
const hex = (bytes: number): z.ZodType<string> =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`))
    .transform((text) => text.toLowerCase());
const uint = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,77})$/)
  .transform(BigInt)
  .refine((value) => value < 2n ** 256n);
const schema = z.object({
  x402Version: z.literal(2),
  accepted: z.object({
    scheme: z.literal('exact'),
    network: z.string(),
    asset: hex(20),
    extra: z.object({ ticket: z.string().max(LONGEST_TICKET).optional() }).optional(),
  }),
  payload: z.object({
    signature: hex(65),
    authorization: z.object({
      from: hex(20),
      to: hex(20),
      value: uint,
      validAfter: uint,
      validBefore: uint,
      nonce: hex(32),
    }),
  }),
});

/** The single way in which an order can be paid. */
export function requirementsOf({ payment, units, terms, secondsLeft }: ChargeOffer): PaymentRequirements {
  const { network, asset, name, version } = terms;
  return {
    scheme: 'exact',
    network,
    amount: units.toString(),
    asset,
    payTo: payment.address,
    maxTimeoutSeconds: secondsLeft,
    extra: { assetTransferMethod: 'eip3009', name, version },
  };
}

/** The value of `PAYMENT-REQUIRED`: base64 of JSON. */
export function paymentRequired(
  resource: PaidResource,
  accepts: readonly PaymentRequirements[],
  error: string,
): string {
  return encode({ x402Version: 2, error, resource: { ...resource, mimeType: 'application/json' }, accepts });
}

/** The value of `PAYMENT-RESPONSE`. */
export function paymentResponse({ mined, txHash, reason }: ChargeOutcome, network: string, payer: string): string {
  return encode({
    success: mined,
    transaction: txHash ?? '',
    network,
    payer,
    ...(mined || reason === null ? {} : { errorReason: reason }),
  });
}

/**
 * Parses the value of `PAYMENT-SIGNATURE`. The signature is normalised: its last byte is 27 or 28.
 *
 * @throws TillgateError `INVALID_FIELDS` naming what is wrong
 */
export function readPayment(header: string): SentPayment {
  const parsed = schema.safeParse(decode(header));
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'the whole of it');
    throw new TillgateError('INVALID_FIELDS', `PAYMENT-SIGNATURE is not valid: ${fields.join(', ')}.`);
  }
  const { accepted, payload } = parsed.data;
  const { value: units, to, ...rest } = payload.authorization;
  const { network, asset, extra } = accepted;
  const authorization = { ...rest, units, signature: canonical(payload.signature) };
  return { sent: { network, asset, to, authorization }, ticket: extra?.ticket ?? null };
}

function canonical(signature: string): string {
  const last = Number.parseInt(signature.slice(-2), 16);
  return last < 2 ? `${signature.slice(0, -2)}${(last + 27).toString(16)}` : signature;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

function decode(header: string): unknown {
  if (header.length > LONGEST) return null;
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  } catch {
    return null;
  }
}
