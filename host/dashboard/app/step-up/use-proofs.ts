import { useQuery } from '@tanstack/react-query';
import type { Session } from '../api/auth-provider.ts';
import { useTill } from '../till.ts';

interface Proofs {
  readonly proofs: Session['step_up_with'] | undefined;
  readonly error: Error | null;
}

/**
 * The possible step-up proofs, read again at each use: an operator may set up a second factor meanwhile.
 *
 * @param by - the component that uses them
 */
export function useProofs(by: string): Proofs {
  const { api } = useTill();
  const { data, error } = useQuery({
    queryKey: ['security', 'proofs', by],
    gcTime: 0,
    queryFn: async () => (await api.session<Session>()).step_up_with,
  });
  return { proofs: data, error };
}
