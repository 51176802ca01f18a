import { formatInstant, mustChangePassword, present, sessionId } from '../../../core/index.ts';
import { z } from 'zod';
import { flag, text } from '../fields.ts';
import { header } from '../messages.ts';
import { accountDetailExample, accountDetailRecord, accountDetailSchema } from './accounts.ts';
import { setSessionCookie } from './cookies.ts';
import { factorCode, idParams, password } from './fields.ts';
import { issued, TOKEN_FIELDS } from './issued-session.ts';
import { actorOf, manageOperation, replyOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { assertionField, requestOptionsSchema } from './passkey-fields.ts';
import { instant, time, whole } from './reply-fields.ts';

const MAX_EMAIL = 254;

const sessionSchema = z
  .object({
    ...TOKEN_FIELDS,
    password_change_required: z.boolean().meta({ description: 'Somebody else set the password: change it first' }),
    account: accountDetailSchema,
  })
  .meta({ id: 'Session' });

const sessionExample = {
  access_token: '<access token>',
  expire: 3600,
  password_change_required: false,
  account: accountDetailExample,
};

const loginSpec = {
  id: 'createSession',
  method: 'POST',
  path: '/session',
  summary: 'Log in',
  description:
    'Opens a session: a token, or a cookie and a CSRF token (decisions, section 9). It ends at its time, after a while without a request, and as the oldest when the account has opened too many others.',
  login: 'email',
  errors: ['LOGIN_FAILED', 'VERIFY_CODE_INVALID', 'ACCOUNT_INACTIVE', 'RATE_LIMITED'],
  body: z.object({
    email: text(MAX_EMAIL, "The account's email"),
    password,
    totp: factorCode('A code of the second factor, once one was confirmed').optional(),
    passkey: assertionField.optional().meta({ description: 'Instead of a code: the answer to session/passkey' }),
    cookie: flag('For a browser: the token comes in a cookie'),
  }),
  data: sessionSchema,
  examples: { body: { email: 'shop@example.com', password: 'correct horse battery staple' }, data: sessionExample },
} as const;

const login: ManageOperation = (deps) => {
  const { manage } = deps;
  return replyOperation(loginSpec, deps, null, async ({ body, client, traceId, request }) => {
    const origin = { ip: client, userAgent: header(request.headers, 'user-agent'), traceId };
    const session = await manage.sessions.login(body, origin);
    const { id: accountId, role } = session.account;
    const account = accountDetailRecord(await manage.accounts.find({ ...origin, accountId, role }, accountId));
    return issued(deps, session, { password_change_required: mustChangePassword(session.account), account });
  });
};

const loginPasskeySpec = {
  id: 'passkeyForLogin',
  method: 'POST',
  path: '/session/passkey',
  summary: 'Begin to log in with a passkey',
  description:
    'Returns what `startAuthentication` of @simplewebauthn/browser takes as `optionsJSON`; its answer is sent with the login, once, within five minutes.',
  login: 'email',
  errors: ['LOGIN_FAILED', 'ACCOUNT_INACTIVE', 'STATE_CONFLICT', 'RATE_LIMITED'],
  body: z.object({ email: text(MAX_EMAIL, "The account's email"), password }),
  data: requestOptionsSchema,
  examples: { body: { email: 'shop@example.com', password: 'correct horse battery staple' } },
} as const;

const loginPasskey: ManageOperation = (deps) =>
  replyOperation(loginPasskeySpec, deps, null, async ({ body, client, traceId, request }) => {
    const origin = { ip: client, userAgent: header(request.headers, 'user-agent'), traceId };
    return { data: await deps.manage.sessions.passkeyOptions(body, origin) };
  });

const current = manageOperation({
  id: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'Who is logged in',
  description: 'The session of the request: a page that was loaded anew finds its CSRF token here.',
  data: sessionSchema,
  examples: { data: { expire: 3600, password_change_required: false, account: accountDetailExample } },
  handler: async ({ actor, session: { session, account, csrfToken } }, { manage }) => ({
    ...(session.cookie ? { csrf_token: csrfToken } : {}),
    expire: manage.sessions.secondsLeft(session),
    password_change_required: mustChangePassword(account),
    account: accountDetailRecord(await manage.accounts.find(actor, account.id)),
  }),
});

const logoutSpec = {
  id: 'endSession',
  method: 'DELETE',
  path: '/session',
  summary: 'Log out',
  description: 'Ends the session of the request, on the server.',
  data: z.object({ ended: z.literal(true) }).meta({ id: 'EndedSession' }),
  examples: { data: { ended: true } },
} as const;

const logout: ManageOperation = (deps, sessionAuth) =>
  replyOperation(logoutSpec, deps, sessionAuth, async (call) => {
    const { settings, manage } = deps;
    const { session } = present(call.session, 'the session');
    await manage.sessions.end(actorOf(call), session);
    const data = { ended: true } as const;
    return session.cookie
      ? { data, headers: { 'Set-Cookie': setSessionCookie('', 0, settings.secureCookies) } }
      : { data };
  });

export const sessionItem = z
  .object({
    id: z.string().meta({ description: 'The session; no secret' }),
    current: z.boolean().meta({ description: 'The session of this request' }),
    cookie: z.boolean().meta({ description: "A browser's" }),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: instant('When it was opened'),
    expires_at: instant('When it ends'),
    last_used_at: instant('Of a request, at most a minute before the latest one'),
    raised_until: instant('Until when it is raised').nullable(),
  })
  .meta({ id: 'SessionItem' });

const listed = manageOperation({
  id: 'listSessions',
  method: 'GET',
  path: '/sessions',
  summary: 'Your sessions',
  description: 'Of your own account, newest first.',
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
      raised_until: time(session.raisedUntil),
    })),
  }),
});

const endOthers = manageOperation({
  id: 'endOtherSessions',
  method: 'DELETE',
  path: '/sessions',
  summary: 'Log out everywhere else',
  description: 'In a raised session. Ends every session of your account but this one.',
  data: z.object({ ended: whole('How many') }).meta({ id: 'EndedSessions' }),
  examples: { data: { ended: 2 } },
  handler: async ({ actor, session }, { manage }) => ({ ended: await manage.sessions.endOthers(actor, session) }),
});

const endOne = manageOperation({
  id: 'endOneSession',
  method: 'DELETE',
  path: '/sessions/{id}',
  summary: 'End one of your sessions',
  errors: ['NOT_FOUND'],
  description: 'In a raised session; this one too, which logging out ends without.',
  params: idParams<string>('The session'),
  data: logoutSpec.data,
  examples: { data: { ended: true } },
  handler: async ({ actor, session, params: { id } }, { manage }) => {
    await manage.sessions.endOne(actor, session, id);
    return { ended: true } as const;
  },
});

/** Login, sessions and logout. */
export const sessionOperations: readonly ManageOperation[] = [
  login,
  loginPasskey,
  current,
  logout,
  listed,
  endOthers,
  endOne,
];
