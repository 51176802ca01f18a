import { openChainDrill } from './chain-drill.ts';
import { openEvmDrill } from './evm-drill.ts';
import { restoreDrill } from './restore-drill.ts';

restoreDrill('anvil and pg', async () => openChainDrill(await openEvmDrill(), 'pg'));
