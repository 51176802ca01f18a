import type { ResourceName } from '../api/resources.ts';
import type { FoundRecord } from '../records.ts';

/** The records of each kind, as the application calls them. */
export const FOUND_RESOURCES = {
  order: 'orders',
  payout: 'withdrawals',
  claim: 'claims',
  pull_payment: 'pull-payments',
  payout_batch: 'payout-batches',
  link: 'links',
  callback: 'callbacks',
} as const satisfies Readonly<Record<FoundRecord['kind'], ResourceName>>;

/** The page of a record that a search found. @param admin - whether the operator's pages are there */
export function foundPath({ kind, id }: Pick<FoundRecord, 'kind' | 'id'>, admin: boolean): string {
  return `/${kind === 'payout' && admin ? 'transfers' : FOUND_RESOURCES[kind]}/${id}/show`;
}

interface Named {
  readonly name: string;
}

/** The pages whose name has the text, those that begin with it first; all pages without a text. */
export function matchingSections<Page extends Named>(pages: readonly Page[], text: string): readonly Page[] {
  const wanted = text.toLocaleLowerCase();
  const rank = ({ name }: Named): number => {
    const lower = name.toLocaleLowerCase();
    return lower.startsWith(wanted) ? 0 : lower.includes(wanted) ? 1 : 2;
  };
  return pages.filter((page) => rank(page) < 2).toSorted((a, b) => rank(a) - rank(b));
}
