import { TopToolbar, useListContext } from 'react-admin';
import type { RaRecord } from 'react-admin';
import type { ReactNode } from 'react';

/** The buttons above a list; the one that creates a record is that of the empty list as long as there is none. */
export function ListActions({ create, children }: { readonly create: ReactNode; readonly children?: ReactNode }) {
  const list = useListContext<RaRecord>();
  const filters: unknown = list.filterValues;
  const narrowed = Object.keys(filters ?? {}).length > 0;
  // Not before the list is known: the button would move while somebody presses it.
  const elsewhere = list.data === undefined || (list.data.length === 0 && !narrowed);
  return (
    <TopToolbar>
      {children}
      {elsewhere ? null : create}
    </TopToolbar>
  );
}
