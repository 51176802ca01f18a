import { formatInstant, recordNotFound } from '../../../core/index.ts';
import type { DemandName, SecurityRecord } from '../../../core/index.ts';
import { z } from 'zod';
import { text } from '../fields.ts';
import { factorCode, accountQuery, inputOf, word, yesNo } from './fields.ts';
import { manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant } from './reply-fields.ts';

/** The protections that an account may demand, on the wire. */
const FIELDS = { dataSecurity: 'data_security', totpForWithdrawals: 'totp_for_withdrawals' } as const satisfies Record<
  DemandName,
  string
>;

export const securitySchema = z
  .object({
    account_id: id('The account'),
    data_security: z.boolean().meta({ description: 'Every request of the payment API must be signed' }),
    totp_for_withdrawals: z.boolean(),
    callback_api_key: z.enum(['order', 'callback']),
    pending: z
      .array(
        z.object({
          field: z.enum(Object.values(FIELDS)),
          value: z.literal(false),
          effective_at: instant('From when on; until then it can be cancelled'),
        }),
      )
      .readonly()
      .meta({ description: 'What was switched off and still holds' }),
    totp_enrolled: z.boolean(),
    totp_confirmed: z.boolean().meta({ description: 'A code was right once: it is demanded at each login' }),
    withdrawals_frozen: z.boolean().meta({ description: 'Until an operator lifts it, the account may not withdraw' }),
    withdrawals_frozen_reason: z.string().nullable(),
  })
  .meta({ id: 'Security' });

export function securityRecord(record: SecurityRecord): z.input<typeof securitySchema> {
  return {
    account_id: record.accountId,
    data_security: record.dataSecurity,
    totp_for_withdrawals: record.totpForWithdrawals,
    callback_api_key: record.callbackApiKey,
    pending: record.pending.map(({ field, effectiveAt }) => ({
      field: FIELDS[field],
      value: false,
      effective_at: formatInstant(effectiveAt),
    })),
    totp_enrolled: record.totpEnrolled,
    totp_confirmed: record.totpConfirmed,
    withdrawals_frozen: record.withdrawalsFrozen !== null,
    withdrawals_frozen_reason: record.withdrawalsFrozen,
  };
}

const code = factorCode('A code of the second factor');

/** Data Security and the second factor. */
export const securityOperations: readonly ManageOperation[] = [
  manageOperation({
    id: 'getSecurity',
    method: 'GET',
    path: '/security',
    summary: 'What an account demands',
    description: 'Your own account; an admin may name another.',
    errors: ['NOT_FOUND'],
    query: accountQuery,
    data: securitySchema,
    handler: async ({ actor, query }, { manage }) =>
      securityRecord(await manage.security.find(actor, query.account_id)),
  }),
  manageOperation({
    id: 'updateSecurity',
    method: 'PATCH',
    path: '/security',
    summary: 'Change what an account demands',
    description:
      'Tightening holds from the next request on. What is switched off holds for a day more (withdrawals.addressHoldSeconds), is pending until then, and wants a raised session. Codes can be demanded once a second factor is enrolled.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    query: accountQuery,
    body: z.object({
      data_security: yesNo('Every request of the payment API must be signed').optional(),
      totp_for_withdrawals: yesNo('Every withdrawal wants a code').optional(),
      callback_api_key: word(['order', 'callback'], 'Which key goes along with callbacks').optional(),
    }),
    data: securitySchema,
    examples: { body: { data_security: true } },
    handler: async ({ actor, query, body }, { manage }) =>
      securityRecord(await manage.security.update(actor, query.account_id, inputOf(body))),
  }),
  manageOperation({
    id: 'cancelPendingSecurity',
    method: 'DELETE',
    path: '/security/pending/{field}',
    summary: 'Keep a protection that was switched off',
    description: 'While it is pending. Needs no raised session.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: z.object({ field: text(32, Object.values(FIELDS).join(' or ')) }),
    query: accountQuery,
    data: securitySchema,
    handler: async ({ actor, params: { field }, query }, { manage }) => {
      const [name] = Object.entries(FIELDS).find(([, wire]) => wire === field) ?? [];
      if (name === undefined) throw recordNotFound();
      return securityRecord(await manage.security.cancelPending(actor, query.account_id, name as DemandName));
    },
  }),
  manageOperation({
    id: 'enrolTotp',
    method: 'POST',
    path: '/security/totp',
    summary: 'Enrol a second factor',
    description:
      'Returns a new secret, once. Its first right code confirms it; from then on logins need a code. A confirmed one is replaced in a raised session.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    query: accountQuery,
    data: z.object({ secret: z.string(), uri: z.string() }).meta({ id: 'TotpEnrolment' }),
    handler: async ({ actor, session, query }, { manage }) =>
      manage.security.enrol(actor, query.account_id, manage.stepUp.isRaised(session)),
  }),
  manageOperation({
    id: 'confirmTotp',
    method: 'POST',
    path: '/security/totp/confirm',
    summary: 'Confirm a second factor',
    description:
      'With a code of it. Sessions that were opened before end, this one too unless it is raised: log in again with a code.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT', 'VERIFY_CODE_INVALID'],
    query: accountQuery,
    body: z.object({ verify_code: code }),
    data: securitySchema,
    examples: { body: { verify_code: '123456' } },
    handler: async ({ actor, session, query, body }, { manage }) => {
      const keep = manage.stepUp.isRaised(session) ? session.session.tokenHash : null;
      return securityRecord(await manage.security.confirm(actor, query.account_id, body.verify_code, keep));
    },
  }),
];
