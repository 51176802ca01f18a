import { MAX_PASSWORD } from '../../../core/index.ts';
import { z } from 'zod';
import type { HttpSettings } from '../deps.ts';
import { text } from '../fields.ts';
import { ANYBODY, dataOperation } from '../operation.ts';
import type { Operation } from '../operation.ts';

/** The longest email address (RFC 5321). */
const MAX_USERNAME = 254;

export const loginBody = z.object({
  username: text(MAX_USERNAME, 'Email of the account'),
  password: z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
    .max(MAX_PASSWORD, { error: `must have at most ${MAX_PASSWORD} characters` })
    .meta({ format: 'password' }),
});

/** The access token that a login returns. */
export const accessTokenSchema = z
  .object({
    access_token: z.string(),
    expire: z.number().meta({ type: 'integer', description: 'Lifetime of the token in seconds' }),
  })
  .meta({ id: 'AccessToken' });

/** Exchanges username and password for an access token. */
export function loginOperation({ serviceName }: HttpSettings): Operation {
  const names = [...new Set(['service', serviceName])];
  const [path = '', ...aliases] = names.map((name) => `/api/plugin/key/${name}`);
  return dataOperation({
    id: 'exchangeToken',
    method: 'POST',
    path,
    aliases,
    tag: 'Login',
    summary: 'Create an access token',
    description: 'Exchanges a username and password for an access token, which is sent in the API-Key header.',
    auth: ANYBODY,
    login: 'username',
    errors: ['LOGIN_FAILED', 'SIGNATURE_REQUIRED', 'ACCOUNT_INACTIVE', 'FORBIDDEN', 'RATE_LIMITED'],
    body: loginBody,
    data: accessTokenSchema,
    examples: {
      body: { username: 'shop@example.com', password: 'correct horse battery staple' },
      data: { access_token: '<access token>', expire: 3600 },
    },
    handler: async ({ body, client }, { exchangeToken }) => {
      const { accessToken, expireSeconds } = await exchangeToken.run(body.username, body.password, client);
      return { access_token: accessToken, expire: expireSeconds };
    },
  });
}
