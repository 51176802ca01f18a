import { createPublicClient, createWalletClient, http } from 'viem';
import type { Abi, Address, Hash, Hex, PublicClient, WalletClient } from 'viem';
import type { Anvil } from './anvil.ts';
import { compileContracts } from './solidity.ts';
import { waitFor } from './wait.ts';

/** The contracts in `contracts/`; each source describes its misbehaviour. */
export type ContractName =
  'TestToken' | 'AuthorizedToken' | 'BlockToken' | 'Chameleon' | 'FalseToken' | 'FeeToken' | 'LyingToken' | 'Forwarder';

/** A deployed contract. */
export interface DeployedContract {
  readonly address: Address;
  readonly abi: Abi;
}

/** Options of {@link invoke}. */
export interface InvokeOptions {
  /** One of anvil's unlocked accounts, or an impersonated one; the first account by default. */
  readonly from?: Address;
  /** In wei. */
  readonly value?: bigint;
}

/** Enough for every test; with a fixed limit a transaction that reverts is mined too. */
const gas = 1_000_000n;

/**
 * Deploys a contract from anvil's first account, and waits until it is mined, even without automatic mining.
 *
 * @param args - tokens: `[symbol, decimals]`, FeeToken: `[symbol, decimals, feeBasisPoints]`, Forwarder: none
 */
export async function deployContract(
  anvil: Anvil,
  name: ContractName,
  args: readonly unknown[] = [],
): Promise<DeployedContract> {
  const contract = (await compileContracts())[name];
  if (!contract) throw new Error(`no contract ${name} in test/support/contracts`);
  const { wallet, account } = await sender(anvil);
  const hash = await wallet.deployContract({ ...contract, args, account, chain: null, gas: 5_000_000n });
  const { contractAddress } = await mined(anvil, hash);
  if (!contractAddress) throw new Error(`${name} was not deployed`);
  return { address: contractAddress, abi: contract.abi };
}

/** Sends a transaction that calls a function, without waiting for its block, which the test mines. */
export async function invoke(
  anvil: Anvil,
  contract: DeployedContract,
  functionName: string,
  args: readonly unknown[],
  { from, value = 0n }: InvokeOptions = {},
): Promise<Hash> {
  const { wallet, account } = await sender(anvil);
  return wallet.writeContract({ ...contract, functionName, args, value, gas, account: from ?? account, chain: null });
}

/** Reads from a contract at the latest block. */
export async function read<T>(
  anvil: Anvil,
  contract: DeployedContract,
  functionName: string,
  args: readonly unknown[] = [],
): Promise<T> {
  return (await reader(anvil).readContract({ ...contract, functionName, args })) as T;
}

/** Mints tokens to an address, and waits until the block is mined. */
export async function mint(anvil: Anvil, token: DeployedContract, to: Address, units: bigint): Promise<Hash> {
  const hash = await invoke(anvil, token, 'mint', [to, units]);
  await mined(anvil, hash);
  return hash;
}

/** Sends tokens, from anvil's first account by default; like {@link invoke} it does not wait for the block. */
export async function transfer(
  anvil: Anvil,
  token: DeployedContract,
  to: Address,
  units: bigint,
  options: InvokeOptions = {},
): Promise<Hash> {
  return invoke(anvil, token, 'transfer', [to, units], options);
}

export interface Receipt {
  readonly status: 'success' | 'reverted';
  readonly blockNumber: bigint;
  readonly contractAddress: Address | null;
  readonly logs: readonly { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

/** Waits until the transaction is mined: anvil answers before it mines, even with automatic mining. */
export async function receipt(anvil: Anvil, hash: Hash): Promise<Receipt> {
  const raw = await waitFor(
    () =>
      anvil.rpc<(Omit<Receipt, 'status' | 'blockNumber'> & { status: Hex; blockNumber: Hex }) | null>(
        'eth_getTransactionReceipt',
        [hash],
      ),
    {
      describe: `the receipt of ${hash}`,
    },
  );
  return { ...raw, status: raw.status === '0x1' ? 'success' : 'reverted', blockNumber: BigInt(raw.blockNumber) };
}

/** The same, but mines the block itself without automatic mining, and throws if the transaction reverted. */
async function mined(anvil: Anvil, hash: Hash): Promise<Receipt> {
  if (!(await anvil.rpc<boolean>('anvil_getAutomine'))) await anvil.mine();
  const found = await receipt(anvil, hash);
  if (found.status === 'reverted') throw new Error(`transaction ${hash} was reverted`);
  return found;
}

async function sender(anvil: Anvil): Promise<{ wallet: WalletClient; account: Address }> {
  const wallet = createWalletClient({ transport: http(anvil.url) });
  const [account] = await wallet.getAddresses();
  if (!account) throw new Error('anvil was started without accounts');
  return { wallet, account };
}

function reader(anvil: Anvil): PublicClient {
  return createPublicClient({ transport: http(anvil.url) });
}
