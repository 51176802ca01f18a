import type { ActionCost, ActionEffect, ActionRow, ActionWhen, Effect, ToldRow } from './effects.ts';

const tells = (...actions: readonly string[]): Required<Pick<ActionRow, 'tells'>> => ({
  tells: actions.map((action) => ({ action })),
});

/** An effect of every request. */
const does = (effect: Effect, of: string, ...also: readonly ActionCost[]): ActionEffect => ({ effect, of, also });
/** An effect of some requests. */
const doesWhen = (when: ActionWhen, effect: Effect, of: string, ...also: readonly ActionCost[]): ActionEffect => ({
  ...does(effect, of, ...also),
  when,
});
const others = { others: true } as const;
/** A row whose operation has these effects. */
const row = (...effects: ActionRow['effects']): ActionRow => ({ effects });

const READS = row(does('reads', 'records'));
/** For the named account, or the actor's own. */
const ENROLLING = { beforeFactor: true } as const;
const ENTERING = { ...ENROLLING, beforePassword: true } as const;
const PROVES = { ...row(does('proves', 'who somebody is')), ...ENTERING };

/**
 * Fields of an order or a link that give no one access, do not redirect anyone, and set no reference that a shop uses
 * for its own orders.
 */
const PLAIN_ORDER = [
  ...['vsPrice', 'vsCurrency', 'chain', 'currency', 'accountId', 'expiresIn', 'toleranceBps'],
  ...['fixedEncryptPrice', 'enablePostCallback', 'remark'],
];
const PLAIN_LINK = [
  ...[
    'accountId',
    'face',
    'title',
    'description',
    'vsCurrency',
    'vsPrice',
    'minPrice',
    'maxPrice',
    'items',
    'tips',
    'coins',
  ],
  ...['maxSales', 'expiresAt', 'active', 'fixedEncryptPrice', 'enablePostCallback'],
];

/** Every operation of the management API by its id, and what it can cause (core/decisions/sessions-and-permissions.md). */
export const ACTIONS = {
  createSession: PROVES,
  getSession: { ...READS, ...ENTERING },
  endSession: { ...row(does('stops', 'one’s own session')), ...ENTERING },
  stepUp: PROVES,
  passkeyForLogin: PROVES,
  passkeyForStepUp: PROVES,
  getService: { ...READS, ...ENROLLING },
  listSessions: READS,
  endOtherSessions: row(does('opens-way-in', 'who is logged in')),
  endOneSession: row(does('opens-way-in', 'who is logged in')),
  changePassword: {
    ...row(does('opens-way-in', 'who can log in')),
    ...tells('account.change_password', 'account.reset_password'),
    ...ENTERING,
  },

  listAccounts: READS,
  getAccount: READS,
  createAccount: row(does('opens-way-in', 'who can log in')),
  updateAccount: row(
    does('stops', 'an account, or what it is called'),
    doesWhen(
      { beyond: ['accountId', 'name', 'avatarUrl', 'status', 'verifiedCurrencies'] },
      'opens-way-in',
      'who is an admin',
    ),
    doesWhen({ fields: { status: 'active' } }, 'opens-way-in', 'who can log in'),
    doesWhen({ fields: { status: 'archived' } }, 'ends-for-good', 'an account and its keys'),
    doesWhen({ given: ['verifiedCurrencies'] }, 'moves-money', 'which coins can be withdrawn'),
  ),
  archiveAccounts: row(does('ends-for-good', 'accounts and their keys')),

  listCredentials: READS,
  createCredential: {
    ...row(does('opens-way-in', 'who can move money'), does('shows-secret', 'a new key')),
    ...tells('credential.create'),
  },
  revealCredential: { ...row(does('shows-secret', 'a key that can move money')), ...tells('credential.reveal') },
  revokeCredential: {
    ...row(does('stops', 'a key'), doesWhen(others, 'ends-for-good', "another account's key")),
    ...tells('credential.revoke'),
  },
  rotateCallbackSecrets: {
    ...row(does('shows-secret', 'what callbacks are signed with')),
    ...tells('callback_secrets.rotate'),
  },

  getSecurity: { ...READS, ...ENROLLING },
  updateSecurity: {
    ...row(
      does('stops', 'requests without what is demanded'),
      doesWhen({ fields: { dataSecurity: false } }, 'opens-way-in', 'that every request is signed', 'hold'),
      doesWhen({ fields: { totpForWithdrawals: false } }, 'moves-money', 'that every withdrawal wants a code', 'hold'),
      doesWhen({ fields: { callbackApiKey: 'order' } }, 'shows-secret', 'the API key, to who receives callbacks'),
      doesWhen(others, 'opens-way-in', "another account's security"),
    ),
    tells: [{ action: 'security.update', until: ['dataSecurityUntil', 'totpForWithdrawalsUntil'] }],
  },
  enrolTotp: {
    ...row(
      does('stops', 'logins by the password alone'),
      doesWhen({ demandedFactor: true }, 'opens-way-in', 'the second factor that is there'),
      doesWhen(others, 'opens-way-in', "another account's security"),
    ),
    ...tells('security.totp_enrol'),
    ...ENROLLING,
  },
  listPasskeys: { ...READS, ...ENROLLING },
  passkeyToAdd: { ...row(does('opens-way-in', 'with what one can log in')), ...ENROLLING },
  addPasskey: {
    ...row(does('opens-way-in', 'with what one can log in')),
    ...tells('security.passkey_add'),
    ...ENROLLING,
  },
  renamePasskey: row(does('records', 'what a passkey is called')),
  removePasskey: { ...row(does('opens-way-in', 'with what one can log in')), ...tells('security.passkey_remove') },
  cancelPendingSecurity: {
    ...row(does('stops', 'a protection that is about to end')),
    ...tells('security.cancel_pending'),
  },
  confirmTotp: {
    ...row(
      does('proves', 'who has the second factor'),
      doesWhen({ demandedFactor: true }, 'opens-way-in', 'the second factor that is there'),
      doesWhen(others, 'opens-way-in', "another account's security"),
    ),
    ...tells('security.totp_confirm'),
    ...ENROLLING,
  },

  listWithdrawalAddresses: READS,
  setWithdrawalAddress: {
    ...row(does('moves-money', 'where money goes', 'hold')),
    tells: [{ action: 'withdrawal_address.set', until: ['activeFrom'] }],
  },
  listWatchAddresses: READS,
  createWatchAddress: row(does('records', 'an address that is watched')),
  removeWatchAddress: row(does('records', 'an address that is no longer watched')),

  listAccountWallets: READS,
  listTransfers: READS,
  quoteWithdrawal: READS,
  withdrawByHand: row(does('moves-money', 'where money goes')),
  getTransfer: READS,
  approveWithdrawal: row(does('moves-money', 'a payment that is held', 'another-person')),
  rejectWithdrawal: row(does('stops', 'a payment that is held')),
  cancelTransfer: row(does('moves-money', 'a payment that is signed')),
  listPayoutBatches: READS,
  createPayoutBatch: row(does('records', 'payments that have to be approved')),
  getPayoutBatch: READS,
  listPayoutBatchRows: READS,
  exportPayoutBatchRows: READS,
  approvePayoutBatch: row(does('moves-money', 'where money goes')),
  cancelPayoutBatch: row(does('stops', 'payments that are not requested yet')),
  listPayees: READS,
  createPayee: {
    ...row(does('moves-money', 'where money may go without another person', 'hold')),
    tells: [{ action: 'payee.create', until: ['activeFrom'] }],
  },
  removePayee: { ...row(does('stops', 'payments without another person')), ...tells('payee.remove') },
  listPullPayments: READS,
  getPullPayment: READS,
  createPullPayment: row(does('moves-money', 'who can claim an amount')),
  revealPullPayment: row(does('shows-secret', 'the page where an amount can be claimed')),
  archivePullPayment: row(
    does('stops', 'claims of a promised amount'),
    doesWhen(others, 'ends-for-good', "another account's promise"),
  ),
  listClaims: READS,
  getClaim: READS,
  approveClaim: row(does('moves-money', 'where money goes')),
  rejectClaim: row(does('stops', 'a claim'), doesWhen(others, 'moves-money', "another account's promise")),
  freezeWithdrawals: { ...row(does('moves-money', 'who can withdraw')), ...tells('account.freeze_withdrawals') },
  unfreezeWithdrawals: { ...row(does('moves-money', 'who can withdraw')), ...tells('account.unfreeze_withdrawals') },
  listChainStatus: READS,
  getChainWallet: READS,
  stopPayouts: row(does('moves-money', 'which chains pay')),
  resumePayouts: row(does('moves-money', 'which chains pay')),
  getLightningNode: READS,
  confirmLightningNode: row(does('moves-money', 'which chains pay')),
  dismissLightningNode: row(does('moves-money', 'which chains pay')),
  listDeposits: READS,
  rescanDeposits: row(does('moves-money', 'what is credited')),
  assignDeposit: row(does('moves-money', 'whose money it is')),
  refundDeposit: row(does('moves-money', 'where money goes')),

  searchOrders: READS,
  exportOrders: READS,
  createOrderByHand: row(
    does('records', 'an order that has to be paid'),
    doesWhen(
      { given: ['succeedUrl', 'timeoutUrl', 'callbackUrl', 'timeoutCallback'] },
      'redirects',
      'payers and callbacks',
    ),
    doesWhen({ beyond: PLAIN_ORDER }, 'moves-goods', 'what a shop takes for an order of its own'),
    doesWhen(others, 'redirects', "another account's payers"),
  ),
  getOrder: READS,
  quoteRefund: READS,
  refundOrderByHand: row(does('moves-money', 'where money goes')),
  terminateOrder: row(does('stops', 'an order without a payment')),
  resolveOrder: row(does('moves-goods', 'what counts as paid')),
  removeRefundAddress: row(does('moves-money', 'where money goes')),
  getOrderHistory: READS,
  getOverview: READS,
  getWaiting: READS,
  search: READS,
  listRates: READS,
  searchTransactions: READS,
  exportTransactions: READS,
  listLedger: READS,
  exportLedger: READS,
  listCallbacks: READS,
  getCallback: READS,
  redeliverCallback: row(does('records', 'a message that is sent again to the same place')),

  listWebhooks: READS,
  getWebhook: READS,
  createWebhook: {
    ...row(does('redirects', 'who learns what happens'), does('shows-secret', 'what events are signed with')),
    ...tells('webhook.create'),
  },
  updateWebhook: { ...row(does('redirects', 'who learns what happens')), ...tells('webhook.update') },
  removeWebhook: { ...row(does('redirects', 'who learns what happens')), ...tells('webhook.remove') },
  rotateWebhookSecret: { ...row(does('shows-secret', 'what events are signed with')), ...tells('webhook.rotate') },
  testWebhook: row(does('records', 'an event without content')),
  listLinks: READS,
  getLink: READS,
  createLink: row(
    does('records', 'a page whose orders have to be paid'),
    doesWhen({ given: ['returnUrl', 'callbackUrl', 'timeoutCallback'] }, 'redirects', 'payers and callbacks'),
    doesWhen({ beyond: PLAIN_LINK }, 'moves-goods', 'what a shop takes for an order of its own'),
    doesWhen(others, 'redirects', "another account's payers"),
  ),
  updateLink: row(does('moves-goods', 'the price of what is sold'), does('redirects', 'payers and callbacks')),
  deactivateLink: row(does('stops', 'sales'), doesWhen(others, 'redirects', "another account's payers")),
  pairLinkDevice: row(
    does('opens-way-in', 'who sells at a point of sale'),
    does('shows-secret', 'the code of a device'),
  ),
  unpairLinkDevices: row(does('stops', 'devices'), doesWhen(others, 'redirects', "another account's payers")),

  listApps: READS,
  createApp: row(does('opens-way-in', 'who uses units'), does('shows-secret', 'a new App key')),
  getApp: READS,
  updateApp: row(
    does('stops', 'an App, or what it is called'),
    doesWhen({ beyond: ['name', 'enabled', 'quota', 'prepaid'] }, 'opens-way-in', 'what an App reaches'),
    doesWhen({ fields: { enabled: true } }, 'opens-way-in', 'who uses units'),
    doesWhen({ given: ['quota', 'prepaid'] }, 'moves-goods', 'how much an App may use'),
  ),
  getAdmission: READS,
  getAppUsage: READS,
  getAppPrepaid: READS,
  topUpApp: row(does('records', 'an order that has to be paid')),
  listAppKeys: READS,
  revealAppKey: { ...row(does('shows-secret', 'an App key')), ...tells('app_key.reveal') },
  createAppKey: row(does('opens-way-in', 'who uses units'), does('shows-secret', 'a new App key')),
  rotateAppKey: row(does('opens-way-in', 'who uses units'), does('shows-secret', 'a new App key')),
  updateAppKey: row(does('opens-way-in', 'what a key may do')),
  revokeAppKey: row(does('stops', 'a key'), doesWhen(others, 'ends-for-good', "another account's key")),
  listGateways: READS,
  createGateway: row(does('redirects', 'requests to nodes')),
  getGateway: READS,
  updateGateway: row(does('redirects', 'requests to nodes')),
  cordonUpstream: row(does('redirects', 'requests to nodes')),
  uncordonUpstream: row(does('redirects', 'requests to nodes')),

  getNotifications: READS,
  updateNotifications: {
    ...row(
      does('records', 'what an account hears of'),
      doesWhen({ fields: { withdrawals: false } }, 'redirects', 'who learns what happens'),
      doesWhen(others, 'redirects', "another account's notices"),
    ),
    ...tells('notifications.update'),
  },
  listNotices: READS,

  getBranding: READS,
  updateBranding: {
    ...row(does('redirects', 'whom payers believe to pay, and whom they ask')),
    ...tells('branding.update'),
  },

  listAlerts: READS,
  acknowledgeAlert: row(does('records', 'that somebody has seen an alert')),

  listAudit: READS,
  listAuditChain: READS,
} as const satisfies Readonly<Record<string, ActionRow>>;

/** The id of an operation of the management API. */
export type ManageAction = keyof typeof ACTIONS;

/** The row of an action. */
export function actionRow(action: ManageAction): ActionRow {
  return ACTIONS[action];
}

const TOLD: ReadonlyMap<string, ToldRow> = new Map(
  Object.values<ActionRow>(ACTIONS)
    .flatMap((row) => row.tells ?? [])
    .map((told) => [told.action, told]),
);

/** The notice to the owner of an account about a row of the audit log; `null` for none. */
export function toldRow(action: string): ToldRow | null {
  return TOLD.get(action) ?? null;
}
