/** `@x402/fetch` pays an order, or at the gate where there is GATE_URL: prints what ../x402.test.ts reads. */
import { readFileSync } from 'node:fs';
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import type { Hex } from 'viem';

const { X402_URL: url = '', CHAIN_ID, PRIVATE_KEY } = process.env;
const say = (...words: readonly unknown[]): void => console.log(words.join(' '));

const manifest = new URL('../../../../node_modules/@x402/fetch/package.json', import.meta.url);
say('version', (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version);
const scheme = new ExactEvmScheme(privateKeyToAccount(PRIVATE_KEY as Hex));
// By default it pays with the tokens that it knows; the one of this test it cannot know.
const client = x402Client.fromConfig({
  schemes: [{ network: `eip155:${Number(CHAIN_ID)}`, client: scheme }],
  spendControls: false,
});
const pay = wrapFetchWithPayment(fetch, client);
const { GATE_URL: gate } = process.env;
if (gate === undefined) {
  for (const name of ['paid', 'again']) {
    const reply = await pay(url);
    say(name, reply.status, reply.headers.get('payment-response') ?? '-');
  }
} else {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' });
  const json = { 'Content-Type': 'application/json' };
  const reply = await pay(gate, { method: 'POST', headers: json, body });
  say('paid', reply.status, reply.headers.get('payment-response') ?? '-');
  say('read', ((await reply.json()) as { result?: string }).result);
  const key = `Bearer ${reply.headers.get('tillgate-key')}`;
  const next = await fetch(gate, { method: 'POST', headers: { ...json, Authorization: key }, body });
  say('again', next.status, ((await next.json()) as { result?: string }).result);
}
