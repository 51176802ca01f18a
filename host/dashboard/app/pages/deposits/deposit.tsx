import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useTranslate } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import { AccountName } from '../../components/account-name.tsx';
import { StatusChip } from '../../components/chips.tsx';
import { Facts } from '../../components/facts.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Amount, ChainName, Time, TransactionHash } from '../../components/values.tsx';
import type { DepositItem } from '../../operator-records.ts';
import { useApi } from '../../till.ts';

const KEY = 'resources.deposits';
const FIELD = `${KEY}.fields`;

export function Deposit({ deposit }: { readonly deposit: DepositItem }) {
  const translate = useTranslate();
  const { coin, order, unassigned_reason: reason } = deposit;
  const hash = translate(`${FIELD}.tx_hash`);
  return (
    <>
      <Facts
        of={[
          [`${FIELD}.amount`, <Amount key="amount" value={deposit.amount} currency={coin} />],
          [`${FIELD}.status`, <StatusChip key="status" status={deposit.status} />],
          [`${FIELD}.unassigned_reason`, reason === null ? null : translate(`${KEY}.reasons.${reason}`)],
          [`${FIELD}.paid_at`, <Time key="paid" value={deposit.paid_at} />],
          [
            `${FIELD}.chain`,
            <span key="chain">
              <ChainName code={deposit.chain} /> · {deposit.block_height}
            </span>,
          ],
          [`${FIELD}.account`, <AccountName key="account" id={deposit.account} link />],
          [
            `${FIELD}.order`,
            <Link key="order" component={RouterLink} to={`/orders/${order}/show`}>
              {order}
            </Link>,
          ],
          [`${FIELD}.from_address`, deposit.from_address],
          [`${FIELD}.to_address`, deposit.to_address],
          [
            hash,
            <TransactionHash
              key="hash"
              chain={deposit.chain}
              value={deposit.tx_hash}
              label={`${hash} ${deposit.tx_hash.slice(0, 8)}`}
            />,
          ],
          [
            `${FIELD}.return_cost`,
            !/[1-9]/.test(deposit.return_cost) ? null : (
              <Amount key="cost" value={deposit.return_cost} currency={coin} />
            ),
          ],
        ]}
      />
      <DepositActions deposit={deposit} />
    </>
  );
}

/**
 * A deposit can be assigned once it is credited, and refunded once it is spendable. The sender is not proposed as the
 * receiver: it may be an exchange, which could not tell whose money it is.
 */
function DepositActions({ deposit }: { readonly deposit: DepositItem }) {
  const api = useApi();
  const { id, status, order } = deposit;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 1.5 }}>
      {status === 'CREDITED' || status === 'SPENDABLE' ? (
        <FormDialog
          label={`${KEY}.assign`}
          success={`${KEY}.assigned`}
          size="small"
          text
          fields={[{ name: 'order', label: `${FIELD}.assign_to`, initial: order }]}
          submit={(values) => api.post(`deposits/${id}/assign`, values)}
        />
      ) : null}
      {status === 'SPENDABLE' ? (
        <FormDialog
          label={`${KEY}.refund`}
          success={`${KEY}.refunded`}
          size="small"
          text
          fields={[{ name: 'address', label: `${FIELD}.address`, help: `${KEY}.addressHelp` }]}
          submit={(values) => api.post(`deposits/${id}/refund`, values)}
        />
      ) : null}
    </Box>
  );
}
