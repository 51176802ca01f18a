import { useQueryClient } from '@tanstack/react-query';
import { useLogoutIfAccessDenied } from 'react-admin';
import { useEffect } from 'react';

/** Opens the login as soon as any read, not only those of lists and records, finds that the session has ended. */
export function EndedSession() {
  const client = useQueryClient();
  const logoutIfDenied = useLogoutIfAccessDenied();
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'error') void logoutIfDenied(event.action.error);
      }),
    [client, logoutIfDenied],
  );
  return null;
}
