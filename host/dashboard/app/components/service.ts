import { useQuery } from '@tanstack/react-query';
import type { ServiceRecord } from '../records.ts';
import { useApi } from '../till.ts';

/** The features of this installation; `undefined` until they are loaded. */
export function useService(): ServiceRecord | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['service'],
    queryFn: ({ signal }) => api.get<ServiceRecord>('service', {}, signal),
    staleTime: Infinity,
  });
  return data;
}
