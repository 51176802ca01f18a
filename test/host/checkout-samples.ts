import { CHAINS, BUILT_IN_ASSETS } from '../../core/index.ts';
import type { Cart, CheckoutView, Order, PaymentPart } from '../../core/index.ts';
import type { Choice } from '../../host/checkout/checkout-page.ts';
import type { OrderSnapshot, RefundNotice } from '../../host/checkout/order-snapshot.ts';
import type { PayerState } from '../../host/checkout/i18n-text.ts';

/** The moment of every sample. */
export const NOW = 1_767_225_600_000;
const MINUTE = 60_000;
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const REQUEST =
  'lnbcrt135u1pj0rv8hpp5g3v4u6e4n9k8m7w2q5x3z6y8t4r0s9d7f5h3j1l2k4m6n8p0q2rsdqqcqzzsxqyz5vqsp5usyc4lk9chsfp53kvcnvq456ganh60d89reykdngsmtj6yw3nhvq9qyyssqy4lgd8tj637qcjp05rdpxxykjenthxftej7a2zzmwrmrl70fyj9hvj0rewhzj7jfyuwkwcg9g2jpwtk3wkjtwnkdks84hsnu8xps5vsq4gj5hs';

const SAMPLE_PAYMENT = {
  chain: 'ETH',
  currency: 'USDT-ERC20',
  units: 13_500_000n,
  address: ADDRESS,
  rate: {
    at: NOW,
    coin: { symbol: 'USDT', usd: '1', sources: [] },
    fiat: { symbol: 'EUR', usd: '1.08', sources: [] },
    fixed: false,
  },
  chosenAt: NOW,
} as const;

/** What the sample with items is for: 12.50 EUR. */
export const CART: Cart = {
  lines: [
    { id: 'espresso', name: 'Espresso', price: 235n, quantity: 2 },
    { id: 'cake', name: 'Chocolate cake with cherries, the large piece', price: 640n, quantity: 1 },
  ],
  tip: 140n,
};

interface Change {
  readonly order?: Partial<Order>;
  readonly view?: Partial<CheckoutView>;
  readonly refund?: RefundNotice;
  readonly item?: string | null;
}

function snapshotOf(name: string, { order = {}, view = {}, refund, item = null }: Change): OrderSnapshot {
  return {
    at: NOW,
    version: name,
    refund: refund ?? null,
    item,
    ofShop: false,
    view: {
      order: {
        id: '1573438740016137425',
        accountId: '1573438740016137400',
        status: 'PENDING',
        platform: 'CHECKOUT',
        hosted: true,
        vsCurrency: 'EUR',
        vsPrice: 1250n,
        linkId: null,
        cart: null,
        merchantReference: null,
        payment: SAMPLE_PAYMENT,
        received: 0n,
        links: { succeedUrl: null, timeoutUrl: null, callbackUrl: null, timeoutCallback: null },
        checkoutToken: name,
        createdAt: NOW,
        updatedAt: NOW,
        expiresAt: NOW + 12 * MINUTE,
        watchUntil: NOW + 600 * MINUTE,
        reorgedAt: null,
        refundAddress: null,
        refundBrowser: null,
        refundAddressAt: null,
        ...order,
      } as Order,
      chainName: 'Ethereum',
      symbol: 'USDT',
      blockSeconds: 12,
      amount: '13.5',
      received: '0',
      arrived: '0',
      remaining: '13.5',
      surplus: '0',
      rate: '0.925925',
      invoice: null,
      contractAddr: '0xF67EBB1A38b1DF77eE388753120F8Fd6df922aaD',
      addressUrl: `https://etherscan.io/address/${ADDRESS}`,
      paymentUri: `ethereum:0xF67EBB1A38b1DF77eE388753120F8Fd6df922aaD@1337/transfer?address=${ADDRESS}&uint256=13500000`,
      confirmations: 0,
      confirmationsRequired: 12,
      refundAddress: order.refundAddress ?? null,
      seen: false,
      parts: [],
      vanished: false,
      ...view,
    },
  };
}

const over = { expiresAt: NOW - MINUTE } as const;
const TXID = '0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b';
const part = (amount: string, confirmations: number): PaymentPart => ({
  txid: TXID,
  amount,
  at: NOW - 2 * MINUTE,
  confirmations,
  url: `https://explorer.example/tx/${TXID}`,
});
const all = { received: '13.5', arrived: '13.5', remaining: '0', seen: true, parts: [part('13.5', 12)] } as const;
const some = { received: '4', arrived: '4', remaining: '9.5', seen: true, parts: [part('4', 12)] } as const;
const unmined = { ...all, received: '0', parts: [part('13.5', 0)] } as const;
const links = {
  succeedUrl: 'https://shop.example/thanks?a=1&b="2"',
  timeoutUrl: 'https://shop.example/late',
  callbackUrl: null,
  timeoutCallback: null,
};
const refund = { amount: '13.08', address: ADDRESS } as const;

/** An order in each state that a payer can see. */
export const SAMPLES: Readonly<Record<PayerState | 'waitingBitcoin' | 'waitingTron' | 'paidItems', OrderSnapshot>> = {
  choose: snapshotOf('choose', {
    order: { payment: null },
    view: { paymentUri: '', contractAddr: '', amount: '', remaining: '', received: '', arrived: '' },
  }),
  waiting: snapshotOf('waiting', {}),
  waitingLightning: lightning(),
  waitingBitcoin: bitcoin(),
  waitingTron: tron(),
  vanished: snapshotOf('vanished', { view: { vanished: true } }),
  closing: snapshotOf('closing', { order: over }),
  short: snapshotOf('short', { view: some }),
  seen: snapshotOf('seen', { view: { ...unmined, confirmationsRequired: 0 } }),
  confirming: snapshotOf('confirming', { view: { ...all, confirmations: 3, parts: [part('13.5', 3)] } }),
  rechecking: snapshotOf('rechecking', { order: { status: 'SUCCESS', reorgedAt: NOW, links } }),
  paidItems: snapshotOf('paidItems', {
    order: { status: 'SUCCESS', received: 13_500_000n, cart: CART },
    view: all,
    item: 'Coffee bar',
  }),
  paid: snapshotOf('paid', { order: { status: 'SUCCESS', received: 13_500_000n, links }, view: all }),
  overpaid: snapshotOf('overpaid', {
    order: { status: 'SUCCESS', received: 15_000_000n },
    view: { ...all, received: '15', arrived: '15', surplus: '1.5', parts: [part('13.5', 12), part('1.5', 12)] },
  }),
  paidLate: snapshotOf('paidLate', { order: { ...over, status: 'RESOLVED', received: 13_500_000n }, view: all }),
  expired: snapshotOf('expired', { order: { ...over, status: 'OVERDUE', links } }),
  lost: snapshotOf('lost', { order: { ...over, status: 'OVERDUE' }, view: { vanished: true } }),
  late: snapshotOf('late', { order: { ...over, status: 'OVERDUE' }, view: all }),
  partial: snapshotOf('partial', {
    order: { ...over, status: 'PARTIAL', received: 4_000_000n, refundAddress: ADDRESS },
    view: some,
  }),
  refunding: snapshotOf('refunding', {
    order: { status: 'SUCCESS', received: 13_500_000n },
    view: all,
    refund: { ...refund, sent: false },
  }),
  cancelled: snapshotOf('cancelled', { order: { status: 'TERMINATED' } }),
  refunded: snapshotOf('refunded', {
    order: { status: 'REFUNDED', received: 13_500_000n },
    view: all,
    refund: { ...refund, sent: true },
  }),
};

/** A snapshot like another, changed here and there. */
export function changed(
  snapshot: OrderSnapshot,
  { order = {}, view = {}, item = snapshot.item }: Change,
): OrderSnapshot {
  return { ...snapshot, item, view: { ...snapshot.view, ...view, order: { ...snapshot.view.order, ...order } } };
}

/** The coins that the samples can be paid in. */
export const CHOICES: readonly Choice[] = BUILT_IN_ASSETS.map((asset) => ({
  asset,
  chainName: CHAINS.find(({ code }) => code === asset.chain)?.name ?? asset.chain,
  amount: asset.stable ? '13.5' : '0.0054',
}));

function lightning(): OrderSnapshot {
  const payment = { ...SAMPLE_PAYMENT, chain: 'BLN', currency: 'BTC-LN', units: 13_500_000n, address: REQUEST };
  return snapshotOf('waitingLightning', {
    order: { payment },
    view: {
      chainName: 'Lightning Network',
      symbol: 'BTC',
      blockSeconds: null,
      amount: '0.000135',
      remaining: '0.000135',
      rate: '92592.59',
      contractAddr: '',
      paymentUri: `lightning:${REQUEST}`,
      confirmationsRequired: 0,
    },
  });
}

/** Bitcoin, whose code has a Lightning invoice in it too. */
function bitcoin(): OrderSnapshot {
  const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
  const payment = { ...SAMPLE_PAYMENT, chain: 'BTC', currency: 'BTC', units: 13_500n, address };
  return snapshotOf('waitingBitcoin', {
    order: { payment },
    view: {
      chainName: 'Bitcoin',
      symbol: 'BTC',
      blockSeconds: 600,
      amount: '0.000135',
      remaining: '0.000135',
      rate: '92592.59',
      contractAddr: '',
      paymentUri: `bitcoin:${address}?amount=0.000135&lightning=${REQUEST}`,
      invoice: REQUEST,
      confirmationsRequired: 1,
    },
  });
}

/** A token on Tron, whose wallets read no link: the code is the plain address. */
function tron(): OrderSnapshot {
  const address = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';
  const payment = { ...SAMPLE_PAYMENT, chain: 'TRX', currency: 'USDT-TRC20', address };
  const view = { chainName: 'Tron', contractAddr: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', paymentUri: address };
  return snapshotOf('waitingTron', {
    order: { payment },
    view: { ...view, blockSeconds: 3, confirmationsRequired: 20 },
  });
}
