import { openChainDrill } from '../e2e/chain-drill.ts';
import { restoreDrill } from '../e2e/restore-drill.ts';
import { openUtxoDrill } from './utxo-drill.ts';

for (const engine of ['sqlite', 'pg'] as const)
  restoreDrill(`bitcoind and ${engine}`, async () => openChainDrill(await openUtxoDrill('bitcoind'), engine));
