import type { ManageAction } from '../../core/index.ts';

/** A body that is sent to an operation. */
export type Sent = Readonly<Record<string, unknown>>;

/**
 * What an operation asks of a session that was not raised, written down apart from the table that decides it: whoever takes an
 * effect away there has to say so here.
 */
export interface Walk {
  /** Goes through. */
  readonly free?: readonly Sent[];
  /** Wants a fresh factor. */
  readonly charged?: readonly Sent[];
  /** Goes through for the account's own records; an admin needs a fresh factor for another's. */
  readonly othersCharged?: readonly Sent[];
  /** What its secrets in the answer are: the asking session's own. */
  readonly answersOwnSecrets?: true;
}

const NOTHING: Sent = {};
const FREE: Walk = { free: [NOTHING] };
const CHARGED: Walk = { charged: [NOTHING] };

export const UNKNOWN = '1530217733410816001';
const ADDRESS = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const PASSKEY = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' },
};
const PLACE = 'https://thief.example/';
const ORDER = { price: '25', currency: 'USD' };
const LINK = { title: 'Concert', currency: 'USD' };
const ROUTE = { host: 'new.gate.example', chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc', upstreams: [PLACE] };

export const WALK: Readonly<Record<ManageAction, Walk>> = {
  createSession: { free: [{ email: 'nobody@example.com', password: 'x' }] },
  getSession: FREE,
  endSession: FREE,
  stepUp: { free: [{ password: 'a wrong password' }] },
  passkeyForLogin: { free: [{ email: 'nobody@example.com', password: 'x' }] },
  passkeyForStepUp: FREE,
  getService: FREE,
  listSessions: FREE,
  endOtherSessions: CHARGED,
  endOneSession: CHARGED,
  changePassword: { charged: [{ current: 'a former password', new: 'a password for a test' }] },

  listAccounts: FREE,
  getAccount: FREE,
  createAccount: {
    charged: [
      { email: 'made@example.com', password: 'a password for a test' },
      { email: 'made@example.com', password: 'a password for a test', role: 'admin' },
    ],
  },
  updateAccount: {
    free: [{ name: 'Shop' }, { avatar_url: null }, { status: 'disabled' }],
    charged: [
      { role: 'admin' },
      { role: 'user' },
      { status: 'active' },
      { status: 'archived' },
      { verified_coins: ['*'] },
      { name: 'Shop', verified_coins: [] },
    ],
  },
  archiveAccounts: { charged: [{ ids: [UNKNOWN] }] },

  listCredentials: FREE,
  createCredential: CHARGED,
  revealCredential: CHARGED,
  revokeCredential: { othersCharged: [NOTHING] },
  rotateCallbackSecrets: CHARGED,

  getSecurity: FREE,
  updateSecurity: {
    othersCharged: [{ data_security: true }, { callback_api_key: 'callback' }],
    charged: [
      { data_security: false },
      { totp_for_payouts: false },
      { callback_api_key: 'order' },
      { data_security: true, totp_for_payouts: false },
    ],
  },
  cancelPendingSecurity: FREE,
  enrolTotp: { othersCharged: [NOTHING], answersOwnSecrets: true },
  confirmTotp: { othersCharged: [{ verify_code: '000000' }] },
  listPasskeys: FREE,
  passkeyToAdd: CHARGED,
  addPasskey: { charged: [{ name: 'Key', passkey: PASSKEY }] },
  renamePasskey: { free: [{ name: 'Key' }] },
  removePasskey: CHARGED,

  listCallbacks: FREE,
  getCallback: FREE,
  redeliverCallback: FREE,
  listWebhooks: FREE,
  createWebhook: { charged: [{ url: PLACE, events: ['order.*'] }] },
  getWebhook: FREE,
  updateWebhook: { charged: [{ url: PLACE }, { enabled: false }] },
  removeWebhook: CHARGED,
  rotateWebhookSecret: CHARGED,
  testWebhook: FREE,

  listLinks: FREE,
  createLink: {
    othersCharged: [LINK, { ...LINK, price: '25', max_sales: 2, description: 'One seat' }],
    charged: [
      { ...LINK, return_url: PLACE },
      { ...LINK, callback_url: PLACE },
      { ...LINK, timeout_callback: PLACE },
      { ...LINK, reference_prefix: 'invoice-' },
      { ...LINK, metadata: { invoice: '1' } },
    ],
  },
  getLink: FREE,
  updateLink: { charged: [{ price: '1' }, { return_url: PLACE }, { title: 'Another shop' }, { max_sales: 1 }] },
  deactivateLink: { othersCharged: [NOTHING] },
  pairLinkDevice: CHARGED,
  unpairLinkDevices: { othersCharged: [NOTHING] },

  getOverview: FREE,
  getWaiting: FREE,
  search: FREE,
  listAlerts: FREE,
  acknowledgeAlert: FREE,
  getNotifications: FREE,
  updateNotifications: {
    othersCharged: [{ payouts: true }, { summary: true }],
    charged: [{ payouts: false }],
  },
  listNotices: FREE,
  getBranding: FREE,
  updateBranding: { charged: [{ name: 'Thief' }, { support: null }] },

  searchOrders: FREE,
  exportOrders: FREE,
  createOrderByHand: {
    othersCharged: [ORDER, { ...ORDER, chain: 'ETH', coin: 'ETH', expires_in: 600 }],
    charged: [
      { ...ORDER, succeed_url: PLACE },
      { ...ORDER, timeout_url: PLACE },
      { ...ORDER, callback_url: PLACE },
      { ...ORDER, timeout_callback: PLACE },
      { ...ORDER, merchant_reference: 'invoice 1' },
      { ...ORDER, metadata: { invoice: '1' } },
    ],
  },
  getOrder: FREE,
  quoteRefund: FREE,
  refundOrderByHand: {
    charged: [{ order: UNKNOWN }, { order: UNKNOWN, to: 'sender' }, { order: UNKNOWN, amount: '1' }],
  },
  terminateOrder: FREE,
  resolveOrder: CHARGED,
  removeRefundAddress: CHARGED,
  getOrderHistory: FREE,
  listRates: FREE,
  searchTransactions: FREE,
  exportTransactions: FREE,
  listLedger: FREE,
  exportLedger: FREE,

  listAccountWallets: FREE,
  listWithdrawalAddresses: FREE,
  quoteWithdrawal: FREE,
  setWithdrawalAddress: { charged: [{ chain: 'ETH', address: ADDRESS }] },
  listWatchAddresses: FREE,
  createWatchAddress: { free: [{ chain: 'ETH', value: ADDRESS, label: 'Cold' }] },
  removeWatchAddress: FREE,
  listTransfers: FREE,
  listPayoutBatches: FREE,
  createPayoutBatch: { free: [{ rows: [] }] },
  getPayoutBatch: FREE,
  listPayoutBatchRows: FREE,
  exportPayoutBatchRows: FREE,
  approvePayoutBatch: CHARGED,
  cancelPayoutBatch: FREE,
  listPayees: FREE,
  createPayee: { charged: [{ chain: 'ETH', address: ADDRESS }] },
  removePayee: FREE,
  withdrawByHand: { charged: [{ amount: '1', chain: 'ETH', coin: 'ETH' }] },
  getTransfer: FREE,
  approveWithdrawal: CHARGED,
  rejectWithdrawal: { free: [{ reason: 'x' }] },
  cancelTransfer: { charged: [{ reason: 'x' }] },
  listPullPayments: FREE,
  getPullPayment: FREE,
  createPullPayment: {
    charged: [
      { name: 'Prize', currency: 'ETH', amount: '1' },
      { name: 'Prize', currency: 'EUR', amount: '1', auto_approve: true },
    ],
  },
  revealPullPayment: CHARGED,
  archivePullPayment: { othersCharged: [NOTHING] },
  listClaims: FREE,
  getClaim: FREE,
  approveClaim: CHARGED,
  rejectClaim: { othersCharged: [{ reason: 'x' }] },
  freezeWithdrawals: { charged: [{ reason: 'x' }] },
  unfreezeWithdrawals: CHARGED,
  listDeposits: FREE,
  rescanDeposits: { charged: [{ chain: 'ETH', from: 1, to: 1 }] },
  assignDeposit: { charged: [{ order: UNKNOWN }] },
  refundDeposit: { charged: [{ address: ADDRESS }] },
  listChainStatus: FREE,
  getChainWallet: FREE,
  stopPayouts: { charged: [{ reason: 'x' }] },
  resumePayouts: CHARGED,
  getLightningNode: FREE,
  confirmLightningNode: CHARGED,
  dismissLightningNode: CHARGED,

  listApps: FREE,
  createApp: { charged: [{ name: 'App', chains: ['ETH'] }] },
  getApp: FREE,
  updateApp: {
    free: [{ name: 'App' }, { enabled: false }],
    charged: [
      { enabled: true },
      { chains: ['BTC'] },
      { admission_mode: 'disabled' },
      { limits: null },
      { quota: { units: 1, window: 'day' } },
      { quota: null },
      { prepaid: false },
    ],
  },
  getAdmission: FREE,
  getAppUsage: FREE,
  getAppPrepaid: FREE,
  topUpApp: { free: [{ plan: 'none' }] },
  listAppKeys: FREE,
  revealAppKey: CHARGED,
  createAppKey: CHARGED,
  rotateAppKey: CHARGED,
  updateAppKey: CHARGED,
  revokeAppKey: { othersCharged: [NOTHING] },

  listGateways: FREE,
  createGateway: { charged: [ROUTE] },
  getGateway: FREE,
  updateGateway: { charged: [{ upstreams: [PLACE] }, { enabled: false }] },
  cordonUpstream: CHARGED,
  uncordonUpstream: CHARGED,

  listAudit: FREE,
  listAuditChain: FREE,
};
