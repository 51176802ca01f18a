import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseEvmOptions, parseUtxoOptions } from '../../../adapters/chains/index.ts';
import { nodesAt, nodeTrustOf, quorumProblems } from '../../../adapters/plugin-options/option-fields.ts';
import { openByNodes } from '../../../adapters/chains/quorum/index.ts';
import { agreeEvmPrice } from '../../../adapters/chains/evm/agree-price.ts';
import { readTerms, writeTerms } from '../../../adapters/chains/evm/payment-terms.ts';
import { lowestFee } from '../../../adapters/chains/quorum/index.ts';
import type { PricedPayment } from '../../../core/index.ts';
import { requireSecureNodes, requireTestNetworks } from '../../../host/boot/plugin-registry.ts';
import { definition as bitcoin } from '../../../plugins/bitcoin/definition.ts';
import { definition as ethereum } from '../../../plugins/ethereum/definition.ts';
import { FakeChain } from '../../support/fake-chain.ts';
import { FakeClock } from '../../support/fakes.ts';

const [A, B] = ['https://a.example/key', 'https://b.example/key'];

describe('how many nodes have to agree', () => {
  test('two of several, unless the settings say otherwise; URLs of one host are one node', () => {
    assert.equal(nodeTrustOf({}, [A]).quorum, 1);
    assert.equal(nodeTrustOf({}, [A, B]).quorum, 2);
    assert.equal(nodeTrustOf({}, [A, B, 'https://c.example']).quorum, 2);
    assert.equal(nodeTrustOf({}, [A, 'https://a.example/other-key']).quorum, 1);
    assert.equal(nodeTrustOf({ quorum: 1 }, [A, B]).quorum, 1);
    assert.deepEqual([...nodesAt([A, B, 'https://a.example/x']).values()], [[0, 2], [1]]);
  });

  test('a quorum that the nodes cannot reach is refused', () => {
    const problems = (quorum: number, ...urls: string[]) => quorumProblems(nodeTrustOf({ quorum }, urls), urls);
    assert.deepEqual(problems(2, A, B), []);
    assert.deepEqual(
      problems(2, A, 'https://a.example/other').map(({ path }) => path),
      ['quorum'],
    );
    const refuses = (parse: () => unknown) => assert.throws(parse, /quorum/);
    refuses(() => parseEvmOptions({ rpcUrls: [A], quorum: 2 }, ethereum));
    refuses(() => parseUtxoOptions({ rpcUrl: A, quorum: 2 }, bitcoin));
  });

  test('a node on another machine is asked without TLS only where the settings allow it', () => {
    const opened = (urls: readonly string[], insecureNodes = false) => {
      const options = {
        urls,
        quorum: 1,
        mainNetwork: false,
        insecureNodes,
        clock: new FakeClock(),
        agreePrice: lowestFee,
      };
      const chain = openByNodes(options, () => new FakeChain([], () => 0, { code: 'ETH' }));
      return { chains: new Map([['ETH', chain]]), chainNames: [], priceIds: {}, lightning: null, rateSources: [] };
    };
    const OTHER = 'http://node.internal:8545/key';
    const local = ['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1', A];
    requireSecureNodes(opened(local));
    requireSecureNodes(opened([OTHER], true));
    assert.throws(() => requireSecureNodes(opened([A, OTHER])), /ETH: node\.internal:8545 is used without TLS/);
    assert.throws(() => requireSecureNodes(opened(['http://127.0.0.1.evil.example'])), /without TLS/);
  });
});

describe('which price is believed', () => {
  const priced = (gas: bigint, price: bigint): PricedPayment => ({
    feeUnits: gas * price,
    coins: [],
    terms: writeTerms({ type: 'eip1559', gas, price, provisional: false, beside: 0n }),
  });

  test('the lowest gas price with the highest gas limit, while they are near each other', () => {
    const agreed = agreeEvmPrice([priced(100n, 50n), priced(200n, 5n)]);
    assert.equal(agreed?.feeUnits, 1_000n);
    assert.deepEqual([readTerms(agreed?.terms ?? '').gas, readTerms(agreed?.terms ?? '').price], [200n, 5n]);
    assert.equal(agreeEvmPrice([priced(100n, 5n), priced(201n, 5n)]), null);
    assert.equal(agreeEvmPrice([priced(100n, 5n), priced(100n, 51n)]), null);
    assert.equal(agreeEvmPrice([]), null);
  });

  test('the lowest fee, while none is more than ten times as high', () => {
    const fees = (...all: bigint[]) => lowestFee(all.map((feeUnits) => ({ feeUnits })))?.feeUnits ?? null;
    assert.equal(fees(30n, 3n), 3n);
    assert.equal(fees(3n, 31n), null);
    assert.equal(fees(), null);
  });
});

describe('which network the sandbox may follow', () => {
  test('none whose coins are worth money', () => {
    const opened = (mainNetwork: boolean) => {
      const trust = { urls: [A], quorum: 1, mainNetwork, insecureNodes: false };
      const chain = openByNodes(
        { ...trust, clock: new FakeClock(), agreePrice: lowestFee },
        () => new FakeChain([], () => 0, { code: 'ETH' }),
      );
      return { chains: new Map([['ETH', chain]]), chainNames: [], priceIds: {}, lightning: null, rateSources: [] };
    };
    requireTestNetworks(opened(false));
    assert.throws(() => requireTestNetworks(opened(true)), /ETH is on its main network.*"mode": "production"/);
  });
});
