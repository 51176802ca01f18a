import { useTranslate } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { Amount, Copyable, Time } from '../../components/values.tsx';
import { Entries } from '../../components/entries.tsx';
import type { OrderFile } from '../../records.ts';

const FIELD = 'resources.orders.fields';

/** The deposits and the refund of an order. */
export function OrderPayments({ order }: { readonly order: OrderFile }) {
  const translate = useTranslate();
  const hash = translate(`${FIELD}.tx_hash`);
  const { transactions, unconfirmed, refunds, payment } = order;
  const coin = payment?.coin ?? '';
  return (
    <>
      <Section title="resources.orders.payments">
        <Entries
          empty="resources.orders.noPayments"
          of={[
            ...unconfirmed.map((payment) => ({
              id: `${payment.tx_hash} ${payment.amount}`,
              content: (
                <Facts
                  of={[
                    [`${FIELD}.status`, <StatusChip key="status" status="UNCONFIRMED" />],
                    [`${FIELD}.amount`, <Amount key="amount" value={payment.amount} currency={payment.coin} />],
                    [`${FIELD}.seen_at`, <Time key="seen" value={payment.seen_at} />],
                    [hash, <Copyable key="hash" value={payment.tx_hash} label={hash} />],
                  ]}
                />
              ),
            })),
            ...transactions.map((deposit) => ({
              id: deposit.id,
              content: (
                <Facts
                  of={[
                    [`${FIELD}.status`, <StatusChip key="status" status={deposit.status} />],
                    [`${FIELD}.amount`, <Amount key="amount" value={deposit.amount} currency={deposit.coin} />],
                    [`${FIELD}.block`, String(deposit.block_height)],
                    [`${FIELD}.paid_at`, <Time key="paid" value={deposit.paid_at} />],
                    [`${FIELD}.from_address`, deposit.from_address],
                    [hash, <Copyable key="hash" value={deposit.tx_hash} label={hash} />],
                  ]}
                />
              ),
            })),
          ]}
        />
      </Section>
      {refunds.length === 0 ? null : (
        <Section title="resources.orders.refund">
          <Entries
            of={refunds.map((refund) => ({
              id: refund.id,
              content: (
                <Facts
                  of={[
                    [`${FIELD}.status`, <StatusChip key="status" status={refund.status} />],
                    [`${FIELD}.amount`, <Amount key="amount" value={refund.amount} currency={coin} />],
                    [`${FIELD}.fee`, <Amount key="fee" value={refund.fee} currency={coin} />],
                    [`${FIELD}.payerGets`, <Amount key="gets" value={refund.received} currency={coin} />],
                    [`${FIELD}.to_address`, refund.to_address],
                    [`${FIELD}.created_at`, <Time key="created" value={refund.created_at} />],
                    [
                      `${FIELD}.finished_at`,
                      refund.finished_at === null ? null : <Time key="end" value={refund.finished_at} />,
                    ],
                  ]}
                />
              ),
            }))}
          />
        </Section>
      )}
    </>
  );
}
