import { formatInstant, present, sessionId } from '../../../core/index.ts';
import { z } from 'zod';
import { flag, text } from '../fields.ts';
import { header } from '../messages.ts';
import { accountDetailExample, accountDetailRecord, accountDetailSchema } from './accounts.ts';
import { setSessionCookie } from './cookies.ts';
import { idParams, password } from './fields.ts';
import { actorOf, manageOperation, replyOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { assertionField, requestOptionsSchema } from './passkey-fields.ts';
import { instant, time, whole } from './reply-fields.ts';

const MAX_EMAIL = 254;
const MAX_CODE = 16;

const sessionSchema = z
  .object({
    access_token: z.string().optional().meta({ description: 'Absent for a session in a cookie' }),
    csrf_token: z
      .string()
      .optional()
      .meta({ description: 'Wanted as X-CSRF-Token on every unsafe method; only for a session in a cookie' }),
    expire: whole('Lifetime in seconds'),
    account: accountDetailSchema,
  })
  .meta({ id: 'Session' });

const sessionExample = { access_token: '<access token>', expire: 3600, account: accountDetailExample };

const loginSpec = {
  id: 'createSession',
  method: 'POST',
  path: '/session',
  summary: 'Log in',
  description: 'Opens a session: a token, or a cookie and a CSRF token (decisions, section 9).',
  login: 'email',
  errors: ['LOGIN_FAILED', 'VERIFY_CODE_INVALID', 'ACCOUNT_INACTIVE', 'RATE_LIMITED'],
  body: z.object({
    email: text(MAX_EMAIL, "The account's email"),
    password,
    totp: text(MAX_CODE, 'A code of the second factor, once one was confirmed').optional(),
    passkey: assertionField.optional().meta({ description: 'Instead of a code: the answer to session/passkey' }),
    cookie: flag('For a browser: the token comes in a cookie'),
  }),
  data: sessionSchema,
  examples: { body: { email: 'shop@example.com', password: 'correct horse battery staple' }, data: sessionExample },
} as const;

const login: ManageOperation = (deps) => {
  const { settings, manage } = deps;
  return replyOperation(loginSpec, deps, null, async ({ body, client, traceId, request }) => {
    const origin = { ip: client, userAgent: header(request.headers, 'user-agent'), traceId };
    const { token, csrfToken, session, entry } = await manage.sessions.login(body, origin);
    const { id: accountId, role } = entry.account;
    const account = accountDetailRecord(await manage.accounts.find({ ...origin, accountId, role }, accountId));
    const expire = Math.round((session.expiresAt - session.createdAt) / 1000);
    if (!body.cookie) return { data: { access_token: token, expire, account } };
    return {
      data: { csrf_token: csrfToken, expire, account },
      headers: { 'Set-Cookie': setSessionCookie(token, expire, settings.secureCookies) },
    };
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
  examples: { data: { expire: 3600, account: accountDetailExample } },
  handler: async ({ actor, session: { session, account, csrfToken } }, { manage }) => ({
    ...(session.cookie ? { csrf_token: csrfToken } : {}),
    expire: manage.sessions.secondsLeft(session),
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

const stepUp = manageOperation({
  id: 'stepUp',
  method: 'POST',
  path: '/session/step-up',
  summary: 'Raise the session',
  description:
    'With a code of the second factor, with a passkey, or with the password of an account that has none. What loosens a protection or moves money wants a raised session, and is answered 403 with the reason step_up_required in any other.',
  errors: ['VERIFY_CODE_INVALID'],
  body: z.object({
    totp: text(MAX_CODE, 'A code of the second factor').optional(),
    passkey: assertionField.optional().meta({ description: 'The answer to session/step-up/passkey' }),
    password: password.optional().meta({ description: 'Of an account without a second factor' }),
  }),
  data: z.object({ raised_until: instant('Until when the session is raised') }).meta({ id: 'RaisedSession' }),
  examples: { body: { totp: '123456' }, data: { raised_until: '2026-05-04T12:05:00.000Z' } },
  handler: async ({ actor, session, body }, { manage }) => ({
    raised_until: formatInstant(await manage.stepUp.raise(actor, session, body)),
  }),
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

const sessionItem = z
  .object({
    id: z.string().meta({ description: 'The session; no secret' }),
    current: z.boolean().meta({ description: 'The session of this request' }),
    cookie: z.boolean().meta({ description: "A browser's" }),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: instant('When it was opened'),
    expires_at: instant('When it ends'),
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

const changePassword = manageOperation({
  id: 'changePassword',
  method: 'POST',
  path: '/password',
  summary: 'Change your password',
  description:
    'In a raised session. Every other session and every access token of the account ends. At least 12 characters, and not one of the common passwords; every character counts.',
  errors: ['STATE_CONFLICT'],
  body: z.object({ current: password, new: password }),
  data: z.object({ changed: z.literal(true) }).meta({ id: 'ChangedPassword' }),
  examples: {
    body: { current: 'correct horse battery staple', new: 'a better horse and more staples' },
    data: { changed: true },
  },
  handler: async ({ actor, session, body }, { manage }) => {
    await manage.passwords.change(actor, session, body.current, body.new);
    return { changed: true } as const;
  },
});

/** Login, sessions, step-up, logout and the password. */
export const sessionOperations: readonly ManageOperation[] = [
  login,
  loginPasskey,
  current,
  stepUp,
  stepUpPasskey,
  logout,
  listed,
  endOthers,
  endOne,
  changePassword,
];
