// @parts: bitcoind lnd
import { openChainDrill } from '../e2e/chain-drill.ts';
import { restoreDrill } from '../e2e/restore-drill.ts';
import { durableEngines } from '../support/each-storage.ts';
import { chosenParts } from '../support/parts.ts';
import { openLightningDrill } from './lightning-drill.ts';
import { openUtxoDrill } from './utxo-drill.ts';

const DRILLS = {
  bitcoind: async (engine: 'sqlite' | 'pg') => openChainDrill(await openUtxoDrill('bitcoind'), engine),
  lnd: openLightningDrill,
};

for (const part of chosenParts(DRILLS))
  for (const engine of durableEngines()) restoreDrill(`${part} and ${engine}`, () => DRILLS[part](engine));
