import Chip from '@mui/material/Chip';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { useLocaleState, useTranslate } from 'react-admin';
import type { ReactNode } from 'react';
import { Amount, durationText } from '../../components/values.tsx';
import type { ChainItem } from '../../operator-records.ts';

const KEY = 'resources.chains';
const HEADS = ['chain', 'state', 'lag', 'node', 'balance', 'gas'] as const;
/** Below this, a chain counts as read to its head, in seconds. */
const CALM_LAG = 120;

/** Each chain in one row. @param more - a last cell with what can be done */
export function ChainTable({
  chains,
  more,
}: {
  readonly chains: readonly ChainItem[];
  readonly more?: (chain: ChainItem) => ReactNode;
}) {
  const translate = useTranslate();
  const label = translate(`${KEY}.name`);
  return (
    // A table wider than the screen scrolls in its own container, by keyboard too.
    <TableContainer role="region" aria-label={label} tabIndex={0}>
      <Table size="small" aria-label={label}>
        <TableHead>
          <TableRow>
            {HEADS.map((head) => (
              <TableCell key={head}>{translate(`${KEY}.table.${head}`)}</TableCell>
            ))}
            {more === undefined ? null : <TableCell>{translate(`${KEY}.table.actions`)}</TableCell>}
          </TableRow>
        </TableHead>
        <TableBody>
          {chains.map((chain) => (
            <TableRow key={chain.code}>
              <TableCell component="th" scope="row">
                {chain.name}
              </TableCell>
              <TableCell>
                <ChainState chain={chain} />
              </TableCell>
              <TableCell>
                <Lag chain={chain} />
              </TableCell>
              <TableCell>{translate(`${KEY}.table.${chain.trouble === null ? 'reachable' : 'troubled'}`)}</TableCell>
              <TableCell>
                <Balances of={chain.balances.filter(({ coin }) => coin !== chain.fee_coin)} />
              </TableCell>
              <TableCell>
                <FeeBalance chain={chain} />
              </TableCell>
              {more === undefined ? null : <TableCell>{more(chain)}</TableCell>}
            </TableRow>
          ))}
        </TableBody>
      </Table>
      <Typography variant="body2" color="textSecondary" sx={{ mt: 1 }}>
        {translate(`${KEY}.table.balanceHelp`)}
      </Typography>
    </TableContainer>
  );
}

function Balances({ of }: { readonly of: ChainItem['balances'] }) {
  const translate = useTranslate();
  if (of.length === 0)
    return (
      <Typography component="span" variant="body2" color="textSecondary">
        {translate(`${KEY}.table.nothing`)}
      </Typography>
    );
  return (
    <>
      {of.map(({ coin, amount }) => (
        <div key={coin}>
          <Amount value={amount} currency={coin} />
        </div>
      ))}
    </>
  );
}

/** What pays the chain's fees, also while there is none; a dash where the till does not pay. */
function FeeBalance({ chain: { balances, fee_coin: coin } }: { readonly chain: ChainItem }) {
  if (coin === null) return <>–</>;
  return <Amount value={balances.find((balance) => balance.coin === coin)?.amount ?? '0'} currency={coin} />;
}

/** The state of a chain in one word: the worst of its reading and its payouts. */
export function ChainState({ chain }: { readonly chain: ChainItem }) {
  const translate = useTranslate();
  const { halted_reason: halted, payouts } = chain;
  const [word, color] =
    halted !== null
      ? (['isHalted', 'error'] as const)
      : !payouts.enabled
        ? (['watchOnly', 'default'] as const)
        : payouts.stopped_reason === null
          ? (['running', 'success'] as const)
          : (['stopped', 'warning'] as const);
  return <Chip size="small" variant="outlined" color={color} label={translate(`${KEY}.${word}`)} />;
}

function Lag({ chain: { lag_seconds: lag } }: { readonly chain: ChainItem }) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  if (lag === null) return <>{translate(`${KEY}.neverRead`)}</>;
  if (lag < CALM_LAG) return <>{translate(`${KEY}.table.synced`)}</>;
  return <>{translate(`${KEY}.table.behind`, { time: durationText(locale, lag) })}</>;
}
