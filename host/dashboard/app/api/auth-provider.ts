import type { AuthProvider } from 'react-admin';
import type { StepUpProofName } from '../../../../core/access/step-up.ts';
import type { Api } from './api.ts';
import { ApiError } from './api-error.ts';
import { placeOf } from './demands.ts';

/** The logged-in account, from `GET session`. */
export interface Session {
  readonly password_change_required: boolean;
  /** The alternatives for a step-up. */
  readonly step_up_with: readonly StepUpProofName[];
  readonly account: {
    readonly id: string;
    readonly email: string;
    readonly name: string | null;
    readonly role: Role;
  };
}

export type Role = 'admin' | 'user';

/** The input of a login. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly totp?: string;
  /** The answer of a passkey, in place of a code. */
  readonly passkey?: unknown;
}

/** Logs in and out by a session cookie; the server decides what an account may do. */
export function createAuthProvider(api: Api): AuthProvider {
  let session: Promise<Session> | null = null;
  const current = (): Promise<Session> => {
    session ??= api.session<Session>().catch((error: unknown) => {
      session = null;
      throw error;
    });
    return session;
  };
  return {
    login: async (credentials: Credentials) => {
      session = null;
      const opened = await api.renew<Session>('session', { ...credentials, cookie: true });
      const place = opened.password_change_required ? placeOf('password_change_required') : null;
      return place === null ? undefined : { redirectTo: place };
    },
    logout: async () => {
      session = null;
      // A session that has already ended is no error.
      await api.request('DELETE', 'session').catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
      });
    },
    checkAuth: async () => {
      await current();
    },
    checkError: async (error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 401) return;
      session = null;
      throw error;
    },
    getIdentity: async () => {
      const { account } = await current();
      return { id: account.id, fullName: account.name ?? account.email, email: account.email };
    },
    getPermissions: async () => (await current()).account.role,
  };
}
