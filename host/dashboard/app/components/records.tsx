import { List, Pagination } from 'react-admin';
import type { ReactElement, ReactNode } from 'react';

interface RecordsProps {
  readonly children: ReactNode;
  readonly filters?: ReactElement[];
  readonly actions?: ReactElement | false;
  readonly empty?: ReactElement | false;
  /** Filters that the list always has. */
  readonly filter?: Readonly<Record<string, unknown>>;
  /** Filters that it begins with, and that a person can take away. */
  readonly startFilter?: Readonly<Record<string, unknown>>;
  readonly refetchMs?: number;
  /** False for a list that comes whole. */
  readonly paged?: boolean;
}

/** Keeps records of lists apart from those that are shown: a list has fewer fields, and a page must not take one for the other. */
const OF_LISTS = { list: true };

/** A list of records, newest first as the API gives it. What was searched for stays in the address, and nowhere else. */
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
