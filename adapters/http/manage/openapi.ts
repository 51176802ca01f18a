import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import type { OperationMethod } from '../operation.ts';
import { SESSION_COOKIE } from './cookies.ts';

type Security = Record<string, string[]>[];

/** An error reply of the management API; the HTTP status is the code. */
export const manageErrorSchema = z
  .object({
    data: z.null(),
    msg: z.string(),
    errors: z
      .array(z.object({ path: z.string().meta({ description: 'Dotted path of the field' }), message: z.string() }))
      .optional()
      .meta({ description: 'Every missing or invalid field (400)' }),
    reason: z.string().optional().meta({
      description:
        'step_up_required: raise the session; second_factor_required: enrol one first; password_change_required: change the password first (403)',
    }),
  })
  .meta({ id: 'ManageError' });

/** Registers the security schemes of sessions. */
export function registerSessions(registry: OpenAPIRegistry): void {
  const register = (name: string, scheme: Parameters<OpenAPIRegistry['registerComponent']>[2]): void => {
    registry.registerComponent('securitySchemes', name, scheme);
  };
  register('Session-Token', { type: 'http', scheme: 'bearer', description: 'The access token of a session.' });
  register('Session-Cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: "A browser's session.",
  });
  register('X-CSRF-Token', {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'Goes along with the cookie on every unsafe method.',
  });
}

/** Security of an operation with a session: the token, or the cookie with a CSRF token. */
export function sessionSecurity(method: OperationMethod): Security {
  return [{ 'Session-Token': [] }, { 'Session-Cookie': [], ...(method === 'GET' ? {} : { 'X-CSRF-Token': [] }) }];
}
