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

/** The name of a chain by its code; the code itself until the names are loaded. */
export function useChainNames(): (chain: string) => string {
  const service = useService();
  return (chain) => service?.coins.find((coin) => coin.chain === chain)?.chain_name ?? chain;
}

/** The page of an address in a block explorer; `null` where the chain has none. */
export function useAddressUrl(): (chain: string, address: string) => string | null {
  const service = useService();
  return (chain, address) => {
    const explorer = service?.coins.find((coin) => coin.chain === chain)?.address_explorer ?? null;
    return explorer?.replace('{address}', encodeURIComponent(address)) ?? null;
  };
}

/** The page of a transaction in a block explorer; `null` where the chain has none. */
export function useTransactionUrl(): (chain: string, txid: string) => string | null {
  const service = useService();
  return (chain, txid) => {
    const explorer = service?.coins.find((coin) => coin.chain === chain)?.explorer ?? null;
    return explorer?.replace('{txid}', encodeURIComponent(txid)) ?? null;
  };
}
