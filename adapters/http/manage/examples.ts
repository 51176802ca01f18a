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
