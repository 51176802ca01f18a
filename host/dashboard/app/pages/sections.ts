import { accounts } from './accounts/index.ts';
import { approvals } from './approvals/index.ts';
import { audit } from './audit/index.ts';
import { chains } from './chains/index.ts';
import { deposits } from './deposits/index.ts';
import { gateways } from './gateways/index.ts';
import { orders } from './orders/index.ts';
import { overview } from './overview/index.ts';
import type { Section } from './section.ts';

/** What operators look after. */
const OPERATOR_SECTIONS: readonly Section[] = [approvals, deposits, chains, gateways, accounts, audit];

/** Every part of the dashboard, in the order of the menu. */
const SECTIONS: readonly Section[] = [overview, orders, ...OPERATOR_SECTIONS];

/** What a role sees. */
export function sectionsFor(role: unknown): readonly Section[] {
  return SECTIONS.filter((section) => section.role === undefined || section.role === role);
}
