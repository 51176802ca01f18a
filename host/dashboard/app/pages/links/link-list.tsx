import { useTranslate } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { CreateLink } from '../../components/create-link.tsx';
import { ListActions } from '../../components/list-actions.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import type { Column } from '../../components/record-table.tsx';
import { Records } from '../../components/records.tsx';
import { Amount, Time } from '../../components/values.tsx';
import type { LinkRecord } from '../../records.ts';

const COLUMNS: readonly Column<LinkRecord>[] = [
  { name: 'title', card: 'title', value: ({ title }) => title },
  { name: 'face', card: 'detail', value: ({ face }) => <LinkFace face={face} /> },
  { name: 'price', numeric: true, value: (link) => <LinkPrice link={link} /> },
  { name: 'sold', numeric: true, value: ({ sold, max_sales: most }) => (most === null ? sold : `${sold} / ${most}`) },
  { name: 'state', card: 'aside', value: ({ state }) => <StatusChip status={state} /> },
  { name: 'created_at', card: 'detail', value: ({ created_at: at }) => <Time value={at} /> },
];

export function LinkList() {
  return (
    <Records actions={<ListActions create={<CreateLink />} />}>
      <RecordTable columns={COLUMNS} opens />
    </Records>
  );
}

export function LinkFace({ face }: Pick<LinkRecord, 'face'>) {
  const translate = useTranslate();
  return <>{translate(`resources.links.faces.${face}`)}</>;
}

/** The fixed amount of a link, the number of its items, or a text that the payer chooses it. */
export function LinkPrice({ link }: { readonly link: LinkRecord }) {
  const translate = useTranslate();
  if (link.items.length > 0) return <>{`${translate('resources.links.fields.items')}: ${link.items.length}`}</>;
  if (link.price !== null) return <Amount value={link.price} currency={link.currency} />;
  return <>{`${translate('resources.links.chosen')} (${link.currency})`}</>;
}
