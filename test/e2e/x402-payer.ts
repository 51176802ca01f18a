import assert from 'node:assert/strict';
import { authorizationTypes } from '@x402/evm';
import { encodeFunctionData, parseSignature, toHex } from 'viem';
import type { Address, Hex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { invoke, read, receipt } from '../support/contracts.ts';
import { MNEMONIC, PAYER, TillOnAnvil } from './till-on-anvil.ts';
import type { TillOptions } from './till-on-anvil.ts';

/** The till's hot wallet. */
export const HOT = mnemonicToAccount(MNEMONIC, { path: "m/44'/60'/0'/0/0" }).address;
export const ETHER = 10n ** 18n;
const CANCEL = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** As the till demands it. */
export interface Requirements {
  readonly network: string;
  readonly amount: string;
  readonly asset: Address;
  readonly payTo: Address;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly name: string; readonly version: string; readonly ticket?: string };
}

/** What a forged payment changes. */
export interface Forgery {
  readonly to?: Address;
  readonly value?: bigint;
  readonly validAfter?: bigint;
  readonly validBefore?: bigint;
  readonly nonce?: Hex;
  readonly chainId?: number;
  readonly from?: Address;
}

/** What the till answers to a payer. */
export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

/** A transaction of a block. */
interface Sent {
  readonly from: string;
  readonly to: string | null;
}

/** The JSON of a header. */
export const unpack = (header: string | null): Record<string, unknown> =>
  JSON.parse(Buffer.from(header ?? '', 'base64').toString('utf8')) as Record<string, unknown>;

/** Asks for an order's payment, with a signature or without. */
export async function get(page: string, signature?: string): Promise<Reply> {
  const reply = await fetch(`${page}/x402`, {
    headers: signature === undefined ? {} : { 'PAYMENT-SIGNATURE': signature },
  });
  const body = (await reply.json()) as Record<string, unknown>;
  return { status: reply.status, body, headers: reply.headers };
}

/** What an order demands. */
export async function demanded(page: string): Promise<Requirements> {
  const { status, headers, body } = await get(page);
  assert.equal(status, 402, JSON.stringify(body));
  const { x402Version, accepts } = unpack(headers.get('payment-required'));
  assert.equal(x402Version, 2);
  const [one] = accepts as readonly Requirements[];
  assert(one !== undefined);
  return one;
}

/** A header as a payer's own program would make it. */
export async function signed(terms: Requirements, forgery: Forgery = {}): Promise<string> {
  const now = BigInt(Math.floor(Date.now() / 1000));
  const message = {
    from: forgery.from ?? PAYER.address,
    to: forgery.to ?? terms.payTo,
    value: forgery.value ?? BigInt(terms.amount),
    validAfter: forgery.validAfter ?? now - 600n,
    validBefore: forgery.validBefore ?? now + BigInt(terms.maxTimeoutSeconds),
    nonce: forgery.nonce ?? toHex(crypto.getRandomValues(new Uint8Array(32))),
  };
  const chainId = forgery.chainId ?? Number(terms.network.split(':')[1]);
  const signature = await PAYER.signTypedData({
    domain: { ...terms.extra, chainId, verifyingContract: terms.asset },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const authorization = Object.fromEntries(Object.entries(message).map(([name, value]) => [name, String(value)]));
  const payment = { x402Version: 2, accepted: terms, payload: { signature, authorization } };
  return Buffer.from(JSON.stringify(payment)).toString('base64');
}

/** What a header's payload authorizes. */
export function authorizationOf(header: string): {
  readonly signature: Hex;
  readonly authorization: Record<string, string>;
} {
  return (unpack(header) as { payload: { signature: Hex; authorization: Record<string, string> } }).payload;
}

/** Sends an authorization past the till, as anybody can who has seen it. */
export async function sendsByItself(till: TillOnAnvil, header: string): Promise<void> {
  const { authorization, signature } = authorizationOf(header);
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const { r, s, v } = parseSignature(signature);
  const args = [from, to, value, validAfter, validBefore, nonce, v, r, s];
  const hash = await invoke(till.anvil, till.tokens.honest, 'transferWithAuthorization', args);
  assert.equal((await receipt(till.anvil, hash)).status, 'success');
}

/** Takes an authorization back (EIP-3009), at a gas price that comes before the till's. */
export async function cancels(till: TillOnAnvil, header: string): Promise<void> {
  const { from: authorizer = '', nonce = '' } = authorizationOf(header).authorization;
  const name = await read<string>(till.anvil, till.tokens.honest, 'name');
  const signature = await PAYER.signTypedData({
    domain: { name, version: '2', chainId: till.anvil.chainId, verifyingContract: till.tokens.honest.address },
    types: CANCEL,
    primaryType: 'CancelAuthorization',
    message: { authorizer: authorizer as Address, nonce: nonce as Hex },
  });
  const { r, s, v } = parseSignature(signature);
  await firstInBlock(till, 'cancelAuthorization', [authorizer, nonce, v, r, s]);
}

/** The payer's own transaction to the token, at a gas price that comes before the till's. */
export async function firstInBlock(till: TillOnAnvil, functionName: string, args: readonly unknown[]): Promise<Hex> {
  const { abi, address: to } = till.tokens.honest;
  const nonce = Number(await till.anvil.rpc<Hex>('eth_getTransactionCount', [PAYER.address, 'pending']));
  const price = 200_000_000_000n;
  return till.send(
    await PAYER.signTransaction({
      ...{ type: 'eip1559', chainId: till.anvil.chainId, nonce, to, gas: 200_000n },
      ...{ maxFeePerGas: price, maxPriorityFeePerGas: price },
      data: encodeFunctionData({ abi, functionName, args }),
    }),
  );
}

/** How many of the hot wallet's transactions call the token: nothing but authorizations does. Sweeps of others go on beside. */
export async function chargesSent({ anvil, tokens }: TillOnAnvil): Promise<number> {
  const token = tokens.honest.address.toLowerCase();
  const last = Number(await anvil.rpc<Hex>('eth_blockNumber', []));
  const blocks = [...Array.from({ length: last + 1 }, (_, height) => toHex(height)), 'pending'];
  let sent = 0;
  for (const block of blocks) {
    const { transactions } = await anvil.rpc<{ transactions: readonly Sent[] }>('eth_getBlockByNumber', [block, true]);
    sent += transactions.filter(({ from, to }) => from === HOT.toLowerCase() && to === token).length;
  }
  return sent;
}

/** A till whose hot wallet can pay for gas. */
export async function startChargingTill(
  engine: 'sqlite' | 'pg',
  options: Pick<TillOptions, 'further'> = {},
): Promise<TillOnAnvil> {
  const till = await TillOnAnvil.start(engine, { timeoutSeconds: 600, ...options });
  await till.anvil.rpc('anvil_setBalance', [HOT, toHex(ETHER)]);
  await till.anvil.mine(6);
  await till.caughtUp();
  return till;
}
