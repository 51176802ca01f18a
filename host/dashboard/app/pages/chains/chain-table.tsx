import Chip from '@mui/material/Chip';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import type { SxProps, Theme } from '@mui/material/styles';
import { useLocaleState, useTranslate } from 'react-admin';
import type { TranslateFunction } from 'react-admin';
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
  const heads = HEADS.map((head) => translate(`${KEY}.table.${head}`));
  return (
    // A table wider than the screen scrolls in its own container, by keyboard too.
    <TableContainer role="region" aria-label={label} tabIndex={0}>
      <Table size="small" aria-label={label} role="table" sx={BLOCKS}>
        <TableHead role="rowgroup">
          <TableRow role="row">
            {[...heads, ...(more === undefined ? [] : [translate(`${KEY}.table.actions`)])].map((head) => (
              <TableCell key={head} role="columnheader">
                {head}
              </TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody role="rowgroup">
          {chains.map((chain) => (
            <TableRow key={chain.code} role="row">
              <TableCell component="th" scope="row" role="rowheader">
                {chain.name}
              </TableCell>
              {cellsOf(chain, translate).map((cell, index) => (
                <TableCell key={HEADS[index + 1]} role="cell" data-label={heads[index + 1]}>
                  <div>{cell}</div>
                </TableCell>
              ))}
              {more === undefined ? null : <TableCell role="cell">{more(chain)}</TableCell>}
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

/**
 * On a narrow screen each row is a block: the chain's name and state in a line, and each other cell in a line of its own behind
 * its heading. The elements keep their roles, because a browser takes them from rows that are no table's any more.
 */
const BLOCKS: SxProps<Theme> = (theme) => ({
  [theme.breakpoints.down('sm')]: {
    '&, & tbody': { display: 'block' },
    '& thead': { position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)' },
    '& tr': {
      display: 'grid',
      gridTemplateColumns: 'minmax(0, 1fr) auto',
      alignItems: 'center',
      gap: 0.5,
      py: 1.5,
      borderBottom: 1,
      borderColor: 'divider',
    },
    '& th, & td': { p: 0, border: 0 },
    '& th': { fontWeight: 600 },
    '& td': { gridColumn: '1 / -1', display: 'flex', justifyContent: 'space-between', gap: 2 },
    '& td > div': { textAlign: 'end' },
    '& td[data-label]::before': { content: 'attr(data-label)', color: 'text.secondary', typography: 'body2' },
    '& th + td': { gridColumn: 2 },
    '& th + td::before': { display: 'none' },
  },
});

/** What stands in a chain's row behind its name, as {@link HEADS} names it. */
function cellsOf(chain: ChainItem, translate: TranslateFunction): readonly ReactNode[] {
  return [
    <ChainState key="state" chain={chain} />,
    <Lag key="lag" chain={chain} />,
    translate(`${KEY}.table.${chain.trouble === null ? 'reachable' : 'troubled'}`),
    <Balances key="balance" of={chain.balances.filter(({ coin }) => coin !== chain.fee_coin)} />,
    <FeeBalance key="gas" chain={chain} />,
  ];
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
