import { accounts } from './accounts/section.ts';
import { alerts } from './alerts/section.ts';
import { approvals } from './approvals/section.ts';
import { apps } from './apps/section.ts';
import { audit } from './audit/section.ts';
import { branding } from './branding/section.ts';
import { callbacks } from './callbacks/section.ts';
import { chains } from './chains/section.ts';
import { credentials } from './credentials/section.ts';
import { deposits } from './deposits/section.ts';
import { gateways } from './gateways/section.ts';
import { ledger } from './ledger/section.ts';
import { links } from './links/section.ts';
import { orders } from './orders/section.ts';
import { overview } from './overview/section.ts';
import type { Section } from './section.ts';
import { security, sessions } from './security/section.ts';
import { transactions } from './transactions/section.ts';
import { wallet } from './wallet/section.ts';
import { webhooks } from './webhooks/section.ts';
import { withdrawalAddresses, withdrawals } from './withdrawals/section.ts';

const OPERATOR_SECTIONS: readonly Section[] = [alerts, approvals, deposits, chains, gateways, accounts, audit];

/** Every part of the dashboard, in the order of the menu. */
const SECTIONS: readonly Section[] = [
  overview,
  orders,
  links,
  transactions,
  wallet,
  withdrawals,
  withdrawalAddresses,
  ledger,
  credentials,
  callbacks,
  webhooks,
  apps,
  branding,
  security,
  sessions,
  ...OPERATOR_SECTIONS,
];

/** The sections that a role sees. */
export function sectionsFor(role: unknown): readonly Section[] {
  return SECTIONS.filter((section) => section.role === undefined || section.role === role);
}
