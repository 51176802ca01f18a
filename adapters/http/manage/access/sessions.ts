import { formatInstant, mustChangePassword, sessionId, STEP_UP_PROOFS } from '../../../../core/index.ts';
import type { Actor, Manage, OpenSession } from '../../../../core/index.ts';
import { z } from 'zod';
import { flag, text } from '../../fields.ts';
import { header } from '../../messages.ts';
import { accountDetailExample, accountDetailRecord, accountDetailSchema } from './accounts.ts';
import { setSessionCookie } from './cookies.ts';
import { factorCode, idParams, password } from '../fields.ts';
import { issued, TOKEN_FIELDS } from './issued-session.ts';
import { manageOperation, publicOperation, replyOperation, sessionOnly } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { assertionField, requestOptionsSchema } from './passkey-fields.ts';
import { instant, time, whole } from '../reply-fields.ts';

const MAX_EMAIL = 254;

const sessionSchema = z
  .object({
    ...TOKEN_FIELDS,
    password_change_required: z
      .boolean()
      .meta({ description: 'True if the password was set by somebody else: change it first' }),
    step_up_with: z
      .array(z.enum(STEP_UP_PROOFS))
      .readonly()
      .meta({ description: 'Methods for the step-up (POST session/step-up); one of them is enough' }),
    account: accountDetailSchema,
  })
  .meta({ id: 'Session' });

const SESSION_FIELDS = {
  password_change_required: false,
  step_up_with: ['password'],
  account: accountDetailExample,
} as const;
const sessionExample = { access_token: '<access token>', expires_in: 3600, ...SESSION_FIELDS };

/** The account that is logged in, and the steps that its login still needs. */
async function sessionFields(manage: Manage, actor: Actor, open: OpenSession) {
  return {
    password_change_required: mustChangePassword(open.account),
    step_up_with: await manage.stepUp.proofsOf(open),
    account: accountDetailRecord(await manage.accounts.find(actor, open.account.id)),
  };
}

const loginSpec = {
  id: 'createSession',
  method: 'POST',
  path: '/session',
  summary: 'Log in',
  description:
    'Opens a session and returns a token, or a cookie and a CSRF token. A session ends at its expiry, after a period without requests, or as the oldest when the account has opened too many.',
  login: 'email',
  errors: ['LOGIN_FAILED', 'VERIFY_CODE_INVALID', 'ACCOUNT_INACTIVE', 'RATE_LIMITED'],
  body: z.object({
    email: text(MAX_EMAIL, 'Email of the account'),
    password,
    totp: factorCode('Code of the second factor, if one is required').optional(),
    passkey: assertionField
      .optional()
      .meta({ description: 'Result of startAuthentication for session/passkey, instead of a code' }),
    cookie: flag('Returns the token in a cookie, for browsers'),
  }),
  data: sessionSchema,
  examples: { body: { email: 'shop@example.com', password: 'correct horse battery staple' }, data: sessionExample },
} as const;

const login = sessionOnly((deps) => {
  const { manage } = deps;
  return publicOperation(loginSpec, async ({ body, client, traceId, request }) => {
    const origin = { ip: client, userAgent: header(request.headers, 'user-agent'), traceId };
    const session = await manage.sessions.login(body, origin);
    const { id: accountId, role } = session.account;
    const actor = { ...origin, accountId, role };
    return issued(deps, session, await sessionFields(manage, actor, session));
  });
});

const loginPasskeySpec = {
  id: 'passkeyForLogin',
  method: 'POST',
  path: '/session/passkey',
  summary: 'Start logging in with a passkey',
  description:
    'Returns the options for `startAuthentication({ optionsJSON })` of @simplewebauthn/browser. Send its result with the login; it is valid once, for five minutes.',
  login: 'email',
  errors: ['LOGIN_FAILED', 'ACCOUNT_INACTIVE', 'STATE_CONFLICT', 'RATE_LIMITED'],
  body: z.object({ email: text(MAX_EMAIL, 'Email of the account'), password }),
  data: requestOptionsSchema,
  examples: { body: { email: 'shop@example.com', password: 'correct horse battery staple' } },
} as const;

const loginPasskey = sessionOnly((deps) =>
  publicOperation(loginPasskeySpec, async ({ body, client, traceId, request }) => {
    const origin = { ip: client, userAgent: header(request.headers, 'user-agent'), traceId };
    return { data: await deps.manage.sessions.passkeyOptions(body, origin) };
  }),
);

const current = manageOperation({
  id: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'Retrieve the session',
  description: 'Returns the session of this request, including the CSRF token that a reloaded page needs.',
  data: sessionSchema,
  examples: { data: { ...SESSION_FIELDS, expires_in: 3600 } },
  handler: async ({ actor, session: open }, { manage }) => ({
    ...(open.session.cookie ? { csrf_token: open.csrfToken } : {}),
    expires_in: manage.sessions.secondsLeft(open.session),
    ...(await sessionFields(manage, actor, open)),
  }),
});

const logoutSpec = {
  id: 'endSession',
  method: 'DELETE',
  path: '/session',
  summary: 'Log out',
  description: 'Ends the session of this request.',
  data: z.object({ ended: z.literal(true) }).meta({ id: 'EndedSession' }),
  examples: { data: { ended: true } },
} as const;

const logout = sessionOnly((deps, sessionAuth) =>
  replyOperation(logoutSpec, deps, sessionAuth, async ({ actor, session: { session } }) => {
    const { settings, manage } = deps;
    await manage.sessions.end(actor, session);
    const data = { ended: true } as const;
    return session.cookie
      ? { data, headers: { 'Set-Cookie': setSessionCookie('', 0, settings.secureCookies) } }
      : { data };
  }),
);

export const sessionItem = z
  .object({
    id: z.string().meta({ description: 'ID of the session; not a secret' }),
    current: z.boolean().meta({ description: 'Whether it is the session of this request' }),
    cookie: z.boolean().meta({ description: 'Whether it is a session of a browser' }),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: instant('Time of the login'),
    expires_at: instant('Time of expiry'),
    last_used_at: instant('Time of a recent request, at most a minute before the latest'),
    step_up_expires_at: instant('Time until which the step-up is valid').nullable(),
  })
  .meta({ id: 'SessionItem' });

const listed = manageOperation({
  id: 'listSessions',
  method: 'GET',
  path: '/sessions',
  summary: 'List your sessions',
  description: 'Returns the sessions of your own account, newest first.',
  data: z.object({ items: z.array(sessionItem).readonly() }).meta({ id: 'SessionList' }),
  handler: async ({ session: open }, { manage }) => ({
    items: (await manage.sessions.list(open)).map((session) => ({
      id: sessionId(session),
      current: session.tokenHash === open.session.tokenHash,
      cookie: session.cookie,
      ip: session.ip,
      user_agent: session.userAgent,
      created_at: formatInstant(session.createdAt),
      expires_at: formatInstant(session.expiresAt),
      last_used_at: formatInstant(session.lastUsedAt),
      step_up_expires_at: time(session.raisedUntil),
    })),
  }),
});

const endOthers = manageOperation({
  id: 'endOtherSessions',
  method: 'DELETE',
  path: '/sessions',
  summary: 'End all other sessions',
  description: 'Ends every session of your account except this one. Requires a step-up.',
  data: z.object({ ended: whole('Number of sessions that were ended') }).meta({ id: 'EndedSessions' }),
  examples: { data: { ended: 2 } },
  handler: async ({ actor, session }, { manage }) => ({ ended: await manage.sessions.endOthers(actor, session) }),
});

const endOne = manageOperation({
  id: 'endOneSession',
  method: 'DELETE',
  path: '/sessions/{id}',
  summary: 'End a session',
  errors: ['NOT_FOUND'],
  description: 'Ends one of your sessions, including this one. Requires a step-up; logging out does not.',
  params: idParams<string>('ID of the session'),
  data: logoutSpec.data,
  examples: { data: { ended: true } },
  handler: async ({ actor, session, params: { id } }, { manage }) => {
    await manage.sessions.endOne(actor, session, id);
    return { ended: true } as const;
  },
});

/** The operations of login, sessions and logout. */
export const sessionOperations: readonly ManageOperation[] = [
  login,
  loginPasskey,
  current,
  logout,
  listed,
  endOthers,
  endOne,
];
