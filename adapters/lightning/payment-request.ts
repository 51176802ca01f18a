import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import { decode } from 'light-bolt11-decoder';
import { TillgateError } from '../../core/index.ts';
import type { CreatedInvoice, DecodedInvoice } from '../../core/index.ts';
import { KeyRecovery } from '../crypto/key-recovery.ts';

/** Network names of the nodes, with the prefix of their payment requests (BOLT 11). */
export const PREFIXES: Readonly<Record<string, string>> = {
  mainnet: 'bc',
  testnet: 'tb',
  testnet4: 'tb',
  signet: 'tbs',
  regtest: 'bcrt',
  simnet: 'sb',
};
/** Far longer than a payment request with many route hints. */
export const MAX_LENGTH = 7_089;
/** A payment secret of 256 bits. */
export const SECRET_WORDS = 52;
const SIGNATURE_WORDS = 104;
const TIMESTAMP_WORDS = 7;
/** Payment hash, payment secret, description hash and payee, by their tags. */
const FIELD_WORDS: Readonly<Record<number, number>> = { 1: 52, 16: SECRET_WORDS, 23: 52, 19: 53 };
const DEFAULT_EXPIRY_SECONDS = 3_600;
/** The largest valid expiry: some 30,000 years. */
const MAX_EXPIRY_SECONDS = 1e12;
const KEYS = new KeyRecovery();
const HASH = /^[0-9a-f]{64}$/;
const KEY = /^0[23][0-9a-f]{64}$/;

/** The error for a refused payment request (40007). */
export function invoiceRefused(reason: string): TillgateError {
  return new TillgateError('INVOICE_INVALID', `The Lightning invoice ${reason}.`);
}

/**
 * Reads a BOLT 11 payment request: its form, checksum, network and signature are checked, its expiry is not.
 *
 * @param network - as lnd names it: `mainnet`, `testnet`, `testnet4`, `signet`, `regtest`, `simnet`
 * @throws TillgateError `INVOICE_INVALID`
 */
export function readPaymentRequest(text: string, network: string): DecodedInvoice {
  const request = bareRequest(text);
  const { invoice, payee } = partsOn(network, text, request);
  return { ...invoice, payee: signerOf(request, payee) };
}

/**
 * True if a node's new invoice asks for this amount under the payment hash that the node reports. Its signature is left to
 * the payer's wallet: whoever can answer for the node can sign for it.
 */
export function asksFor({ paymentHash, paymentRequest }: CreatedInvoice, msat: bigint, network: string): boolean {
  const { invoice } = partsOn(network, paymentRequest, bareRequest(paymentRequest));
  return invoice.paymentHash === paymentHash && invoice.msat === msat;
}

/** The parts of a payment request that must be of this network. */
function partsOn(network: string, text: string, request: string): Parts {
  if (request.startsWith('lnurl') || request.includes('@'))
    throw invoiceRefused('is an LNURL or a Lightning address; only BOLT 11 payment requests are supported');
  if (!request.startsWith('ln')) throw invoiceRefused('is not a BOLT 11 payment request');
  // bech32 allows no mixed case.
  if (
    request.length > MAX_LENGTH ||
    (text.trim() !== text.trim().toLowerCase() && text.trim() !== text.trim().toUpperCase())
  ) {
    throw invoiceRefused('cannot be read');
  }
  const parts = readParts(request);
  if (parts.prefix !== PREFIXES[network]) throw invoiceRefused(`is of another network than this node’s, ${network}`);
  return parts;
}

/** The amount that a payment request of any network names; `null` where it names none, or cannot be read. */
export function requestedMsat(text: string): bigint | null {
  try {
    return readParts(bareRequest(text)).invoice.msat;
  } catch {
    return null;
  }
}

/** A payment request in lower case, without the scheme of a link. */
export function bareRequest(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^lightning:/, '');
}

interface Parts {
  readonly prefix: string;
  readonly payee: string | null;
  readonly invoice: Omit<DecodedInvoice, 'payee'>;
}

function readParts(request: string): Parts {
  const sections = sectionsOf(request);
  // A field with a wrong length is skipped (BOLT 11); of a repeated one the first counts.
  const text = (name: string, fits: RegExp): string | null => {
    const found = sections.find(
      (section) => section.name === name && typeof section.value === 'string' && fits.test(section.value),
    );
    return found === undefined ? null : (found.value as string);
  };
  const number = (name: string): number | null => {
    const found = sections.find((section) => section.name === name)?.value;
    return typeof found === 'number' ? found : null;
  };
  const paymentHash = text('payment_hash', HASH);
  const seconds = number('timestamp');
  if (paymentHash === null || seconds === null) throw invoiceRefused('has no payment hash');
  const amount = text('amount', /^\d+$/);
  if (amount === '0') throw invoiceRefused('asks for an amount of 0');
  const lifetime = Math.min(number('expiry') ?? DEFAULT_EXPIRY_SECONDS, MAX_EXPIRY_SECONDS);
  return {
    prefix: sections.find(({ name }) => name === 'coin_network')?.letters ?? '',
    payee: text('payee', KEY),
    invoice: {
      paymentHash,
      paymentAddr: text('payment_secret', HASH) ?? '',
      msat: amount === null ? null : BigInt(amount),
      expiresAt: (seconds + lifetime) * 1000,
      description: text('description', /^/) ?? '',
    },
  };
}

interface Section {
  readonly name: string;
  readonly letters?: string;
  readonly value?: unknown;
}

function sectionsOf(request: string): readonly Section[] {
  try {
    const { prefix, words } = bech32.decode(request as `${string}1${string}`, MAX_LENGTH);
    return decode(bech32.encode(prefix, withoutOddFields(words), MAX_LENGTH)).sections;
  } catch (error) {
    // The library's message for a fraction of a millisatoshi; any other error means invalid text.
    const fraction = error instanceof Error && error.message.startsWith('Amount is outside');
    throw invoiceRefused(fraction ? 'has an amount that is not a whole number of millisatoshi' : 'cannot be read');
  }
}

/** A tagged field, in five-bit words. */
export interface TaggedField {
  readonly tag: number;
  /** The field's data. */
  readonly words: readonly number[];
  /** The field's tag, length and data. */
  readonly whole: readonly number[];
}

/** The tagged fields between the timestamp and the signature, in their order. */
export function taggedFields(words: readonly number[]): readonly TaggedField[] {
  const end = words.length - SIGNATURE_WORDS;
  const fields: TaggedField[] = [];
  for (let at = TIMESTAMP_WORDS, next = at; at < end; at = next) {
    const [tag = 0, high = 0, low = 0] = words.slice(at, at + 3);
    next = Math.min(at + 3 + high * 32 + low, end);
    fields.push({ tag, words: words.slice(at + 3, next), whole: words.slice(at, next) });
  }
  return fields;
}

/** Removes hashes, keys and secrets with a wrong length, which BOLT 11 skips and the library refuses. */
function withoutOddFields(words: readonly number[]): number[] {
  const kept = taggedFields(words).filter(({ tag, words: data }) => (FIELD_WORDS[tag] ?? data.length) === data.length);
  return [
    ...words.slice(0, TIMESTAMP_WORDS),
    ...kept.flatMap(({ whole }) => whole),
    ...words.slice(Math.max(words.length - SIGNATURE_WORDS, 0)),
  ];
}

/**
 * The key that signed: the one in the request, which must verify the signature, or else the one recovered from the
 * signature (BOLT 11, "Signature").
 */
function signerOf(request: string, named: string | null): string {
  const { prefix, words } = bech32.decode(request as `${string}1${string}`, MAX_LENGTH);
  const digest = createHash('sha256')
    .update(prefix, 'utf8')
    .update(packed(words.slice(0, -SIGNATURE_WORDS)))
    .digest();
  const signature = packed(words.slice(-SIGNATURE_WORDS));
  try {
    const recovered = KEYS.recover(digest, { compact: signature.subarray(0, 64), recoveryId: signature[64] ?? 0 });
    if (named === null || named === recovered) return recovered;
  } catch {
    throw invoiceRefused('has a signature that does not verify');
  }
  throw invoiceRefused('is not signed by its payee');
}

/** Five-bit words to bytes, padded with zeros. */
function packed(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil((words.length * 5) / 8));
  for (const [at, word] of words.entries()) {
    for (let bit = 0; bit < 5; bit++) {
      const place = at * 5 + bit;
      if ((word >> (4 - bit)) & 1) bytes[place >> 3] = (bytes[place >> 3] ?? 0) | (0x80 >> (place & 7));
    }
  }
  return bytes;
}
