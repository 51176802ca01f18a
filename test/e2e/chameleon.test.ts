import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { encodeFunctionData } from 'viem';
import type { Hex } from 'viem';
import { deployContract, invoke, mint } from '../support/contracts.ts';
import type { DeployedContract } from '../support/contracts.ts';
import { waitFor } from '../support/wait.ts';
import { CONFIRMATIONS, PAYER, TillOnAnvil } from './till-on-anvil.ts';

const USDT = 1_000_000n;
const DAI = 10n ** 18n;
/** Rival blocks of one height are made by different proposers. */
const FIRST = '0x0000000000000000000000000000000000000101';
const SECOND = '0x0000000000000000000000000000000000000100';
/** Two effects of one transaction: in a block of the first proposer, and in one of the second. */
interface Effects {
  readonly tokens: readonly [DeployedContract, DeployedContract];
  readonly receivers: readonly [string, string];
  readonly amounts: readonly [bigint, bigint];
}

/** `safe` and `finalized` are 32 and 64 blocks below anvil's head. */
const SETUPS = [
  { name: 'by confirmations', blocks: CONFIRMATIONS, options: {} },
  { name: 'by two nodes and marks', blocks: 40, options: { quorum: 2, creditTag: 'safe', spendTag: 'finalized' } },
] as const;

for (const { name, blocks, options } of SETUPS) {
  describe(`contract payments in rival blocks, credited ${name}`, { concurrency: 1 }, () => {
    let till: TillOnAnvil;
    let chameleon: DeployedContract;
    before(async () => {
      till = await TillOnAnvil.start('sqlite', {
        timeoutSeconds: 600,
        watchSeconds: 600,
        further: async ({ directory, anvil }) => {
          const written = readFileSync(join(directory, 'tillgate.config.json'), 'utf8');
          const { plugins } = JSON.parse(written) as { plugins: [{ use: string; options: { rpcUrls: string[] } }] };
          const [{ use, options: given }] = plugins;
          const rpcUrls = 'quorum' in options ? [...given.rpcUrls, anvil.url] : given.rpcUrls;
          return { plugins: [{ use, options: { ...given, ...options, rpcUrls } }] };
        },
      });
      chameleon = await deployContract(till.anvil, 'Chameleon');
      for (const token of [till.tokens.honest, till.tokens.lying])
        await mint(till.anvil, token, chameleon.address, 10n ** 30n);
    });
    after(() => till.close());

    /** The same signed bytes in two rival blocks: the till reads the first, and the second stays. */
    async function payTwice({ tokens, receivers, amounts }: Effects): Promise<void> {
      const { anvil } = till;
      const args = [tokens.map(({ address }) => address), receivers, amounts];
      const data = encodeFunctionData({ abi: chameleon.abi, functionName: 'pay', args });
      const nonce = Number(await anvil.rpc<Hex>('eth_getTransactionCount', [PAYER.address, 'latest']));
      const fees = { gas: 200_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n };
      const call = { type: 'eip1559', chainId: anvil.chainId, nonce, to: chameleon.address, data, ...fees } as const;
      const raw = await PAYER.signTransaction(call);
      await anvil.setAutomine(false);
      const before = await anvil.rpc<string>('evm_snapshot');
      const hash = await mined(raw, FIRST);
      await till.caughtUp();
      await anvil.rpc('evm_revert', [before]);
      await anvil.setAutomine(false);
      assert.equal(await mined(raw, SECOND), hash, 'the same transaction');
      await anvil.mine(blocks);
      await till.caughtUp();
    }

    async function mined(raw: Hex, proposer: string): Promise<Hex> {
      await till.anvil.rpc('anvil_setCoinbase', [proposer]);
      const hash = await till.send(raw);
      await till.anvil.mine(1);
      return hash;
    }

    const obtained = async (id: string): Promise<unknown> => (await till.detail(id)).data['obtained'];
    const becomesObtained = (id: string, amount: string): Promise<unknown> =>
      waitFor(async () => (await obtained(id)) === amount, { timeoutMs: 60_000, describe: `${amount} of ${id}` });

    test('fault 330: one that pays 10,000 in the block that is gone and 0.02 in the one that stays is credited 0.02', async () => {
      const { honest } = till.tokens;
      const { id, address } = await till.order('USDT-ERC20', '10000');
      const amounts = [10_000n * USDT, USDT / 50n] as const;
      await payTwice({ tokens: [honest, honest], receivers: [address, address], amounts });
      await becomesObtained(id, '0.02');
      assert.equal(await till.merchant.status(id), 'PENDING');
      assert.match(till.log, /was mined again in another block and pays 0\.02 USDT-ERC20/);
    });

    test('fault 330: one that pays another order in the block that stays pays that one', async () => {
      const { honest } = till.tokens;
      const [first, second] = [await till.order('USDT-ERC20', '50'), await till.order('USDT-ERC20', '50')];
      const amounts = [50n * USDT, 50n * USDT] as const;
      await payTwice({ tokens: [honest, honest], receivers: [first.address, second.address], amounts });
      await till.becomes(second.id, 'SUCCESS');
      assert.equal(await till.merchant.status(first.id), 'PENDING');
      assert.equal(await obtained(first.id), null);
    });

    test('fault 330: one that pays nothing in the block that stays pays nothing; one that pays another coin does not pay the order', async () => {
      const { honest, lying } = till.tokens;
      const { id, address } = await till.order('USDT-ERC20', '50');
      await payTwice({ tokens: [honest, honest], receivers: [address, address], amounts: [50n * USDT, 0n] });
      await payTwice({ tokens: [honest, lying], receivers: [address, address], amounts: [50n * USDT, 50n * DAI] });
      const paid = await till.order('USDT-ERC20', '20');
      await till.payConfirmed(paid.address, 20n * USDT);
      await till.anvil.mine(blocks);
      await till.becomes(paid.id, 'SUCCESS');
      assert.equal(await till.merchant.status(id), 'PENDING');
      assert.equal(await obtained(id), null);
    });

    test('fault 330: coins that a contract sends count as the block that stays has them', async () => {
      const { anvil } = till;
      const { id, address, amount } = await till.order('ETH', '2500');
      assert.equal(amount, '1');
      await anvil.rpc('anvil_setBalance', [chameleon.address, `0x${(10n ** 20n).toString(16)}`]);
      await anvil.setAutomine(false);
      await anvil.rpc('anvil_setCoinbase', [FIRST]);
      const before = await anvil.rpc<string>('evm_snapshot');
      const send = (): Promise<Hex> => invoke(anvil, chameleon, 'payCoin', [address, DAI, DAI / 10n]);
      await send();
      await anvil.mine(1);
      await till.caughtUp();
      await anvil.rpc('evm_revert', [before]);
      await anvil.setAutomine(false);
      await anvil.rpc('anvil_setCoinbase', [SECOND]);
      await send();
      await anvil.mine(1);
      await anvil.mine(blocks);
      await becomesObtained(id, '0.1');
      assert.equal(await till.merchant.status(id), 'PENDING');
      const check = await till.command('ledger', 'check');
      assert.equal(check.code, 0, check.out);
    });
  });
}
