import { TopToolbar, useListContext } from 'react-admin';
import type { ReactNode } from 'react';

/** The buttons above a list; the one that creates a record is that of the empty list as long as there is none. */
export function ListActions({ create, children }: { readonly create: ReactNode; readonly children?: ReactNode }) {
  const { data, filterValues } = useListContext();
  const empty = data?.length === 0 && Object.keys((filterValues ?? {}) as object).length === 0;
  return (
    <TopToolbar>
      {children}
      {empty ? null : create}
    </TopToolbar>
  );
}
