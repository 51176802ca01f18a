import { formatInstant, present } from '../../../core/index.ts';
import { z } from 'zod';
import { flag, text } from '../fields.ts';
import { header } from '../messages.ts';
import { RateLimit } from '../rate-limits.ts';
import { accountDetailExample, accountDetailRecord, accountDetailSchema } from './accounts.ts';
import { setSessionCookie } from './cookies.ts';
import { actorOf, manageOperation, replyOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { instant, whole } from './reply-fields.ts';

const MAX_EMAIL = 254;
const MAX_PASSWORD = 1024;
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

const password = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .max(MAX_PASSWORD, { error: `must have at most ${MAX_PASSWORD} characters` })
  .meta({ format: 'password' });

const loginSpec = {
  id: 'createSession',
  method: 'POST',
  path: '/session',
  summary: 'Log in',
  description: 'Opens a session: a token, or a cookie and a CSRF token (decisions, section 9).',
  throttled: true,
  errors: ['LOGIN_FAILED', 'VERIFY_CODE_INVALID', 'ACCOUNT_INACTIVE', 'RATE_LIMITED'],
  body: z.object({
    email: text(MAX_EMAIL, "The account's email"),
    password,
    totp: text(MAX_CODE, 'A code of the second factor, once one was confirmed').optional(),
    cookie: flag('For a browser: the token comes in a cookie'),
  }),
  data: sessionSchema,
  examples: { body: { email: 'shop@example.com', password: 'correct horse battery staple' }, data: sessionExample },
} as const;

const login: ManageOperation = (deps) => {
  const { settings, manage } = deps;
  const byEmail = new RateLimit(settings.loginsPerMinute);
  return replyOperation(loginSpec, deps, null, async ({ body, client, traceId, request }) => {
    await byEmail.take(body.email.toLowerCase());
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
    'With a code of the second factor, or with the password of an account that has none. What loosens a protection or moves money wants a raised session, and is answered 403 with the reason step_up_required in any other.',
  errors: ['VERIFY_CODE_INVALID'],
  body: z.object({
    totp: text(MAX_CODE, 'A code of the second factor').optional(),
    password: password.optional().meta({ description: 'Of an account without a second factor' }),
  }),
  data: z.object({ raised_until: instant('Until when the session is raised') }).meta({ id: 'RaisedSession' }),
  examples: { body: { totp: '123456' }, data: { raised_until: '2026-05-04T12:05:00.000Z' } },
  handler: async ({ actor, session, body }, { manage }) => ({
    raised_until: formatInstant(await manage.stepUp.raise(actor, session, body)),
  }),
});

/** Login, current session, step-up and logout. */
export const sessionOperations: readonly ManageOperation[] = [login, current, stepUp, logout];
