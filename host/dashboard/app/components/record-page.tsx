import { Show } from 'react-admin';
import type { RaRecord } from 'react-admin';
import type { ReactNode } from 'react';

interface RecordPageProps<R> {
  readonly children: ReactNode;
  /** How soon the record is read again, while the page is in sight; false for what changes no more by itself. */
  readonly pollMs?: (record: R) => number | false;
}

/** A record of a list may be shown before the record itself was read, and has fewer fields: the two are kept apart. */
const WHOLE = { whole: true };

/** The page of one record. */
export function RecordPage<R>({ children, pollMs = () => false }: RecordPageProps<R>) {
  return (
    <Show
      actions={false}
      component="div"
      queryOptions={{
        meta: WHOLE,
        refetchInterval: ({ state: { data } }: { state: { data?: RaRecord | undefined } }) =>
          data !== undefined && pollMs(data as unknown as R),
      }}
    >
      {children}
    </Show>
  );
}
