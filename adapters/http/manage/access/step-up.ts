import { formatInstant, present } from '../../../../core/index.ts';
import { z } from 'zod';
import { factorCode, password } from '../fields.ts';
import { issued, TOKEN_FIELDS } from './issued-session.ts';
import { manageOperation, replyOperation, sessionOnly } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { assertionField, requestOptionsSchema } from './passkey-fields.ts';
import { instant } from '../reply-fields.ts';

const stepUpSpec = {
  id: 'stepUp',
  method: 'POST',
  path: '/session/step-up',
  summary: 'Confirm your identity (step-up)',
  description:
    'Verifies a code of the second factor, a passkey, or the password of an account without a second factor. Operations that weaken a protection or move money require a step-up, and otherwise answer 403 with the reason step_up_required. The session gets a new token and the previous token becomes invalid; of two parallel requests with the same token, one is answered 401.',
  errors: ['VERIFY_CODE_INVALID'],
  body: z.object({
    totp: factorCode('Code of the second factor').optional(),
    passkey: assertionField
      .optional()
      .meta({ description: 'Result of startAuthentication for session/step-up/passkey' }),
    password: password.optional().meta({ description: 'Password of an account without a second factor' }),
  }),
  data: z
    .object({ ...TOKEN_FIELDS, step_up_expires_at: instant('Time until which the step-up is valid') })
    .meta({ id: 'RaisedSession' }),
  examples: {
    body: { totp: '123456' },
    data: { access_token: '<access token>', expires_in: 3000, step_up_expires_at: '2026-05-04T12:05:00.000Z' },
  },
} as const;

const stepUp = sessionOnly((deps, sessionAuth) =>
  replyOperation(stepUpSpec, deps, sessionAuth, async ({ actor, session, body }) => {
    const raised = await deps.manage.stepUp.raise(actor, session, body);
    const until = present(raised.session.raisedUntil, 'the end of a raise');
    return issued(deps, raised, { step_up_expires_at: formatInstant(until) });
  }),
);

const stepUpPasskey = manageOperation({
  id: 'passkeyForStepUp',
  method: 'POST',
  path: '/session/step-up/passkey',
  summary: 'Start a step-up with a passkey',
  description:
    'Returns the options for `startAuthentication({ optionsJSON })` of @simplewebauthn/browser. Send its result with the step-up; it is valid once, in this session, for five minutes.',
  errors: ['STATE_CONFLICT'],
  data: requestOptionsSchema,
  handler: ({ session }, { manage }) => manage.stepUp.passkeyOptions(session),
});

const changePasswordSpec = {
  id: 'changePassword',
  method: 'POST',
  path: '/password',
  summary: 'Change your password',
  description:
    'Ends every other session and every access token of the account, and gives this session a new token. The password needs at least 12 characters and must not be a common one; every character counts. Requires a step-up.',
  errors: ['STATE_CONFLICT'],
  body: z.object({ current: password, new: password }),
  data: z.object({ ...TOKEN_FIELDS, changed: z.literal(true) }).meta({ id: 'ChangedPassword' }),
  examples: {
    body: { current: 'correct horse battery staple', new: 'a better horse and more staples' },
    data: { access_token: '<access token>', expires_in: 3000, changed: true },
  },
} as const;

const changePassword = sessionOnly((deps, sessionAuth) =>
  replyOperation(changePasswordSpec, deps, sessionAuth, async ({ actor, session, body: { current, new: next } }) =>
    issued(deps, await deps.manage.passwords.change(actor, session, current, next), { changed: true }),
  ),
);

/** The operations that give a session a new token: a step-up, and a new password. */
export const stepUpOperations: readonly ManageOperation[] = [stepUp, stepUpPasskey, changePassword];
