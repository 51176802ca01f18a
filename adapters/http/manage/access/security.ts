import { formatInstant, recordNotFound } from '../../../../core/index.ts';
import type { DemandName, SecurityRecord } from '../../../../core/index.ts';
import { z } from 'zod';
import { text } from '../../fields.ts';
import { factorCode, accountQuery, inputOf, word, yesNo } from '../fields.ts';
import { manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant } from '../reply-fields.ts';

/** The names in the API of the protections that an account may demand. */
const FIELDS = { dataSecurity: 'data_security', totpForWithdrawals: 'totp_for_payouts' } as const satisfies Record<
  DemandName,
  string
>;

export const securitySchema = z
  .object({
    account: id('ID of the account'),
    data_security: z.boolean().meta({ description: 'Whether every request of the payment API must be signed' }),
    totp_for_payouts: z.boolean(),
    callback_api_key: z.enum(['order', 'callback']),
    pending: z
      .array(
        z.object({
          field: z.enum(Object.values(FIELDS)),
          value: z.literal(false),
          effective_at: instant('Time at which it takes effect; until then it can be cancelled'),
        }),
      )
      .readonly()
      .meta({ description: 'Protections that were switched off but still apply' }),
    totp_enrolled: z.boolean(),
    totp_confirmed: z
      .boolean()
      .meta({ description: 'Whether the authenticator app is confirmed; if so, every login needs a code' }),
    payouts_frozen: z
      .boolean()
      .meta({ description: 'Whether payouts of the account are frozen until an operator releases them' }),
    payouts_frozen_reason: z.string().nullable(),
  })
  .meta({ id: 'Security' });

export function securityRecord(record: SecurityRecord): z.input<typeof securitySchema> {
  return {
    account: record.accountId,
    data_security: record.dataSecurity,
    totp_for_payouts: record.totpForWithdrawals,
    callback_api_key: record.callbackApiKey,
    pending: record.pending.map(({ field, effectiveAt }) => ({
      field: FIELDS[field],
      value: false,
      effective_at: formatInstant(effectiveAt),
    })),
    totp_enrolled: record.totpEnrolled,
    totp_confirmed: record.totpConfirmed,
    payouts_frozen: record.withdrawalsFrozen !== null,
    payouts_frozen_reason: record.withdrawalsFrozen,
  };
}

const code = factorCode('Code of the second factor');

/** The operations of Data Security and the second factor. */
export const securityOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getSecurity',
    method: 'GET',
    path: '/security',
    summary: 'Retrieve security settings',
    description: 'Returns the security settings of an account. Defaults to your own account; admins can name another.',
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: securitySchema,
    handler: async ({ actor, query }, { manage }) => securityRecord(await manage.security.find(actor, query.account)),
  }),
  manageOperation({
    id: 'updateSecurity',
    method: 'PATCH',
    path: '/security',
    summary: 'Update security settings',
    description:
      'A protection that is switched on applies from the next request. Switching one off requires a step-up and takes effect after `withdrawals.addressHoldSeconds` (one day by default); until then it is pending. A code for payouts can be demanded once a second factor is enrolled.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    query: accountQuery,
    body: z.object({
      data_security: yesNo('Whether every request of the payment API must be signed').optional(),
      totp_for_payouts: yesNo('Whether every payout needs a code').optional(),
      callback_api_key: word(['order', 'callback'], 'Key that is sent with callbacks').optional(),
    }),
    data: securitySchema,
    examples: { body: { data_security: true } },
    handler: async ({ actor, query, body }, { manage }) =>
      securityRecord(await manage.security.update(actor, query.account, inputOf(body))),
  }),
  manageOperation({
    id: 'cancelPendingSecurity',
    method: 'DELETE',
    path: '/security/pending/{field}',
    summary: 'Cancel a pending security change',
    description: 'Cancels a pending change. Needs no step-up.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: z.object({ field: text(32, Object.values(FIELDS).join(' or ')) }),
    query: accountQuery,
    data: securitySchema,
    handler: async ({ actor, params: { field }, query }, { manage }) => {
      const [name] = Object.entries(FIELDS).find(([, wire]) => wire === field) ?? [];
      if (name === undefined) throw recordNotFound();
      return securityRecord(await manage.security.cancelPending(actor, query.account, name as DemandName));
    },
  }),
  manageOperation({
    id: 'enrolTotp',
    method: 'POST',
    path: '/security/totp',
    summary: 'Enrol an authenticator app',
    description:
      'Returns a new secret, which is shown only once. The first correct code confirms it; from then on every login needs a code. Replacing a confirmed secret requires a step-up.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    query: accountQuery,
    data: z.object({ secret: z.string(), uri: z.string() }).meta({ id: 'TotpEnrolment' }),
    handler: async ({ actor, session, query }, { manage }) =>
      manage.security.enrol(actor, query.account, manage.stepUp.isRaised(session)),
  }),
  manageOperation({
    id: 'confirmTotp',
    method: 'POST',
    path: '/security/totp/confirm',
    summary: 'Confirm an authenticator app',
    description:
      'Confirms the new secret with a code. All earlier sessions end, including this one unless it had a step-up: log in again with a code.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'VERIFY_CODE_INVALID'],
    query: accountQuery,
    body: z.object({ verify_code: code }),
    data: securitySchema,
    examples: { body: { verify_code: '123456' } },
    handler: async ({ actor, session, query, body }, { manage }) => {
      const keep = manage.stepUp.isRaised(session) ? session.session.tokenHash : null;
      return securityRecord(await manage.security.confirm(actor, query.account, body.verify_code, keep));
    },
  }),
];
