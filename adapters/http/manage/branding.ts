import { LOGO_TYPES, MAX_LOGO_BYTES } from '../../../core/index.ts';
import type { Branding } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import { accountExample } from './accounts.ts';
import { accountQuery, expectedVersion, inputOf } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant, time } from './reply-fields.ts';

const MAX_TEXT = 256;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MAX_BASE64 = 4 * Math.ceil(MAX_LOGO_BYTES / 3);
const NAME = 'What payers know the account by: visible characters, and no name that another account has';
const COLOUR = 'Of buttons and links, #rrggbb; it is made darker or lighter where text would not be readable';
const SUPPORT = 'Where payers ask: a mail address or an https URL';

export const brandingSchema = z
  .object({
    account_id: id('The account'),
    name: z.string().nullable().meta({ description: NAME }),
    colour: z.string().nullable().meta({ description: COLOUR }),
    support: z.string().nullable().meta({ description: SUPPORT }),
    logo: z
      .object({
        type: z.enum(LOGO_TYPES),
        path: z.string().meta({ description: 'Where the till serves it, below its base URL' }),
      })
      .nullable(),
    version: z
      .number()
      .meta({ type: 'integer', minimum: 1, description: 'Counts the changes; a change wants it in If-Match' }),
    updated_at: instant('The last change').nullable(),
  })
  .meta({ id: 'Branding' });

type BrandingRecord = z.input<typeof brandingSchema>;

const brandingRecord = (branding: Branding): BrandingRecord => {
  const { accountId, name, colour, support, logo, version, updatedAt } = branding;
  return {
    account_id: accountId,
    name,
    colour,
    support,
    logo: logo === null ? null : { type: logo.type, path: `/checkout/logos/${logo.id}` },
    version,
    updated_at: time(updatedAt === 0 ? null : updatedAt),
  };
};

/** Bytes of a picture as base64; whether they are one is decided in core. */
const logo = z
  .string({ error: 'must be a picture as base64' })
  .max(MAX_BASE64, { error: `must have at most ${MAX_LOGO_BYTES} bytes` })
  .regex(BASE64, { error: 'must be a picture as base64' })
  .transform((data): Uint8Array => Uint8Array.from(atob(data), (character) => character.charCodeAt(0)))
  .meta({ description: `A PNG, JPEG or WebP picture of at most ${MAX_LOGO_BYTES} bytes, as base64` });

const example: BrandingRecord = {
  account_id: accountExample.id,
  name: 'Corner Shop',
  colour: '#0a5bab',
  support: 'help@shop.example',
  logo: null,
  version: 2,
  updated_at: accountExample.created_at,
};

/** How the payer's page presents an account (decisions, section 15). */
export const brandingOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getBranding',
    method: 'GET',
    path: '/branding',
    summary: 'How payers see an account',
    description:
      "Name, colour, support address and logo of the payer's page. Your own account; an admin may name another.",
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: brandingSchema,
    examples: { data: example },
    handler: async ({ actor, query }, { manage }) =>
      brandingRecord(await manage.branding.find(actor, query.account_id)),
  }),
  manageOperation({
    id: 'updateBranding',
    method: 'PATCH',
    path: '/branding',
    summary: 'Change how payers see an account',
    description:
      'In a raised session, for payers trust what they see; the owner of the account is told. Wants the version of the record in If-Match: without it 428, a stale one 412. What is left out stays; null takes it away.',
    versioned: true,
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'VERSION_MISMATCH', 'PRECONDITION_REQUIRED'],
    query: accountQuery,
    body: z.object({
      name: text(MAX_TEXT, NAME).nullable().optional(),
      colour: text(7, COLOUR).nullable().optional(),
      support: text(MAX_TEXT, SUPPORT).nullable().optional(),
      logo: logo.nullable().optional(),
    }),
    data: brandingSchema,
    examples: { body: { name: 'Corner Shop', support: 'help@shop.example' }, data: example },
    handler: async ({ actor, query, request, body }, { manage }) =>
      brandingRecord(await manage.branding.update(actor, query.account_id, expectedVersion(request), inputOf(body))),
  }),
];
