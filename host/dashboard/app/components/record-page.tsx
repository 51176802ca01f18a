import { Show } from 'react-admin';
import type { RaRecord } from 'react-admin';
import type { ReactElement, ReactNode } from 'react';

interface RecordPageProps<R> {
  readonly children: ReactNode;
  /** The title of the page; the kind of the record with its id by default. */
  readonly title?: ReactElement;
  /** The interval of reads while the page is visible, in milliseconds; false for a record that no longer changes. */
  readonly pollMs?: (record: R) => number | false;
}

/** Caches whole records apart from those of lists, which have fewer fields. */
const WHOLE = { whole: true };

export function RecordPage<R>({ children, title, pollMs = () => false }: RecordPageProps<R>) {
  return (
    <Show
      actions={false}
      component="div"
      // A wide table scrolls by itself, and widens no page.
      sx={{ '& .RaShow-card': { minWidth: 0 } }}
      {...(title === undefined ? {} : { title })}
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
