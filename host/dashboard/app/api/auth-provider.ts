import type { AuthProvider } from 'react-admin';
import type { Api } from './api.ts';
import { ApiError } from './api-error.ts';

/** Who is logged in, as `GET session` says. */
export interface Session {
  readonly password_change_required: boolean;
  readonly account: {
    readonly id: string;
    readonly email: string;
    readonly name: string | null;
    readonly role: Role;
  };
}

export type Role = 'admin' | 'user';

/** What is typed in to log in. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly totp?: string;
  /** The answer of a passkey, in place of a code. */
  readonly passkey?: unknown;
}

/** Where somebody goes who may do nothing else yet. */
const PLACES: Readonly<Record<string, string>> = {
  password_change_required: '/password',
  second_factor_required: '/security',
};

/** Logging in and out by a session in a cookie; what an account may do is the server's to decide. */
export function createAuthProvider(api: Api, goTo: (place: string) => void): AuthProvider {
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
      return opened.password_change_required ? { redirectTo: PLACES['password_change_required'] } : undefined;
    },
    logout: async () => {
      session = null;
      // One that has ended already is as good.
      await api.request('DELETE', 'session').catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
      });
    },
    checkAuth: async () => {
      await current();
    },
    checkError: async (error: unknown) => {
      if (!(error instanceof ApiError)) return;
      if (error.status === 401) {
        session = null;
        throw error;
      }
      const place = PLACES[error.reason ?? ''];
      if (place !== undefined) goTo(place);
    },
    getIdentity: async () => {
      const { account } = await current();
      return { id: account.id, fullName: account.name ?? account.email, email: account.email };
    },
    getPermissions: async () => (await current()).account.role,
  };
}
