// @parts: anvil tron
import { durableEngines } from '../support/each-storage.ts';
import { chosenParts } from '../support/parts.ts';
import { openChainDrill } from './chain-drill.ts';
import { openEvmDrill } from './evm-drill.ts';
import { restoreDrill } from './restore-drill.ts';
import { openTronDrill } from './tron-drill.ts';

const DRILLS = { anvil: openEvmDrill, tron: openTronDrill };

for (const part of chosenParts(DRILLS))
  for (const engine of durableEngines())
    restoreDrill(`${part} and ${engine}`, async () => openChainDrill(await DRILLS[part](), engine));
