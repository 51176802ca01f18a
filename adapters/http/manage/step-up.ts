import { formatInstant, present } from '../../../core/index.ts';
import { z } from 'zod';
import { factorCode, password } from './fields.ts';
import { issued, TOKEN_FIELDS } from './issued-session.ts';
import { actorOf, manageOperation, replyOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { assertionField, requestOptionsSchema } from './passkey-fields.ts';
import { instant } from './reply-fields.ts';

const stepUpSpec = {
  id: 'stepUp',
  method: 'POST',
  path: '/session/step-up',
  summary: 'Raise the session',
  description:
    'With a code of the second factor, with a passkey, or with the password of an account that has none. What loosens a protection or moves money wants a raised session, and is answered 403 with the reason step_up_required in any other. The session gets a new token, and the former one is over; of two requests with one token one gets 401.',
  errors: ['VERIFY_CODE_INVALID'],
  body: z.object({
    totp: factorCode('A code of the second factor').optional(),
    passkey: assertionField.optional().meta({ description: 'The answer to session/step-up/passkey' }),
    password: password.optional().meta({ description: 'Of an account without a second factor' }),
  }),
  data: z
    .object({ ...TOKEN_FIELDS, raised_until: instant('Until when the session is raised') })
    .meta({ id: 'RaisedSession' }),
  examples: {
    body: { totp: '123456' },
    data: { access_token: '<access token>', expire: 3000, raised_until: '2026-05-04T12:05:00.000Z' },
  },
} as const;

const stepUp: ManageOperation = (deps, sessionAuth) =>
  replyOperation(stepUpSpec, deps, sessionAuth, async (call) => {
    const open = present(call.session, 'the session');
    const raised = await deps.manage.stepUp.raise(actorOf(call), open, call.body);
    const until = present(raised.session.raisedUntil, 'the end of a raise');
    return issued(deps, raised, { raised_until: formatInstant(until) });
  });

const stepUpPasskey = manageOperation({
  id: 'passkeyForStepUp',
  method: 'POST',
  path: '/session/step-up/passkey',
  summary: 'Begin to raise the session with a passkey',
  description:
    'Returns what `startAuthentication` of @simplewebauthn/browser takes as `optionsJSON`; its answer raises this session, once, within five minutes.',
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
    'In a raised session. Every other session and every access token of the account ends, and the session gets a new token as by a step-up. At least 12 characters, and not one of the common passwords; every character counts.',
  errors: ['STATE_CONFLICT'],
  body: z.object({ current: password, new: password }),
  data: z.object({ ...TOKEN_FIELDS, changed: z.literal(true) }).meta({ id: 'ChangedPassword' }),
  examples: {
    body: { current: 'correct horse battery staple', new: 'a better horse and more staples' },
    data: { access_token: '<access token>', expire: 3000, changed: true },
  },
} as const;

const changePassword: ManageOperation = (deps, sessionAuth) =>
  replyOperation(changePasswordSpec, deps, sessionAuth, async (call) => {
    const open = present(call.session, 'the session');
    const { current, new: next } = call.body;
    return issued(deps, await deps.manage.passwords.change(actorOf(call), open, current, next), { changed: true });
  });

/** What gives a session a new token: a step-up, and a new password. */
export const stepUpOperations: readonly ManageOperation[] = [stepUp, stepUpPasskey, changePassword];
