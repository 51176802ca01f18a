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
import type { ResourceProps } from 'react-admin';
import type { Role } from '../api/auth-provider.ts';
import { lazyPage } from '../components/lazy-page.ts';

/** A part of the dashboard: an entry of the menu with its pages. */
export interface Section {
  readonly name: string;
  /** The path of the entry. */
  readonly path: string;
  /** A key of the catalogue. */
  readonly label: string;
  readonly icon: ComponentType;
  /** Records with a list, a page and a form. */
  readonly resource?: ResourceProps;
  /** Pages besides those of records. */
  readonly routes?: readonly { readonly path: string; readonly page: ComponentType }[];
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
function records(name: string, icon: ComponentType, pages: Omit<ResourceProps, 'name'>): Section {
  return { name, path: `/${name}`, label: `resources.${name}.name`, icon, resource: { name, ...pages } };
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
      {
        ...records('alerts', ReportProblemIcon, {
          list: lazyPage(() => import('./alerts/alert-list.tsx'), 'AlertList'),
        }),
      },
      {
        name: 'approvals',
        path: '/transfers',
        label: 'resources.transfers.name',
        icon: HowToVoteIcon,
        resource: {
          name: 'transfers',
          list: lazyPage(() => import('./approvals/transfer-list.tsx'), 'TransferList'),
          show: lazyPage(() => import('./approvals/transfer-show.tsx'), 'TransferShow'),
        },
      },
      {
        ...records('deposits', MoveToInboxIcon, {
          list: lazyPage(() => import('./deposits/deposit-list.tsx'), 'DepositList'),
        }),
      },
      {
        name: 'chains',
        path: '/chains',
        label: 'resources.chains.name',
        icon: AccountTreeIcon,
        routes: [{ path: '/chains', page: lazyPage(() => import('./chains/chain-list.tsx'), 'ChainList') }],
      },
      {
        ...records('gateways', HubIcon, {
          list: lazyPage(() => import('./gateways/gateway-list.tsx'), 'GatewayList'),
          show: lazyPage(() => import('./gateways/gateway-show.tsx'), 'GatewayShow'),
          create: lazyPage(() => import('./gateways/gateway-create.tsx'), 'GatewayCreate'),
          edit: lazyPage(() => import('./gateways/gateway-edit.tsx'), 'GatewayEdit'),
        }),
      },
      {
        ...records('accounts', GroupIcon, {
          list: lazyPage(() => import('./accounts/account-list.tsx'), 'AccountList'),
          show: lazyPage(() => import('./accounts/account-show.tsx'), 'AccountShow'),
          create: lazyPage(() => import('./accounts/account-create.tsx'), 'AccountCreate'),
          edit: lazyPage(() => import('./accounts/account-edit.tsx'), 'AccountEdit'),
        }),
      },
      {
        ...records('audit', ManageSearchIcon, { list: lazyPage(() => import('./audit/audit-list.tsx'), 'AuditList') }),
      },
    ],
  },
  {
    name: 'sales',

    sections: [
      records('orders', ReceiptLongIcon, {
        list: lazyPage(() => import('./orders/order-list.tsx'), 'OrderList'),
        show: lazyPage(() => import('./orders/order-show.tsx'), 'OrderShow'),
        create: lazyPage(() => import('./orders/order-create.tsx'), 'OrderCreate'),
      }),
      records('links', LinkIcon, {
        list: lazyPage(() => import('./links/link-list.tsx'), 'LinkList'),
        show: lazyPage(() => import('./links/link-show.tsx'), 'LinkShow'),
        create: lazyPage(() => import('./links/link-create.tsx'), 'LinkCreate'),
        edit: lazyPage(() => import('./links/link-edit.tsx'), 'LinkEdit'),
      }),
      records('transactions', SwapHorizIcon, {
        list: lazyPage(() => import('./transactions/transaction-list.tsx'), 'TransactionList'),
      }),
    ],
  },
  {
    name: 'balance',

    sections: [
      records('wallets', AccountBalanceWalletIcon, {
        list: lazyPage(() => import('./wallet/wallet-list.tsx'), 'WalletList'),
      }),
      records('withdrawals', CallMadeIcon, {
        list: lazyPage(() => import('./withdrawals/withdrawal-list.tsx'), 'WithdrawalList'),
        show: lazyPage(() => import('./withdrawals/withdrawal-show.tsx'), 'WithdrawalShow'),
      }),
      records('withdrawal-addresses', PlaceIcon, {
        list: lazyPage(() => import('./withdrawals/address-list.tsx'), 'AddressList'),
      }),
      records('pull-payments', CardGiftcardIcon, {
        list: lazyPage(() => import('./pull-payments/pull-payment-list.tsx'), 'PullPaymentList'),
        show: lazyPage(() => import('./pull-payments/pull-payment-show.tsx'), 'PullPaymentShow'),
        create: lazyPage(() => import('./pull-payments/pull-payment-create.tsx'), 'PullPaymentCreate'),
      }),
      records('claims', PriceCheckIcon, {
        list: lazyPage(() => import('./pull-payments/claim-list.tsx'), 'ClaimList'),
      }),
      records('payout-batches', PlaylistAddCheckIcon, {
        list: lazyPage(() => import('./batches/batch-list.tsx'), 'BatchList'),
        show: lazyPage(() => import('./batches/batch-show.tsx'), 'BatchShow'),
      }),
      records('payees', ContactsIcon, { list: lazyPage(() => import('./batches/payee-list.tsx'), 'PayeeList') }),
      records('ledger', MenuBookIcon, { list: lazyPage(() => import('./ledger/ledger-list.tsx'), 'LedgerList') }),
    ],
  },
  {
    name: 'developers',

    sections: [
      {
        ...records('credentials', VpnKeyIcon, {
          list: lazyPage(() => import('./credentials/credential-list.tsx'), 'CredentialList'),
        }),
        routes: [{ path: '/connect', page: lazyPage(() => import('./connect/connect-page.tsx'), 'ConnectPage') }],
      },
      records('webhooks', WebhookIcon, { list: lazyPage(() => import('./webhooks/webhook-list.tsx'), 'WebhookList') }),
      records('callbacks', SendIcon, {
        list: lazyPage(() => import('./callbacks/callback-list.tsx'), 'CallbackList'),
        show: lazyPage(() => import('./callbacks/callback-show.tsx'), 'CallbackShow'),
      }),
      records('apps', ApiIcon, {
        list: lazyPage(() => import('./apps/app-list.tsx'), 'AppList'),
        show: lazyPage(() => import('./apps/app-show.tsx'), 'AppShow'),
      }),
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
        routes: [{ path: '/branding', page: lazyPage(() => import('./branding/branding-page.tsx'), 'BrandingPage') }],
      },
      {
        name: 'security',
        path: '/security',
        label: 'tillgate.menu.security',
        icon: SecurityIcon,
        routes: [
          { path: '/security', page: lazyPage(() => import('./security/security-page.tsx'), 'SecurityPage') },
          { path: '/password', page: lazyPage(() => import('./security/password-page.tsx'), 'PasswordPage') },
        ],
      },
      records('sessions', DevicesIcon, { list: lazyPage(() => import('./security/session-list.tsx'), 'SessionList') }),
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
