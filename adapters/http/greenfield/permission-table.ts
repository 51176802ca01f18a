import type { Scope } from '../../../core/index.ts';

/** A permission of a key, as shop plugins name it. */
export interface PermissionRow {
  /** Its name among the texts of the dashboard. */
  readonly word: string;
  /** The scope that its calls need; `null` for calls that no scope covers elsewhere. */
  readonly scope: Scope | null;
  /** The scope that implies it for a key without permissions of its own; `scope` by default. */
  readonly impliedBy?: Scope;
  /** Permissions that it has besides. */
  readonly includes?: readonly string[];
  /** Only a key to which it was granted by its name has it: no scope allows the same over the other APIs. */
  readonly byName?: true;
  /** It belongs to the person, and is written without a store. */
  readonly ofUser?: true;
}

/**
 * Every permission that a key can have. A key's scopes are those of its permissions, so that it can do nothing over the
 * other APIs that it was not granted.
 */
export const PERMISSIONS = {
  'btcpay.store.canviewinvoices': { word: 'viewInvoices', scope: 'read' },
  'btcpay.store.cancreateinvoice': { word: 'createInvoices', scope: 'create' },
  'btcpay.store.canmodifyinvoices': {
    word: 'modifyInvoices',
    scope: null,
    byName: true,
    includes: ['btcpay.store.canviewinvoices'],
  },
  'btcpay.store.canviewstoresettings': { word: 'viewStore', scope: 'read' },
  'btcpay.store.webhooks.canmodifywebhooks': { word: 'webhooks', scope: null, byName: true },
  'btcpay.store.canviewpullpayments': { word: 'viewPullPayments', scope: 'read' },
  'btcpay.store.canviewpayouts': { word: 'viewPayouts', scope: 'read' },
  // It sets money aside and pays nobody, since the account approves each claim: a shop's key can have it without the
  // scope that moves money. Over the other APIs only that scope allows it, so only that scope implies it.
  'btcpay.store.cancreatenonapprovedpullpayments': { word: 'requestPayouts', scope: null, impliedBy: 'move' },
  'btcpay.store.cancreatepullpayments': {
    word: 'createPayouts',
    scope: 'move',
    includes: ['btcpay.store.cancreatenonapprovedpullpayments'],
  },
  'btcpay.store.canarchivepullpayments': { word: 'archivePullPayments', scope: 'move' },
  'btcpay.store.canmanagepayouts': {
    word: 'managePayouts',
    scope: 'move',
    includes: ['btcpay.store.canviewpayouts'],
  },
  'btcpay.store.canmanagepullpayments': {
    word: 'managePullPayments',
    scope: 'move',
    includes: [
      'btcpay.store.cancreatepullpayments',
      'btcpay.store.canarchivepullpayments',
      'btcpay.store.canviewpullpayments',
      'btcpay.store.canmanagepayouts',
    ],
  },
  'btcpay.store.canmodifystoresettings': {
    word: 'everythingOfStore',
    scope: null,
    byName: true,
    includes: [
      'btcpay.store.canviewstoresettings',
      'btcpay.store.canmodifyinvoices',
      'btcpay.store.cancreateinvoice',
      'btcpay.store.webhooks.canmodifywebhooks',
      'btcpay.store.canmanagepullpayments',
    ],
  },
  'btcpay.user.canviewprofile': { word: 'viewProfile', scope: null, ofUser: true },
  unrestricted: {
    word: 'everything',
    scope: null,
    byName: true,
    ofUser: true,
    includes: ['btcpay.store.canmodifystoresettings', 'btcpay.user.canviewprofile'],
  },
} as const satisfies Readonly<Record<string, PermissionRow>>;

export type Permission = keyof typeof PERMISSIONS;

/** Whether a text names a permission. */
export const isPermission = (name: string): name is Permission => Object.hasOwn(PERMISSIONS, name);

/** Whether a permission belongs to the person, and is written without a store. */
export const isOfUser = (name: string): boolean => isPermission(name) && 'ofUser' in PERMISSIONS[name];

/** A permission as plugins read it: with the store to which it belongs. */
export const withStore = (name: string, store: string): string => (isOfUser(name) ? name : `${name}:${store}`);
