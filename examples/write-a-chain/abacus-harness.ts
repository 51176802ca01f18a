import { MnemonicWallet, setUpPlugin } from 'tillgate/testing';
import type { ChainHarness, ChainTricks, PluginYield } from 'tillgate/testing';
import { present } from 'tillgate/plugin';
import type { ChainAdapter, SignedPayout, Signer } from 'tillgate/plugin';
import { AbacusNode } from './abacus-node.ts';
import { ACCOUNTS } from './abacus-payments.ts';
import { signTransaction } from './abacus-intent.ts';
import { transactionId } from './abacus-wire.ts';
import type { WireTransaction } from './abacus-wire.ts';
import abacus from './index.ts';

/** A public mnemonic, for tests only. */
const WORDS = 'test test test test test test test test test test test junk';
const UNITS = 1_000_000n;

/** The functions with which the conformance kit causes events on Abacus. */
export const abacusHarness: ChainHarness = {
  lacks: {
    batch: 'a transaction of Abacus pays once',
    byContract: 'it has no contracts',
    blockDependent: 'a transaction’s id commits to what it pays',
    counterfeit: 'it has one coin, and nobody can make another',
    expiry: 'what was signed stays good as long as its nonce is free',
  },
  open: async () => {
    const nodes = [await AbacusNode.start(), await AbacusNode.start('another network')] as const;
    const [node, other] = nodes;
    const wallet = new MnemonicWallet(WORDS);
    const opened: PluginYield[] = [];
    const genesis = present(node.blocks[0], 'the first block').hash;
    const open = async (url: string): Promise<ChainAdapter> => {
      const set = await setUpPlugin(abacus({ url, genesis }), { wallet });
      opened.push(set);
      return present(set.chains[0], 'the chain');
    };
    return {
      chain: await open(node.url),
      currency: 'ABC',
      units: UNITS,
      reopen: () => open(node.url),
      pay: async (to, units) => node.pay(to, units),
      mine: async (blocks) => node.mine(blocks),
      tricks: { ...tricksOf(node, wallet), otherNetwork: () => open(other.url) },
      close: async () => {
        await Promise.all([...opened.map((set) => set.close()), ...nodes.map((one) => one.stop())]);
      },
    };
  },
};

function tricksOf(node: AbacusNode, signer: Signer): Partial<ChainTricks> {
  return {
    failure: async (to) => {
      // More than the payer has: it costs the fee and moves nothing.
      return node.pay(to, 10n ** 29n);
    },
    replacement: async (to, units) => {
      const { nextNonce: nonce } = node.account(node.payer);
      const replaced = node.pay(to, units, { nonce });
      node.pay(node.payer, units, { nonce, fee: 50n });
      return replaced;
    },
    reorganisation: async (depth, outcome) => node.reorganise(depth, outcome),
    outage: (on) => void (node.trouble.down = on),
    lag: (blocks) => void (node.trouble.lag = blocks),
    lies: (on) => void (node.trouble.lies = on),
    lostReplies: (on) => void (node.trouble.losesReplies = on),
    forgetting: () => node.forget(),
    fund: async ({ address }, units) => {
      node.pay(address, units + 1_000n);
      node.mine();
      return [];
    },
    rival: async (payout) => {
      const rival = await rivalOf(payout, signer);
      await fetch(`${node.url}/transactions`, { method: 'POST', body: JSON.stringify(rival) });
      node.mine();
      return transactionId(rival);
    },
  };
}

/** The same nonce and key but another receiver, as a second till with the same seed would sign it. */
async function rivalOf({ attempts }: SignedPayout, signer: Signer): Promise<WireTransaction> {
  const { signature: _, ...mine } = JSON.parse(present(attempts[0], 'an attempt').raw) as WireTransaction;
  const unsigned = { ...mine, to: mine.from };
  const { bytes } = await signTransaction(signer, `${ACCOUNTS.hot}/0/0`, unsigned);
  return { ...unsigned, signature: Buffer.from(bytes).toString('hex') };
}
