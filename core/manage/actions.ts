/**
 * What an action costs beside the right to do it:
 *
 * - `fresh-factor`: a session that was raised by a step-up a short while ago;
 * - `hold`: it takes effect after the hold, and can be cancelled until then;
 * - `notice`: a row in the audit log of the account that it concerns, for its owner to read;
 * - `another-person`: an admin who is not the owner of what is decided about.
 */
export type ActionCost = 'fresh-factor' | 'hold' | 'notice' | 'another-person';

/** What makes a rule apply; all that is named must be so. */
export interface ActionWhen {
  /** Fields of the request with these values, by their names in core. */
  readonly fields?: Readonly<Record<string, string | boolean>>;
  /** The request has this field, whatever its value. */
  readonly given?: string;
  /** The actor is an admin, and the record belongs to another account. */
  readonly others?: true;
  /** The account has a confirmed second factor. */
  readonly confirmedFactor?: true;
}

/** What an action loosens, and its cost. */
export interface ActionRule {
  readonly loosens: string;
  readonly costs: readonly ActionCost[];
  /** Always, without one. */
  readonly when?: ActionWhen;
}

/** A row of the audit log of which the account's owner is told: `security.changed` and `security.pending`. */
export interface ToldRow {
  /** Its `action`. */
  readonly action: string;
  /** Changed fields that say until when it waits; it is pending while one of them lies ahead. */
  readonly until?: readonly string[];
}

/** An operation of the management API. */
export interface ActionRow {
  /** Every rule that applies is charged; none for what loosens nothing. */
  readonly rules: readonly ActionRule[];
  /** What it, or the same by a command, writes to the audit log that the account's owner is told of. */
  readonly tells?: readonly ToldRow[];
  /** Open to an admin who has no second factor yet and must enrol one, for the account's own records. */
  readonly beforeFactor?: true;
  /** Open to an account whose password somebody else set, and which must change it. */
  readonly beforePassword?: true;
}

const tells = (...actions: readonly string[]): Required<Pick<ActionRow, 'tells'>> => ({
  tells: actions.map((action) => ({ action })),
});

const FRESH = ['fresh-factor', 'notice'] as const;
const FREE: ActionRow = { rules: [] };
const ENROLLING: ActionRow = { rules: [], beforeFactor: true };
const ENTERING: ActionRow = { ...ENROLLING, beforePassword: true };

const always = (loosens: string): ActionRow => ({ rules: [{ loosens, costs: FRESH }] });
const ofOthers = (loosens: string): ActionRule => ({ loosens, costs: FRESH, when: { others: true } });
const switchedOff = (field: string, loosens: string): ActionRule => ({
  loosens,
  costs: ['fresh-factor', 'hold', 'notice'],
  when: { fields: { [field]: false } },
});
const anAdmin: ActionRule = { loosens: 'who is an admin', costs: FRESH, when: { fields: { role: 'admin' } } };

/** Every operation of the management API by its id: what it loosens and what that costs (decisions, sections 11 and 12). */
export const ACTIONS = {
  createSession: ENTERING,
  getSession: ENTERING,
  endSession: ENTERING,
  stepUp: ENTERING,
  passkeyForLogin: ENTERING,
  passkeyForStepUp: ENTERING,
  getService: ENROLLING,
  listSessions: FREE,
  endOtherSessions: always('who is logged in'),
  endOneSession: always('who is logged in'),
  changePassword: {
    ...always('who can log in'),
    ...tells('account.change_password', 'account.reset_password'),
    beforeFactor: true,
    beforePassword: true,
  },

  listAccounts: FREE,
  getAccount: FREE,
  createAccount: { rules: [anAdmin] },
  updateAccount: {
    rules: [anAdmin, { loosens: 'who is an admin', costs: FRESH, when: { others: true, fields: { role: 'user' } } }],
  },
  archiveAccounts: FREE,

  listCredentials: FREE,
  createCredential: { ...always('who can move money'), ...tells('credential.create') },
  revealCredential: { ...always('who can move money'), ...tells('credential.reveal') },
  revokeCredential: { rules: [ofOthers("another account's credentials")], ...tells('credential.revoke') },
  rotateCallbackSecrets: {
    rules: [ofOthers("another account's credentials")],
    ...tells('callback_secrets.rotate'),
  },

  getSecurity: ENROLLING,
  updateSecurity: {
    rules: [
      switchedOff('dataSecurity', 'that every request is signed'),
      switchedOff('totpForWithdrawals', 'that every withdrawal wants a code'),
      ofOthers("another account's security"),
    ],
    tells: [{ action: 'security.update', until: ['dataSecurityUntil', 'totpForWithdrawalsUntil'] }],
  },
  enrolTotp: {
    ...tells('security.totp_enrol'),
    rules: [
      { loosens: 'the second factor that is there', costs: FRESH, when: { confirmedFactor: true } },
      ofOthers("another account's security"),
    ],
    beforeFactor: true,
  },
  listPasskeys: ENROLLING,
  passkeyToAdd: { ...always('with what one can log in'), beforeFactor: true },
  addPasskey: { ...always('with what one can log in'), ...tells('security.passkey_add'), beforeFactor: true },
  renamePasskey: FREE,
  removePasskey: { ...always('with what one can log in'), ...tells('security.passkey_remove') },
  cancelPendingSecurity: { rules: [], ...tells('security.cancel_pending') },
  confirmTotp: {
    ...tells('security.totp_confirm'),
    rules: [
      { loosens: 'the second factor that is there', costs: FRESH, when: { confirmedFactor: true } },
      ofOthers("another account's security"),
    ],
    beforeFactor: true,
  },

  listWithdrawalAddresses: FREE,
  setWithdrawalAddress: {
    rules: [{ loosens: 'where money goes', costs: ['fresh-factor', 'hold', 'notice'] }],
    tells: [{ action: 'withdrawal_address.set', until: ['activeFrom'] }],
  },
  listWatchAddresses: FREE,
  createWatchAddress: FREE,
  removeWatchAddress: FREE,

  listAccountWallets: FREE,
  listTransfers: FREE,
  withdrawByHand: always('where money goes'),
  getTransfer: FREE,
  approveWithdrawal: {
    rules: [{ loosens: 'a payment that is held', costs: ['fresh-factor', 'another-person', 'notice'] }],
  },
  rejectWithdrawal: FREE,
  cancelTransfer: always('a payment that is signed'),
  freezeWithdrawals: { ...always('who can withdraw'), ...tells('account.freeze_withdrawals') },
  unfreezeWithdrawals: { ...always('who can withdraw'), ...tells('account.unfreeze_withdrawals') },
  listChainStatus: FREE,
  getChainWallet: FREE,
  stopPayouts: always('which chains pay'),
  resumePayouts: always('which chains pay'),
  listDeposits: FREE,
  rescanDeposits: always('what is credited'),
  assignDeposit: always('whose money it is'),
  refundDeposit: always('where money goes'),

  searchOrders: FREE,
  exportOrders: FREE,
  createOrderByHand: { rules: [ofOthers("another account's orders")] },
  getOrder: FREE,
  refundOrderByHand: always('where money goes'),
  terminateOrder: FREE,
  resolveOrder: FREE,
  removeRefundAddress: always('where money goes'),
  getOrderHistory: FREE,
  getOverview: FREE,
  searchTransactions: FREE,
  exportTransactions: FREE,
  listLedger: FREE,
  exportLedger: FREE,
  listCallbacks: FREE,
  getCallback: FREE,
  redeliverCallback: FREE,

  listWebhooks: FREE,
  getWebhook: FREE,
  createWebhook: { ...always('who learns what happens'), ...tells('webhook.create') },
  updateWebhook: { ...always('who learns what happens'), ...tells('webhook.update') },
  removeWebhook: { ...always('who learns what happens'), ...tells('webhook.remove') },
  rotateWebhookSecret: { ...always('who learns what happens'), ...tells('webhook.rotate') },
  testWebhook: FREE,
  listLinks: FREE,
  getLink: FREE,
  createLink: { rules: [ofOthers("another account's orders")] },
  updateLink: { rules: [ofOthers("another account's orders")] },
  deactivateLink: { rules: [ofOthers("another account's orders")] },
  pairLinkDevice: { rules: [ofOthers("who makes another account's orders")] },
  unpairLinkDevices: { rules: [ofOthers("who makes another account's orders")] },

  listApps: FREE,
  createApp: FREE,
  getApp: FREE,
  updateApp: {
    rules: [
      { loosens: 'how much an App may use', costs: FRESH, when: { others: true, given: 'quota' } },
      { loosens: 'how much an App may use', costs: FRESH, when: { others: true, fields: { prepaid: false } } },
    ],
  },
  getAdmission: FREE,
  getAppUsage: FREE,
  getAppPrepaid: FREE,
  topUpApp: FREE,
  listAppKeys: FREE,
  createAppKey: FREE,
  rotateAppKey: FREE,
  revokeAppKey: FREE,
  listGateways: FREE,
  createGateway: FREE,
  getGateway: FREE,
  updateGateway: FREE,

  getNotifications: FREE,
  updateNotifications: {
    rules: [
      { loosens: 'who learns what happens', costs: FRESH, when: { fields: { withdrawals: false } } },
      ofOthers("another account's notices"),
    ],
    ...tells('notifications.update'),
  },
  listNotices: FREE,

  getBranding: FREE,
  updateBranding: { ...always('whom payers believe to pay, and whom they ask'), ...tells('branding.update') },

  listAlerts: FREE,
  acknowledgeAlert: FREE,

  listAudit: FREE,
  listAuditChain: FREE,
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

/** What the owner of an account is told of a row of the audit log; `null` for nothing. */
export function toldRow(action: string): ToldRow | null {
  return TOLD.get(action) ?? null;
}
