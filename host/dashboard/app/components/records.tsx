import { List, Pagination } from 'react-admin';
import type { ReactElement, ReactNode } from 'react';

interface RecordsProps {
  readonly children: ReactNode;
  readonly filters?: ReactElement[];
  readonly actions?: ReactElement | false;
  readonly empty?: ReactElement | false;
  /** Permanent filters of the list. */
  readonly filter?: Readonly<Record<string, unknown>>;
  /** Initial filters, which the person can remove. */
  readonly startFilter?: Readonly<Record<string, unknown>>;
  readonly refetchMs?: number;
  /** False for a list without pages. */
  readonly paged?: boolean;
}

/** Caches records of lists apart from whole records: those of lists have fewer fields. */
export const OF_LISTS = { list: true };

/** A list of records in the API's order. The search is kept only in the URL. */
export function Records({
  children,
  filters,
  actions,
  empty = false,
  filter,
  startFilter,
  refetchMs,
  paged = true,
}: RecordsProps) {
  return (
    <List
      exporter={false}
      storeKey={false}
      perPage={20}
      empty={empty}
      pagination={paged ? <Pagination rowsPerPageOptions={[20, 50, 100]} /> : false}
      {...(filters === undefined ? {} : { filters })}
      {...(actions === undefined ? {} : { actions })}
      {...(filter === undefined ? {} : { filter })}
      {...(startFilter === undefined ? {} : { filterDefaultValues: startFilter })}
      queryOptions={{ meta: OF_LISTS, ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }) }}
    >
      {children}
    </List>
  );
}
