import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeFunctionData, erc20Abi } from 'viem';
import { evmPaymentUri } from '../../adapters/chains/evm/evm-address.ts';
import { walletRequest } from '../../host/checkout/wallet-request.ts';
import { EVM_PRESETS } from '../../plugins/evm/presets.ts';

const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const CONTRACT = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

describe('what a wallet in the browser is asked for', () => {
  test('coins: the address, the amount and nothing else', () => {
    const units = 10n ** 24n + 7n;
    const request = walletRequest('BASE', evmPaymentUri(8453, '', { address: TO, currency: 'ETH-BASE', units }));
    assert.deepEqual(
      [request?.to, request?.value, request?.data, request?.chainId],
      [TO, `0x${units.toString(16)}`, '', '0x2105'],
    );
  });

  test('tokens: a call that another library reads as the transfer of these units, without coins', () => {
    const units = 12_100_000n;
    const uri = evmPaymentUri(8453, CONTRACT, { address: TO, currency: 'USDC-BASE', units });
    const request = walletRequest('BASE', uri);
    assert.deepEqual([request?.to, request?.value], [CONTRACT, '0x0']);
    assert.equal(request?.data.length, 2 + 2 * 68);
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: request?.data as `0x${string}` });
    assert.deepEqual([functionName, args], ['transfer', [TO, units]]);
  });

  test('a network that the wallet may not know is described as its preset is, and not by the till’s own node', () => {
    for (const { code, chainId, name, coin, publicRpcUrl } of Object.values(EVM_PRESETS)) {
      const { network } =
        walletRequest(code, evmPaymentUri(chainId, '', { address: TO, currency: coin.currency, units: 1n })) ?? {};
      assert.deepEqual([network?.chainName, network?.rpcUrls], [name, [publicRpcUrl]]);
      assert.deepEqual([Number(network?.chainId), network?.nativeCurrency.symbol], [chainId, coin.symbol]);
    }
  });

  test('a preset on its test network, and a chain by hand, have no description', () => {
    const on = (chain: string, id: number) =>
      walletRequest(chain, evmPaymentUri(id, '', { address: TO, currency: 'X', units: 1n }));
    assert.equal(on('BASE', 84532)?.network, null);
    assert.equal(on('LINEA', 8453)?.network, null);
  });

  test('nothing is asked for on other kinds of chains, nor by a link of another form', () => {
    for (const uri of [
      'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=1',
      'lightning:lnbc1',
      TO,
      `ethereum:${TO}@1?value=1&gas=9`,
      `ethereum:${TO}@1/approve?address=${TO}&uint256=1`,
      `javascript:ethereum:${TO}@1?value=1`,
    ])
      assert.equal(walletRequest('ETH', uri), null, uri);
  });
});
