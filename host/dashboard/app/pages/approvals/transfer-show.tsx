import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useRecordContext, useTranslate } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import { AccountName } from '../../components/account-name.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Amount, Copyable, Time } from '../../components/values.tsx';
import type { TransferFile } from '../../operator-records.ts';
import { TransferActions } from './transfer-actions.tsx';
import { TransferApprovals } from './transfer-approvals.tsx';
import { TransferTransaction } from './transfer-transaction.tsx';
import { Kind } from '../withdrawals/kind.tsx';

const FIELD = 'resources.transfers.fields';
const POLL_MS = 3000;

/** A transfer; it is read again until it is final, while the page is visible. */
export function TransferShow() {
  return (
    <RecordPage pollMs={({ finished_at: end }: TransferFile) => end === null && POLL_MS}>
      <TransferPage />
    </RecordPage>
  );
}

function TransferPage() {
  const transfer = useRecordContext<TransferFile>();
  if (transfer === undefined) return null;
  return (
    <>
      <TransferHead transfer={transfer} />
      <TransferApprovals transfer={transfer} />
      {transfer.chain_transaction === null ? null : <TransferTransaction transaction={transfer.chain_transaction} />}
    </>
  );
}

function TransferHead({ transfer }: { readonly transfer: TransferFile }) {
  const translate = useTranslate();
  const { coin, order } = transfer;
  const [id, to] = [translate(`${FIELD}.id`), translate(`${FIELD}.to_address`)];
  return (
    <Section title="resources.transfers.about">
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', mb: 2 }}>
        <Typography component="p" variant="h5">
          <Amount value={transfer.amount} currency={coin} />
        </Typography>
        <StatusChip status={transfer.status} />
      </Box>
      <Facts
        of={[
          [`${FIELD}.kind`, <Kind key="kind" kind={transfer.kind} />],
          [`${FIELD}.reason`, transfer.reason],
          [`${FIELD}.account`, <AccountName key="account" id={transfer.account} link />],
          [
            `${FIELD}.requested_by`,
            transfer.requested_by === null ? null : <AccountName key="asker" id={transfer.requested_by} link />,
          ],
          [
            `${FIELD}.order`,
            order === null ? null : (
              <Link key="order" component={RouterLink} to={`/orders/${order}/show`}>
                {order}
              </Link>
            ),
          ],
          [`${FIELD}.chain`, transfer.chain],
          [to, <Copyable key="to" value={transfer.to_address} label={to} />],
          [`${FIELD}.from_address`, transfer.from_address],
          [`${FIELD}.received`, <Amount key="received" value={transfer.received} currency={coin} />],
          [`${FIELD}.fee`, <Amount key="fee" value={transfer.fee} currency={coin} />],
          [`${FIELD}.max_fee`, <Amount key="most" value={transfer.max_fee} currency={coin} />],
          [id, <Copyable key="id" value={transfer.id} label={id} />],
          [`${FIELD}.created_at`, <Time key="created" value={transfer.created_at} />],
          [
            `${FIELD}.finished_at`,
            transfer.finished_at === null ? null : <Time key="end" value={transfer.finished_at} />,
          ],
        ]}
      />
      <TransferActions transfer={transfer} />
    </Section>
  );
}
