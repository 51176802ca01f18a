import { LOGO_TYPES, MAX_LOGO_BYTES } from '../../../../core/index.ts';
import type { Branding } from '../../../../core/index.ts';
import { z } from 'zod';
import { text } from '../../fields.ts';
import { accountExample } from '../access/accounts.ts';
import { accountQuery, expectedVersion, inputOf } from '../fields.ts';
import { apiOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, time } from '../reply-fields.ts';

const MAX_TEXT = 256;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MAX_BASE64 = 4 * Math.ceil(MAX_LOGO_BYTES / 3);
const NAME = 'Name shown to payers: visible characters only, and not the name of another account';
const COLOUR = 'Colour of buttons and links as #rrggbb; adjusted where text would be unreadable';
const SUPPORT = 'Contact for payers: an email address or an https URL';

export const brandingSchema = z
  .object({
    account: id('ID of the account'),
    name: z.string().nullable().meta({ description: NAME }),
    colour: z.string().nullable().meta({ description: COLOUR }),
    support: z.string().nullable().meta({ description: SUPPORT }),
    logo: z
      .object({
        type: z.enum(LOGO_TYPES),
        path: z.string().meta({ description: 'Path of the logo below the base URL' }),
      })
      .nullable(),
    version: z.number().meta({
      type: 'integer',
      minimum: 1,
      description: 'Version of the record; send it in If-Match to change the record',
    }),
    updated_at: instant('Time of the last change').nullable(),
  })
  .meta({ id: 'Branding' });

type BrandingRecord = z.input<typeof brandingSchema>;

const brandingRecord = (branding: Branding): BrandingRecord => {
  const { accountId, name, colour, support, logo, version, updatedAt } = branding;
  return {
    account: accountId,
    name,
    colour,
    support,
    logo: logo === null ? null : { type: logo.type, path: `/checkout/logos/${logo.id}` },
    version,
    updated_at: time(updatedAt === 0 ? null : updatedAt),
  };
};

/** The bytes of a picture as base64; the use case checks that they are one. */
const logo = z
  .string({ error: 'must be a picture as base64' })
  .max(MAX_BASE64, { error: `must have at most ${MAX_LOGO_BYTES} bytes` })
  .regex(BASE64, { error: 'must be a picture as base64' })
  .transform((data): Uint8Array => Uint8Array.from(atob(data), (character) => character.charCodeAt(0)))
  .meta({ description: `PNG, JPEG or WebP image of at most ${MAX_LOGO_BYTES} bytes, as base64` });

const example: BrandingRecord = {
  account: accountExample.id,
  name: 'Corner Shop',
  colour: '#0a5bab',
  support: 'help@shop.example',
  logo: null,
  version: 2,
  updated_at: accountExample.created_at,
};

/** The operations of an account's branding of the payer's page. */
export const brandingOperations: readonly ManageOperation[] = [
  apiOperation({
    offer: { name: 'branding.get', scope: null },
    id: 'getBranding',
    method: 'GET',
    path: '/branding',
    summary: 'Retrieve branding',
    description:
      'Returns the name, colour, contact and logo of the checkout page. Defaults to your own account; admins can name another.',
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: brandingSchema,
    examples: { data: example },
    handler: async ({ actor, query }, { manage }) => brandingRecord(await manage.branding.find(actor, query.account)),
  }),
  apiOperation({
    offer: { name: 'branding.update', scope: null },
    id: 'updateBranding',
    method: 'PATCH',
    path: '/branding',
    summary: 'Update branding',
    description:
      'Changes the branding of the checkout page and notifies the owner of the account. Requires a step-up, because payers trust this page, and the version of the record in If-Match: 428 if it is missing, 412 if it is out of date. Omitted fields stay unchanged; null removes a value.',
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
      brandingRecord(await manage.branding.update(actor, query.account, expectedVersion(request), inputOf(body))),
  }),
];
