import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { AccountKey } from '../../../adapters/chains/account-key.ts';
import { evmAddress, evmKey } from '../../../adapters/chains/evm/evm-address.ts';
import { tronAddress } from '../../../adapters/chains/tron/tron-address.ts';
import { segwitAddress } from '../../../adapters/chains/utxo/segwit-address.ts';
import { definition as bitcoin } from '../../../plugins/bitcoin/definition.ts';
import { median, report, rounded } from './support/report.ts';

const ROUNDS = 31;
/** Few at a time, in turns: what else the machine does then weighs on all cases alike. */
const ADDRESSES = 40;
/** How many times as fast as the library alone filling the pool must be. */
const TARGET = 3;
const WORDS = 'test test test test test test test test test test test junk';

interface Case {
  readonly name: string;
  readonly derive: (index: number) => unknown;
}

function cases(): readonly Case[] {
  const xpub = HDKey.fromMasterSeed(mnemonicToSeedSync(WORDS)).derive("m/44'/60'/1'").publicExtendedKey;
  const bare = HDKey.fromExtendedKey(xpub).deriveChild(0);
  const account = new AccountKey(xpub);
  return [
    { name: '@scure/bip32, the key alone', derive: (index) => bare.deriveChild(index).publicKey },
    { name: 'the key alone', derive: (index) => account.publicKey(index) },
    { name: 'an EVM address with its checksum', derive: (index) => evmAddress(evmKey(account.point(index))) },
    { name: 'a Tron address', derive: (index) => tronAddress(evmKey(account.point(index))) },
    {
      name: 'a native segwit address',
      derive: (index) => segwitAddress(account.publicKey(index), bitcoin.networks.regtest.addresses).address,
    },
  ];
}

function microsecondsEach({ derive }: Case, first: number): number {
  const start = process.hrtime.bigint();
  for (let index = first; index < first + ADDRESSES; index++) derive(index);
  return Number(process.hrtime.bigint() - start) / 1_000 / ADDRESSES;
}

/** Deriving whole deposit addresses, as the pool is filled with them, against bare public derivation of their keys. */
async function run(): Promise<void> {
  const all = cases();
  for (const one of all) microsecondsEach(one, 0);
  const times = all.map((): number[] => []);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [at, one] of all.entries()) times[at]?.push(microsecondsEach(one, round * ADDRESSES));
  }
  const ratios = times.map((own) => median(own.map((time, round) => (times[0]?.[round] ?? NaN) / time)));
  report({
    bench: 'derive',
    rows: all.map(({ name }, at) => ({
      case: name,
      'µs each': rounded(median(times[at] ?? [])),
      'times as fast': rounded(ratios[at] ?? NaN),
    })),
    checks: all.slice(1).map(({ name }, at) => ({
      name: `${name} ÷ bare public derivation`,
      value: ratios[at + 1] ?? NaN,
      atLeast: TARGET,
    })),
    facts: { rounds: ROUNDS, addressesEach: ADDRESSES },
  });
}

export default { name: 'derive', run };
