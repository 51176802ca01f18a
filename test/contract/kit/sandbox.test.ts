import { describeChain, memoryDocuments, setUpPlugin } from '../../../adapters/testing/index.ts';
import type { ChainHarness, PluginYield } from '../../../adapters/testing/index.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { present } from '../../../core/index.ts';
import type { SpendableCoin } from '../../../core/index.ts';
import { sandbox } from '../../../plugins/sandbox/index.ts';
import type { SandboxChain } from '../../../plugins/sandbox/sandbox-chain.ts';

const WORDS = 'test test test test test test test test test test test junk';
const MINED_AT_ONCE = 'whatever is sent is mined at once';
const NO_NODE = 'it is a document, and no node stands between';

function sandboxHarness(code: string, currency: string, units: bigint): ChainHarness {
  return {
    lacks: {
      otherNetwork: NO_NODE,
      outage: NO_NODE,
      lag: NO_NODE,
      lies: NO_NODE,
      lostReplies: NO_NODE,
      batch: 'a simulated payment pays once',
      failure: 'every simulated payment succeeds',
      byContract: 'it has no contracts',
      counterfeit: 'only configured coins are simulated',
      replacement: MINED_AT_ONCE,
      forgetting: MINED_AT_ONCE,
      bump: MINED_AT_ONCE,
      sweep: 'coins are spent where they lie',
      expiry: 'nothing expires',
    },
    open: async () => {
      const documents = memoryDocuments();
      const opened: PluginYield[] = [];
      const open = async (): Promise<SandboxChain> => {
        const set = await setUpPlugin(sandbox(), { wallet: new MnemonicWallet(WORDS), documents });
        opened.push(set);
        return set.chains.find((one) => one.code === code) as SandboxChain;
      };
      const chain = await open();
      const funded = new Map<string, SpendableCoin>();
      const dependent = new Set<string>();
      return {
        chain,
        currency,
        units,
        reopen: open,
        pay: (to, amount) => chain.simulator.pay(to, currency, amount),
        mine: (blocks) => chain.simulator.mine(blocks),
        tricks: {
          blockDependent: async (to, amount) => {
            const txid = await chain.simulator.pay(to, currency, amount);
            dependent.add(txid);
            return txid;
          },
          reorganisation: (depth, outcome) =>
            chain.reorganise(depth, {
              remine:
                outcome === 'again' &&
                ((one) => (dependent.has(one.txid) ? { ...one, units: `${BigInt(one.units) / 3n}` } : one)),
            }),
          fund: async ({ address, index }, amount) => {
            const txid = await chain.simulator.pay(address, currency, amount);
            const { height } = await chain.head();
            const { transfers } = await chain.scan(height, height, { has: () => true, nativeKeys: () => [] });
            const coin = { ref: `${txid}:${present(transfers[0], 'the coin').index}`, address, index, units: amount };
            funded.set(coin.ref, coin);
            return [coin];
          },
          rival: async (payout) => {
            const payments = present(chain.payments, 'the paying side');
            const coins = payout.coins.map((ref) => present(funded.get(ref), 'a funded coin'));
            const line = { to: payments.hotAddress, currency, units: units / 2n };
            const priced = await payments.price({ source: payout.source, lines: [line], coins, replaces: null });
            const signed = await payments.sign({ source: payout.source, lines: [line], priced, nonce: null });
            await payments.broadcast(signed);
            return signed.txid;
          },
        },
        close: async () => {
          await Promise.all(opened.map((set) => set.close()));
        },
      };
    },
  };
}

describeChain('sandbox: a coin', sandboxHarness('BTC', 'BTC', 1_000_000n));
describeChain('sandbox: a token', sandboxHarness('ETH', 'USDT-ERC20', 5_000_000n));
