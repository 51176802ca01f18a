import { describeUtxoPairs } from './utxo-pairs.ts';

describeUtxoPairs('bitcoind', ['sqlite', 'pg']);
