import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  callbackPresenter,
  orderDetailSchema,
  orderSchema,
  presentOrder,
  presentOrderDetail,
} from '../../../../adapters/http/operations/order-record.ts';
import {
  AssetCatalogue,
  buildCallback,
  NO_REFUNDS,
  orderDetailView,
  reportedOrder,
  BUILT_IN_ASSETS,
  withDefaults,
} from '../../../../core/index.ts';
import type { CallbackId, Deposit, DepositId, DepositStatus, Order, OrderDetailView } from '../../../../core/index.ts';
import { ORDER } from '../../../http/fake-edge.ts';
import { START } from '../../../support/fakes.ts';

const PAID: Order = {
  ...ORDER,
  status: 'SUCCESS',
  vsPrice: 2550n,
  payment: ORDER.payment && { ...ORDER.payment, units: 25_500_000n, address: '0xpay' },
  received: 25_500_001n,
  ...withDefaults({
    remark: 'tea & "cake" | grün',
    links: { callbackUrl: 'https://shop.example/paid?a=1', timeoutCallback: 'https://shop.example/late' },
    enablePostCallback: true,
  }),
  updatedAt: START + 61_000,
  refundAddress: '0xback',
  refundAddressAt: START - 1,
};

function deposit(id: string, txid: string, status: DepositStatus, fromAddress: string | null, units: bigint): Deposit {
  const block = {
    blockHeight: 1,
    blockHash: '0xb1',
    seenAt: START,
    paidAt: START,
    creditedAt: null,
    credits: 1,
    lossUnits: 0n,
    returnCostUnits: 0n,
  };
  return {
    id: id as DepositId,
    orderId: ORDER.id,
    accountId: ORDER.accountId,
    chain: 'ETH',
    txid,
    index: '0',
    ...block,
    currency: 'USDT-ERC20',
    units,
    fromAddress,
    toAddress: '0xpay',
    status,
    assignment: 'ORDER',
    unassignedReason: null,
    leastConfirmations: null,
    rate: null,
  };
}

const CASES: Readonly<Record<string, { readonly order: Order; readonly deposits: readonly Deposit[] }>> = {
  paid: {
    order: PAID,
    deposits: [
      deposit('7', '0xa1', 'CREDITED', '0xfrom', 25_000_000n),
      deposit('8', '0xa1', 'SPENDABLE', '0xfrom', 500_000n),
      deposit('9', '0xa2', 'CREDITED', '0xfrom', 1n),
    ],
  },
  orphaned: {
    order: { ...PAID, received: 0n, status: 'TERMINATED' },
    deposits: [deposit('7', '0xa1', 'ORPHANED', '0xfrom', 25_000_000n), deposit('8', '0xa3', 'SEEN', null, 1n)],
  },
  unchosen: { order: { ...PAID, payment: null, received: 0n, status: 'OVERDUE', platform: 'CHECKOUT' }, deposits: [] },
};

/** The bytes that integrations receive. */
const SENT: Readonly<Record<string, { readonly body: string; readonly url: string; readonly detail: string }>> = {
  paid: {
    body: '{"user_id":"1530217733410816000","order_id":"1530217733414232064","order_type":"ORDER","platform":"API","status":"SUCCESS","chain":"ETH","chain_name":"Ethereum","currency":"USDT-ERC20","amount":"25.5","vs_price":"25.5","vs_currency":"USD","remark":"tea & \\"cake\\" | grün","refund":true,"bind_id":null,"create_time":"2026-03-01T12:00:00","update_time":"2026-03-01T12:01:01","tx_id":"9","tx_type":"ORDER","obtained":"25.500001","fee":"0","from_addr":"0xfrom","to_addr":"0xpay","tx_hash":"0xa2","tx_hash_list":["0xa1","0xa2"],"contract_id":"0xdac1","website":null,"merchant_reference":null,"metadata":{}}',
    url: 'https://shop.example/paid?a=1&event=order.succeeded&order_id=1530217733414232064&status=SUCCESS&chain=ETH&currency=USDT-ERC20&amount=25.5&vs_price=25.5&vs_currency=USD&tx_hash=0xa2&merchant_reference=&metadata=%7B%7D',
    detail:
      '{"user_id":"1530217733410816000","order_id":"1530217733414232064","order_type":"ORDER","platform":"API","status":"SUCCESS","chain":"ETH","chain_name":"Ethereum","currency":"USDT-ERC20","amount":"25.5","vs_price":"25.5","vs_currency":"USD","remark":"tea & \\"cake\\" | grün","refund":true,"create_time":"2026-03-01T12:00:00","update_time":"2026-03-01T12:01:01","merchant_reference":null,"metadata":{},"tx_id":"9","tx_type":"ORDER","obtained":"25.500001","fee":"0","from_addr":"0xfrom","contract_id":"0xdac1","to_addr":"0xpay","tx_hash":"0xa2"}',
  },
  orphaned: {
    body: '{"user_id":"1530217733410816000","order_id":"1530217733414232064","order_type":"ORDER","platform":"API","status":"TERMINATED","chain":"ETH","chain_name":"Ethereum","currency":"USDT-ERC20","amount":"25.5","vs_price":"25.5","vs_currency":"USD","remark":"tea & \\"cake\\" | grün","refund":false,"bind_id":null,"create_time":"2026-03-01T12:00:00","update_time":"2026-03-01T12:01:01","tx_id":"","tx_type":"ORDER","obtained":null,"fee":"0","from_addr":null,"to_addr":"0xpay","tx_hash":"0xa3","tx_hash_list":["0xa3"],"contract_id":"0xdac1","website":null,"merchant_reference":null,"metadata":{}}',
    url: 'https://shop.example/late?event=order.timeout&order_id=1530217733414232064&status=TERMINATED&chain=ETH&currency=USDT-ERC20&amount=25.5&vs_price=25.5&vs_currency=USD&tx_hash=0xa3&merchant_reference=&metadata=%7B%7D',
    detail:
      '{"user_id":"1530217733410816000","order_id":"1530217733414232064","order_type":"ORDER","platform":"API","status":"TERMINATED","chain":"ETH","chain_name":"Ethereum","currency":"USDT-ERC20","amount":"25.5","vs_price":"25.5","vs_currency":"USD","remark":"tea & \\"cake\\" | grün","refund":false,"create_time":"2026-03-01T12:00:00","update_time":"2026-03-01T12:01:01","merchant_reference":null,"metadata":{},"tx_id":"","tx_type":"ORDER","obtained":null,"fee":"0","from_addr":null,"contract_id":"0xdac1","to_addr":"0xpay","tx_hash":"0xa3"}',
  },
  unchosen: {
    body: '{"user_id":"1530217733410816000","order_id":"1530217733414232064","order_type":"ORDER","platform":"CHECKOUT","status":"OVERDUE","chain":"","chain_name":"","currency":"","amount":"","vs_price":"25.5","vs_currency":"USD","remark":"tea & \\"cake\\" | grün","refund":false,"bind_id":null,"create_time":"2026-03-01T12:00:00","update_time":"2026-03-01T12:01:01","tx_id":"","tx_type":"ORDER","obtained":null,"fee":"0","from_addr":null,"to_addr":null,"tx_hash":null,"tx_hash_list":[],"contract_id":null,"website":null,"merchant_reference":null,"metadata":{}}',
    url: 'https://shop.example/late?event=order.timeout&order_id=1530217733414232064&status=OVERDUE&chain=&currency=&amount=&vs_price=25.5&vs_currency=USD&tx_hash=&merchant_reference=&metadata=%7B%7D',
    detail:
      '{"user_id":"1530217733410816000","order_id":"1530217733414232064","order_type":"ORDER","platform":"CHECKOUT","status":"OVERDUE","chain":"","chain_name":"","currency":"","amount":"","vs_price":"25.5","vs_currency":"USD","remark":"tea & \\"cake\\" | grün","refund":false,"create_time":"2026-03-01T12:00:00","update_time":"2026-03-01T12:01:01","merchant_reference":null,"metadata":{},"tx_id":"","tx_type":"ORDER","obtained":null,"fee":"0","from_addr":null,"contract_id":null,"to_addr":false,"tx_hash":""}',
  },
};

const ASSETS = new AssetCatalogue(BUILT_IN_ASSETS);
const chains = new Map([
  [
    'ETH',
    {
      contractAddress: (currency: string) => (currency === 'USDT-ERC20' ? '0xdac1' : ''),
      normaliseAddress: (text: string) => text,
      payments: null,
    },
  ],
]);

function callbackOf(order: Order, view: OrderDetailView) {
  const event = order.status === 'SUCCESS' ? 'order.succeeded' : 'order.timeout';
  const callback = buildCallback({
    id: '1' as CallbackId,
    order,
    event,
    content: callbackPresenter.present(event, view),
    now: START,
  });
  assert(callback !== null);
  return callback;
}

describe("an order's record", () => {
  for (const [name, { order, deposits }] of Object.entries(CASES)) {
    test(`of a callback and of the detail keeps its bytes: ${name}`, () => {
      const view = reportedOrder(order, deposits, NO_REFUNDS, ASSETS, chains);
      const post = callbackOf(order, view);
      const get = callbackOf({ ...order, enablePostCallback: false }, view);
      const detail = presentOrderDetail(
        orderDetailView(
          order,
          deposits,
          { refunds: NO_REFUNDS, available: order.received, frozen: false, holdMs: 0, now: START },
          ASSETS,
          chains,
        ),
      );
      assert.deepEqual({ body: post.body, url: get.url, detail: JSON.stringify(detail) }, SENT[name]);
    });
  }

  test('has exactly the fields of its schema', () => {
    const view = reportedOrder(PAID, [], NO_REFUNDS, ASSETS, chains);
    assert.deepEqual(Object.keys(presentOrder(view)).sort(), Object.keys(orderSchema.shape).sort());
    assert.deepEqual(Object.keys(presentOrderDetail(view)).sort(), Object.keys(orderDetailSchema.shape).sort());
  });
});
