import { openChainDrill } from './chain-drill.ts';
import { restoreDrill } from './restore-drill.ts';
import { openTronDrill } from './tron-drill.ts';

for (const engine of ['sqlite', 'pg'] as const)
  restoreDrill(`Tron’s protocol and ${engine}`, async () => openChainDrill(await openTronDrill(), engine));
