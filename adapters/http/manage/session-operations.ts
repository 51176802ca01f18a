import { header } from '../messages.ts';
import { present } from '../../../core/index.ts';
import { z } from 'zod';
import { flag, text } from '../fields.ts';
import type { Operation, OperationAuth } from '../operation.ts';
import { RateLimit } from '../rate-limits.ts';
import { setSessionCookie } from './cookies.ts';
import type { ManageDeps } from './deps.ts';
import { sessionExample } from './examples.ts';
import { actorOf, manageOperation } from './operation.ts';
import { sessionSchema } from './records.ts';
import { accountDetailRecord } from './write-records.ts';

const MAX_EMAIL = 254;
const MAX_PASSWORD = 1024;
const MAX_CODE = 16;

const password = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .max(MAX_PASSWORD, { error: `must have at most ${MAX_PASSWORD} characters` })
  .meta({ format: 'password' });

function login({ settings, manage }: ManageDeps): Operation {
  const byEmail = new RateLimit(settings.loginsPerMinute);
  return manageOperation(
    {
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
    },
    null,
    async ({ body, client, traceId, request }) => {
      await byEmail.take(body.email.toLowerCase());
      const { email, cookie, totp } = body;
      const origin = { ip: client, userAgent: header(request.headers, 'user-agent'), traceId };
      const { token, csrfToken, session, entry } = await manage.sessions.login({ email, password: body.password, totp: totp ?? null, cookie }, origin);
      const account = accountDetailRecord(await manage.accounts.find({ ...origin, accountId: entry.account.id, role: entry.account.role }, entry.account.id));
      const expire = Math.round((session.expiresAt - session.createdAt) / 1000);
      if (!cookie) return { data: { access_token: token, expire, account } };
      return { data: { csrf_token: csrfToken, expire, account }, headers: { 'Set-Cookie': setSessionCookie(token, expire, settings.secureCookies) } };
    },
  );
}

function current({ manage }: ManageDeps, gate: OperationAuth): Operation {
  return manageOperation(
    {
      id: 'getSession',
      method: 'GET',
      path: '/session',
      summary: 'Who is logged in',
      description: 'The session of the request: a page that was loaded anew finds its CSRF token here.',
      data: sessionSchema,
      examples: { data: { expire: 3600, account: sessionExample.account } },
    },
    gate,
    async (call) => {
      const { session, account, csrfToken } = present(call.session, 'the session');
      const detail = accountDetailRecord(await manage.accounts.find(actorOf(call), account.id));
      const expire = manage.sessions.secondsLeft(session);
      return { data: { ...(session.cookie ? { csrf_token: csrfToken } : {}), expire, account: detail } };
    },
  );
}

function logout({ settings, manage }: ManageDeps, gate: OperationAuth): Operation {
  return manageOperation(
    {
      id: 'endSession',
      method: 'DELETE',
      path: '/session',
      summary: 'Log out',
      description: 'Ends the session of the request, on the server.',
      data: z.object({ ended: z.literal(true) }).meta({ id: 'EndedSession' }),
      examples: { data: { ended: true } },
    },
    gate,
    async (call) => {
      const { session } = present(call.session, 'the session');
      await manage.sessions.end(actorOf(call), session);
      const data = { ended: true } as const;
      return session.cookie ? { data, headers: { 'Set-Cookie': setSessionCookie('', 0, settings.secureCookies) } } : { data };
    },
  );
}

/** Where sessions begin and end. */
export function sessionOperations(deps: ManageDeps, gate: OperationAuth): readonly Operation[] {
  return [login(deps), current(deps, gate), logout(deps, gate)];
}
