import AccountBalanceWalletIcon from '@mui/icons-material/AccountBalanceWallet';
import ApiIcon from '@mui/icons-material/Api';
import AccountTreeIcon from '@mui/icons-material/AccountTree';
import CallMadeIcon from '@mui/icons-material/CallMade';
import CardGiftcardIcon from '@mui/icons-material/CardGiftcard';
import ContactsIcon from '@mui/icons-material/Contacts';
import DevicesIcon from '@mui/icons-material/Devices';
import HowToVoteIcon from '@mui/icons-material/HowToVote';
import GroupIcon from '@mui/icons-material/Group';
import HubIcon from '@mui/icons-material/Hub';
import LinkIcon from '@mui/icons-material/Link';
import ManageSearchIcon from '@mui/icons-material/ManageSearch';
import MenuBookIcon from '@mui/icons-material/MenuBook';
import MoveToInboxIcon from '@mui/icons-material/MoveToInbox';
import PriceCheckIcon from '@mui/icons-material/PriceCheck';
import SendIcon from '@mui/icons-material/Send';
import PlaceIcon from '@mui/icons-material/Place';
import PlaylistAddCheckIcon from '@mui/icons-material/PlaylistAddCheck';
import ReceiptLongIcon from '@mui/icons-material/ReceiptLong';
import ReportProblemIcon from '@mui/icons-material/ReportProblem';
import SecurityIcon from '@mui/icons-material/Security';
import SpaceDashboardIcon from '@mui/icons-material/SpaceDashboard';
import StorefrontIcon from '@mui/icons-material/Storefront';
import SwapHorizIcon from '@mui/icons-material/SwapHoriz';
import VpnKeyIcon from '@mui/icons-material/VpnKey';
import WebhookIcon from '@mui/icons-material/Webhook';
import type { ComponentType } from 'react';
import type { Role } from '../api/auth-provider.ts';

/** A page of records: all of a kind, one of them, and the forms that make and change one. */
export type RecordPage = 'list' | 'show' | 'create' | 'edit';

/** The kinds of records, and which pages each has. */
export const RECORD_PAGES = {
  alerts: ['list'],
  transfers: ['list', 'show'],
  deposits: ['list'],
  gateways: ['list', 'show', 'create', 'edit'],
  accounts: ['list', 'show', 'create', 'edit'],
  audit: ['list'],
  orders: ['list', 'show', 'create'],
  links: ['list', 'show', 'create', 'edit'],
  transactions: ['list'],
  wallets: ['list'],
  withdrawals: ['list', 'show'],
  'withdrawal-addresses': ['list'],
  'pull-payments': ['list', 'show', 'create'],
  claims: ['list', 'show'],
  'payout-batches': ['list', 'show'],
  payees: ['list'],
  ledger: ['list'],
  credentials: ['list'],
  webhooks: ['list'],
  callbacks: ['list', 'show'],
  apps: ['list', 'show'],
  sessions: ['list'],
} as const satisfies Readonly<Record<string, readonly RecordPage[]>>;

export type RecordKind = keyof typeof RECORD_PAGES;
export type RecordPages<K extends RecordKind> = (typeof RECORD_PAGES)[K][number];

/** A page besides those of records. */
export type Route = '/chains' | '/connect' | '/branding' | '/security' | '/password';

/** A part of the dashboard: an entry of the menu with its pages. */
export interface Section {
  readonly name: string;
  /** The path of the entry. */
  readonly path: string;
  /** A key of the catalogue. */
  readonly label: string;
  readonly icon: ComponentType;
  /** Its records. */
  readonly records?: RecordKind;
  /** Its pages besides those of records. */
  readonly routes?: readonly Route[];
}

/** Sections that belong together. */
export interface Group {
  readonly name: string;
  /** A key of the catalogue. */
  readonly label: string;
  readonly sections: readonly Section[];
  /** Whether it is folded until somebody unfolds it. */
  readonly folded: boolean;
}

/** A section of records, whose path and label follow from their name. */
function records(name: RecordKind, icon: ComponentType): Section {
  return { name, path: `/${name}`, label: `resources.${name}.name`, icon, records: name };
}

/** The first page, at the root of the application. */
export const HOME: Section = { name: 'overview', path: '/', label: 'tillgate.menu.overview', icon: SpaceDashboardIcon };

/** The group that only operators see. */
const OPERATORS = 'operator';

/** The groups of the menu, in its order. The server checks permissions itself. */
const GROUPS: readonly (Pick<Group, 'name' | 'sections'> & { readonly role?: Role })[] = [
  {
    name: OPERATORS,
    role: 'admin',
    sections: [
      records('alerts', ReportProblemIcon),
      {
        name: 'approvals',
        path: '/transfers',
        label: 'resources.transfers.name',
        icon: HowToVoteIcon,
        records: 'transfers',
      },
      records('deposits', MoveToInboxIcon),
      {
        name: 'chains',
        path: '/chains',
        label: 'resources.chains.name',
        icon: AccountTreeIcon,
        routes: ['/chains'],
      },
      records('gateways', HubIcon),
      records('accounts', GroupIcon),
      records('audit', ManageSearchIcon),
    ],
  },
  {
    name: 'sales',

    sections: [records('orders', ReceiptLongIcon), records('links', LinkIcon), records('transactions', SwapHorizIcon)],
  },
  {
    name: 'balance',

    sections: [
      records('wallets', AccountBalanceWalletIcon),
      records('withdrawals', CallMadeIcon),
      records('withdrawal-addresses', PlaceIcon),
      records('pull-payments', CardGiftcardIcon),
      records('claims', PriceCheckIcon),
      records('payout-batches', PlaylistAddCheckIcon),
      records('payees', ContactsIcon),
      records('ledger', MenuBookIcon),
    ],
  },
  {
    name: 'developers',

    sections: [
      {
        ...records('credentials', VpnKeyIcon),
        routes: ['/connect'],
      },
      records('webhooks', WebhookIcon),
      records('callbacks', SendIcon),
      records('apps', ApiIcon),
    ],
  },
  {
    name: 'settings',

    sections: [
      {
        name: 'branding',
        path: '/branding',
        label: 'tillgate.menu.branding',
        icon: StorefrontIcon,
        routes: ['/branding'],
      },
      {
        name: 'security',
        path: '/security',
        label: 'tillgate.menu.security',
        icon: SecurityIcon,
        routes: ['/security', '/password'],
      },
      records('sessions', DevicesIcon),
    ],
  },
];

/** The groups that a role sees. An operator has the own shop's groups too, folded where nobody unfolded them. */
export function groupsFor(role: unknown): readonly Group[] {
  return GROUPS.filter((group) => group.role === undefined || group.role === role).map(({ name, sections }) => ({
    name,
    label: `tillgate.menu.groups.${name}`,
    sections,
    folded: role === 'admin' && name !== OPERATORS,
  }));
}

/** The sections that a role sees, in the order of the menu. */
export const sectionsFor = (role: unknown): readonly Section[] => [
  HOME,
  ...groupsFor(role).flatMap(({ sections }) => sections),
];

/** Whether a place belongs to a section: its list, or one of its records. */
export const isUnder = (place: string, path: string): boolean => place === path || place.startsWith(`${path}/`);
