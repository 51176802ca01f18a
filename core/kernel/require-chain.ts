import type { ChainAdapter, ChainRegistry } from '../ports/chain-adapter.ts';
import type { ChainCode } from './asset.ts';
import { TillgateError } from './errors.ts';

/** The chain with this code. @throws TillgateError `UNSUPPORTED` when it is not configured */
export function requireChain(chains: ChainRegistry, code: ChainCode): ChainAdapter {
  const chain = chains.get(code);
  if (chain === undefined) throw new TillgateError('UNSUPPORTED', `The chain ${code} is not configured.`);
  return chain;
}
