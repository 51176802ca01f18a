/** Examples of the OpenAPI document: one order of 25 USD paid in USDT on Ethereum. */
export const orderExample = {
  user_id: '1530217733410816000',
  order_id: '1530217733414232064',
  order_type: 'ORDER',
  platform: 'API',
  status: 'SUCCESS',
  chain: 'ETH',
  chain_name: 'Ethereum',
  currency: 'USDT-ERC20',
  amount: '25',
  vs_price: '25',
  vs_currency: 'USD',
  remark: '',
  refund: true,
  create_time: '2026-05-04T12:00:00',
  update_time: '2026-05-04T12:03:10',
};

const paid = {
  from_addr: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  to_addr: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  tx_hash: '0x5b9a3a1c7f0e4a6f2d8e1b3c5d7f9a0b2c4e6f8091a3b5c7d9e1f30517293b4d',
};

export const detailExample = {
  ...orderExample,
  tx_id: '1530218521990275072',
  tx_type: 'ORDER',
  obtained: '25',
  fee: '0',
  ...paid,
  contract_id: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
};

export const payInfoExample = {
  order_id: orderExample.order_id,
  status: 'PENDING',
  amount: 25,
  create_time: orderExample.create_time,
  vs_currency: 'USD',
  vs_price: 25,
  address: paid.to_addr,
  contract_addr: detailExample.contract_id,
  pay_url: 'https://pay.example.com/checkout/8f14e45fceea167a5a36dedd4bea2543',
};

export const transactionExample = {
  user_id: orderExample.user_id,
  tx_id: detailExample.tx_id,
  tx_type: 'ORDER',
  status: 'SUCCESS',
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '25',
  obtained: '25',
  fee: '0',
  ...paid,
  event_time: '2026-05-04T12:03:10',
};

export const checkoutStateExample = {
  status: 'PENDING',
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '25',
  received: '0',
  address: paid.to_addr,
  contract_addr: detailExample.contract_id,
  payment_uri: `ethereum:${detailExample.contract_id}@1/transfer?address=${paid.to_addr}&uint256=25000000`,
  confirmations: 0,
  confirmations_required: 12,
  expires_at: '2026-05-04T12:30:00',
  refund_address: null,
};

export const refundExample = {
  order_id: orderExample.order_id,
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: 25,
  network_fee: 0.42,
  obtained: 24.58,
  from_addr: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to_addr: paid.from_addr,
  refund_et: 0,
  refund_status: 'PENDING',
  refund_amount: 25,
  refund_date: null,
};

export const paidRefundExample = { ...refundExample, refund_et: 1777896600, refund_status: 'SUCCESS', refund_date: '2026-05-04T12:10:00' };

export const withdrawalExample = {
  user_id: orderExample.user_id,
  tx_id: '1530219844911046656',
  type: 'WITHDRAW',
  status: 'PENDING',
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '100.5',
  fee: '0.42',
  obtained: '100.08',
  balance: '899.5',
  to_addr: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  tx_hash: null,
  update_time: '2026-05-04T12:20:00',
};

export const walletExample = { chain: 'ETH', currency: 'USDT-ERC20', available: '899.5', pending: '25', locked: '100.5', total: '1025' };

export const selfCustodyExample = { chain: 'ETH', currency: 'SHIB-ERC20', amount: 1250000.5 };

export const lightningOrderExample = {
  order_id: orderExample.order_id,
  status: 'PENDING',
  currency: 'BTC-LN',
  amount: '0.0025',
  create_time: orderExample.create_time,
  payment_request:
    'lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpuaztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp',
  payment_addr: '',
  pay_url: payInfoExample.pay_url,
};

export const lightningWithdrawalExample = {
  user_id: orderExample.user_id,
  tx_id: '1530219844911046657',
  type: 'WITHDRAW',
  status: 'SUCCESS',
  chain: 'BLN',
  currency: 'BTC-LN',
  amount: '0.0025',
  fee: '0.00000001001',
  balance: '0.00749998999',
  update_time: '2026-05-04T12:20:03',
};

export const lightningBalanceExample = { chain: 'BLN', currency: 'BTC-LN', available: '0.00749998999', pending: '0', locked: '0', total: '0.00749998999' };
