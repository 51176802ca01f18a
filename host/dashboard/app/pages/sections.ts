import { orders } from './orders/index.ts';
import { overview } from './overview/index.ts';
import type { Section } from './section.ts';

/** Every part of the dashboard, in the order of the menu. */
const SECTIONS: readonly Section[] = [overview, orders];

/** What a role sees. */
export function sectionsFor(role: unknown): readonly Section[] {
  return SECTIONS.filter((section) => section.role === undefined || section.role === role);
}
