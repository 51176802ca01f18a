import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import type { ReactNode } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { ActionButton } from '../../components/act.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Entries } from '../../components/entries.tsx';
import { Section } from '../../components/facts.tsx';
import { Amount, Hash, Time, TransactionHash } from '../../components/values.tsx';
import type { OrderFile, OrderHistory } from '../../records.ts';
import { useApi } from '../../till.ts';

const FIELD = 'resources.orders.fields';

interface Entry {
  readonly id: string;
  /** When it happened, RFC 3339 in UTC. */
  readonly at: string;
  readonly content: ReactNode;
}

/** Everything that happened to an order, the newest first: its statuses, payments, refunds and callbacks. */
export function OrderTimeline({ order }: { readonly order: OrderFile }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['orders', 'history', order.id, order.updated_at],
    queryFn: ({ signal }) => api.get<OrderHistory>(`orders/${order.id}/history`, {}, signal),
    placeholderData: (former) => former,
  });
  if (data === undefined) return null;
  const entries = [...changes(data), ...payments(order), ...refunds(order), ...callbacks(order)];
  // Of what happened at one moment, the later part of the list follows from the earlier one.
  const newest = entries.toReversed().toSorted((one, other) => other.at.localeCompare(one.at));
  return (
    <Section title="resources.orders.timeline">
      <Entries empty="resources.orders.noHistory" of={newest} />
    </Section>
  );
}

const changes = ({ items }: OrderHistory): readonly Entry[] =>
  items.map(({ at, to, rule }, index) => ({
    id: `status ${index}`,
    at,
    content: <Happened at={at} chip={<StatusChip status={to} texts="orderStatus" />} what={<Rule rule={rule} />} />,
  }));

const payments = ({ unconfirmed, transactions }: OrderFile): readonly Entry[] => [
  ...unconfirmed.map(({ tx_hash: hash, amount, coin, chain, seen_at: at }) => ({
    id: `unconfirmed ${hash} ${amount}`,
    at,
    content: (
      <Happened
        at={at}
        chip={<StatusChip status="UNCONFIRMED" />}
        what={<Sum label="resources.orders.payment" value={amount} currency={coin} />}
        details={[[null, <HashOf key="hash" chain={chain} hash={hash} />]]}
      />
    ),
  })),
  ...transactions.map((deposit) => ({
    id: `payment ${deposit.id}`,
    at: deposit.paid_at,
    content: (
      <Happened
        at={deposit.paid_at}
        chip={<StatusChip status={deposit.status} />}
        what={<Sum label="resources.orders.payment" value={deposit.amount} currency={deposit.coin} />}
        details={[
          [`${FIELD}.block`, String(deposit.block_height)],
          [`${FIELD}.from_address`, deposit.from_address && <Hash key="from" value={deposit.from_address} />],
          [null, <HashOf key="hash" chain={deposit.chain} hash={deposit.tx_hash} />],
        ]}
      />
    ),
  })),
];

function refunds({ refunds: items, payment }: OrderFile): readonly Entry[] {
  const coin = payment?.coin ?? '';
  return items.map((refund) => ({
    id: `refund ${refund.id}`,
    at: refund.created_at,
    content: (
      <Happened
        at={refund.created_at}
        chip={<StatusChip status={refund.status} />}
        what={
          <Link component={RouterLink} to={`/withdrawals/${refund.id}/show`} color="inherit">
            <Sum label="resources.orders.refund" value={refund.amount} currency={coin} />
          </Link>
        }
        details={[
          [`${FIELD}.fee`, <Amount key="fee" value={refund.fee} currency={coin} />],
          [`${FIELD}.payerGets`, <Amount key="gets" value={refund.received} currency={coin} />],
          [`${FIELD}.to_address`, <Hash key="to" value={refund.to_address} />],
          [`${FIELD}.finished_at`, refund.finished_at === null ? null : <Time key="end" value={refund.finished_at} />],
        ]}
      />
    ),
  }));
}

const callbacks = ({ callbacks: items }: OrderFile): readonly Entry[] =>
  items.map((callback) => ({
    id: `callback ${callback.id}`,
    at: callback.created_at,
    content: <Callback callback={callback} />,
  }));

function Callback({ callback }: { readonly callback: OrderFile['callbacks'][number] }) {
  const api = useApi();
  const translate = useTranslate();
  const { id, event, status, url, created_at: at } = callback;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'start', justifyContent: 'space-between' }}>
      <Happened
        at={at}
        chip={<StatusChip status={status} />}
        what={
          <Link component={RouterLink} to={`/callbacks/${id}/show`} color="inherit">
            {translate('resources.callbacks.name', { smart_count: 1 })}: {event}
          </Link>
        }
        details={[[null, url]]}
      />
      {status === 'PENDING' ? null : (
        <ActionButton
          size="small"
          label="resources.callbacks.resend"
          success="resources.callbacks.resent"
          work={() => api.post(`callbacks/${id}/redeliver`)}
        />
      )}
    </Box>
  );
}

interface HappenedProps {
  readonly at: string;
  readonly chip: ReactNode;
  readonly what: ReactNode;
  /** Values with the keys of their labels; `null` where a value needs none. An absent value is left out. */
  readonly details?: readonly (readonly [label: string | null, value: ReactNode])[];
}

function Happened({ at, chip, what, details = [] }: HappenedProps) {
  const translate = useTranslate();
  const shown = details.filter(([, value]) => value !== null);
  return (
    <Box sx={{ display: 'grid', gap: 0.5, minWidth: 0 }}>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
        {chip}
        <Typography component="span">{what}</Typography>
        <Typography component="span" color="textSecondary" variant="body2">
          <Time value={at} />
        </Typography>
      </Box>
      {shown.length === 0 ? null : (
        <Box
          sx={{
            display: 'flex',
            flexWrap: 'wrap',
            columnGap: 2,
            alignItems: 'center',
            overflowWrap: 'anywhere',
            minWidth: 0,
          }}
        >
          {shown.map(([label, value], index) => (
            <Typography
              key={label ?? index}
              component="span"
              variant="body2"
              color="textSecondary"
              sx={{ minWidth: 0 }}
            >
              {label === null ? null : `${translate(label)}: `}
              {value}
            </Typography>
          ))}
        </Box>
      )}
    </Box>
  );
}

function Rule({ rule }: { readonly rule: string }) {
  const translate = useTranslate();
  return <>{translate(`tillgate.rule.${rule}`, { _: rule })}</>;
}

/** "Payment: 25 USDT · Ethereum". */
function Sum({
  label,
  value,
  currency,
}: {
  readonly label: string;
  readonly value: string;
  readonly currency: string;
}) {
  const translate = useTranslate();
  return (
    <>
      {translate(label)}: <Amount value={value} currency={currency} />
    </>
  );
}

function HashOf({ chain, hash }: { readonly chain: string; readonly hash: string }) {
  const translate = useTranslate();
  return <TransactionHash chain={chain} value={hash} label={translate(`${FIELD}.tx_hash`)} />;
}
