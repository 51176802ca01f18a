import Alert from '@mui/material/Alert';
import { useTranslate } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { Entries } from '../../components/entries.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { Copyable, Time } from '../../components/values.tsx';
import type { TransferFile } from '../../operator-records.ts';

const KEY = 'resources.transfers';

interface TransferTransactionProps {
  readonly transaction: NonNullable<TransferFile['chain_transaction']>;
}

/** The transaction of a transfer, with each signed version of it. */
export function TransferTransaction({ transaction }: TransferTransactionProps) {
  const translate = useTranslate();
  const hash = translate(`${KEY}.fields.tx_hash`);
  const { cancel_reason: cancelling, nonce, height, tx_hash: mined } = transaction;
  return (
    <Section title={`${KEY}.transaction`}>
      {cancelling === undefined ? null : (
        <Alert severity="warning" sx={{ mb: 2 }}>
          {translate(`${KEY}.isCancelled`, { reason: cancelling })}
        </Alert>
      )}
      <Facts
        of={[
          [`${KEY}.fields.transaction_status`, <StatusChip key="status" status={transaction.status} />],
          [`${KEY}.fields.nonce`, nonce === null ? null : String(nonce)],
          [`${KEY}.fields.height`, height === null ? null : String(height)],
          [`${KEY}.fields.sent_at`, <Time key="sent" value={transaction.sent_at} />],
          [`${KEY}.fields.mined`, mined],
        ]}
      />
      <Entries
        empty={`${KEY}.noAttempts`}
        of={transaction.attempts.map((attempt) => ({
          id: attempt.tx_hash,
          content: (
            <Facts
              of={[
                [
                  `${KEY}.fields.attempt`,
                  attempt.cancels === true
                    ? translate(`${KEY}.cancellation`, { number: attempt.number })
                    : String(attempt.number),
                ],
                [`${KEY}.fields.fee_units`, attempt.fee_units],
                [`${KEY}.fields.signed_at`, <Time key="signed" value={attempt.created_at} />],
                [hash, <Copyable key="hash" value={attempt.tx_hash} label={hash} />],
              ]}
            />
          ),
        }))}
      />
    </Section>
  );
}
