import { describeUtxoPairs } from './utxo-pairs.ts';

describeUtxoPairs('litecoind', ['sqlite']);
