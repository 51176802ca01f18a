import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import type { OperationMethod } from '../operation.ts';
import { SESSION_COOKIE } from './access/cookies.ts';

type Security = Record<string, string[]>[];

/** An error reply of the management API. Its code is the HTTP status. */
export const manageErrorSchema = z
  .object({
    data: z.null(),
    msg: z.string(),
    errors: z
      .array(z.object({ path: z.string().meta({ description: 'Dotted path of the field' }), message: z.string() }))
      .optional()
      .meta({
        description:
          'All missing or invalid fields (status 400), or the one that names a record that is not there (404)',
      }),
    reason: z.string().optional().meta({
      description:
        'Reason of a 403. step_up_required: do a step-up; second_factor_required: enrol a second factor; password_change_required: change the password.',
    }),
  })
  .meta({ id: 'ManageError' });

/** Registers the security schemes of sessions. */
export function registerSessions(registry: OpenAPIRegistry): void {
  const register = (name: string, scheme: Parameters<OpenAPIRegistry['registerComponent']>[2]): void => {
    registry.registerComponent('securitySchemes', name, scheme);
  };
  register('Session-Token', { type: 'http', scheme: 'bearer', description: 'Access token of a session' });
  register('Session-Cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: 'Session of a browser',
  });
  register('X-CSRF-Token', {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'CSRF token, required with the cookie for every unsafe method',
  });
}

/** The security of an operation with a session: the bearer token, or the cookie with a CSRF token. */
export function sessionSecurity(method: OperationMethod): Security {
  return [{ 'Session-Token': [] }, { 'Session-Cookie': [], ...(method === 'GET' ? {} : { 'X-CSRF-Token': [] }) }];
}
