/** Examples of the OpenAPI document. */
export const accountExample = {
  id: '1530217733410816000',
  email: 'shop@example.com',
  role: 'user',
  status: 'active',
  activated: true,
  role_label: 'User',
  status_label: 'Active',
  name: 'The shop',
  avatar_url: null,
  created_at: '2026-05-04T12:00:00.000Z',
  modified_at: '2026-05-04T12:00:00.000Z',
};

export const detailExample = {
  ...accountExample,
  app_count: 1,
  gateway_count: 1,
  first_login_at: null,
  last_login_at: null,
  last_login_ip: null,
  last_login_user_agent: null,
  verified_currencies: ['*'],
};

export const sessionExample = { access_token: '<access token>', expire: 3600, account: detailExample };

export const appExample = {
  id: '1530217733414232064',
  account_id: accountExample.id,
  name: 'Shop',
  enabled: true,
  version: 1,
  chains: [{ code: 'ETH', name: 'Ethereum', network: 'mainnet', protocol: 'jsonrpc', host: 'eth.gateway.example', enabled: true }],
  admission_mode: null,
  limits: null,
  created_at: accountExample.created_at,
  modified_at: accountExample.modified_at,
  provider_id: null,
};

export const keyExample = {
  id: '1530218521990275072',
  api_key: '<App key>',
  state: 'active',
  expires_at: null,
  revoked_at: null,
  created_at: accountExample.created_at,
  last_used_at: null,
};

export const withdrawalAddressExample = {
  account_id: accountExample.id,
  chain: 'ETH',
  address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  active_from: '2026-05-05T12:00:00.000Z',
  former_address: null,
  in_force: null,
  modified_at: accountExample.modified_at,
};

export const watchExample = {
  id: '1530219001148092416',
  account_id: accountExample.id,
  chain: 'ETH',
  kind: 'address',
  value: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  label: 'Treasury',
  created_at: accountExample.created_at,
};

export const transferExample = {
  id: '1530219844911046656',
  kind: 'withdrawal',
  status: 'HELD',
  account_id: accountExample.id,
  order_id: null,
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '25000',
  fee: '0.42',
  max_fee: '4.2',
  obtained: '24999.58',
  from_addr: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  to_addr: withdrawalAddressExample.address,
  reason: null,
  created_at: accountExample.created_at,
  modified_at: accountExample.modified_at,
  finished_at: null,
};
