import { describeChain } from '../../adapters/testing/index.ts';
import { utxoHarness } from './utxo-kit.ts';

describeChain('Litecoin', utxoHarness('litecoind'));
