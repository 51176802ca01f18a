import { accounts } from './accounts/index.ts';
import { approvals } from './approvals/index.ts';
import { audit } from './audit/index.ts';
import { chains } from './chains/index.ts';
import { deposits } from './deposits/index.ts';
import { gateways } from './gateways/index.ts';
import { apps } from './apps/index.ts';
import { callbacks } from './callbacks/index.ts';
import { credentials } from './credentials/index.ts';
import { orders } from './orders/index.ts';
import { overview } from './overview/index.ts';
import type { Section } from './section.ts';
import { security, sessions } from './security/index.ts';
import { wallet } from './wallet/index.ts';
import { webhooks } from './webhooks/index.ts';
import { withdrawalAddresses, withdrawals } from './withdrawals/index.ts';

/** What operators look after. */
const OPERATOR_SECTIONS: readonly Section[] = [approvals, deposits, chains, gateways, accounts, audit];

/** Every part of the dashboard, in the order of the menu. */
const SECTIONS: readonly Section[] = [
  overview,
  orders,
  wallet,
  withdrawals,
  withdrawalAddresses,
  credentials,
  callbacks,
  webhooks,
  apps,
  security,
  sessions,
  ...OPERATOR_SECTIONS,
];

/** What a role sees. */
export function sectionsFor(role: unknown): readonly Section[] {
  return SECTIONS.filter((section) => section.role === undefined || section.role === role);
}

/** What a role has in the menu. */
export function menuFor(role: unknown): readonly Section[] {
  return sectionsFor(role).filter(({ menuRole }) => menuRole === undefined || menuRole === role);
}
