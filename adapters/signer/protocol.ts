import { z } from 'zod';

/** The version of the messages between a server and its signer; each names it, and another is refused. */
export const SIGNER_PROTOCOL = 1;

/** The longest request: a transaction of a few thousand coins. */
export const MAX_REQUEST_BYTES = 2_000_000;
export const MAX_REPLY_BYTES = 2_000_000;

const version = z.literal(SIGNER_PROTOCOL);

/** The requests of a server to a signer, sent by `POST /`. */
export const requestSchema = z.discriminatedUnion('ask', [
  z.strictObject({ version, ask: z.literal('status') }),
  z.strictObject({ version, ask: z.literal('public-key'), path: z.string().max(100) }),
  z.strictObject({
    version,
    ask: z.literal('sign'),
    /** Read strictly by the family's builder. */
    intent: z.looseObject({ family: z.string().max(32), chain: z.string().max(32) }),
  }),
]);

const hex64 = z.string().regex(/^[0-9a-f]{128}$/);

/** The replies of a signer. */
export const replySchemas = {
  status: z.object({ version, stopped: z.string().nullable(), chains: z.array(z.string()) }),
  'public-key': z.object({ version, key: z.string() }),
  sign: z.object({
    version,
    signatures: z.array(z.object({ bytes: hex64, recovery: z.union([z.literal(0), z.literal(1)]) })),
  }),
} as const;

/** A refusal: the code of a {@link TillgateError} and its message. */
export const refusalSchema = z.object({
  error: z.object({
    code: z.enum(['SIGNING_REFUSED', 'SIGNER_UNAVAILABLE']),
    message: z.string(),
    reason: z.string().optional(),
  }),
});

export type SignerRequest = z.output<typeof requestSchema>;
export type SignerReplies = { readonly [Ask in keyof typeof replySchemas]: z.output<(typeof replySchemas)[Ask]> };
