import ContentCopyIcon from '@mui/icons-material/ContentCopy';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { useLocaleState, useNotify, useTranslate } from 'react-admin';
import { MONOSPACE } from '../theme.ts';
import { useCoinName, useMoney } from './money.ts';
import { useAddressUrl, useChainNames, useTransactionUrl } from './service.ts';

/** An amount with its currency as people write it, from the decimal text of the API. */
export function Amount({ value, currency }: { readonly value: string | null; readonly currency: string }) {
  const money = useMoney();
  return (
    <Box
      component="bdi"
      dir="ltr"
      sx={{ fontVariantNumeric: 'tabular-nums', overflowWrap: 'anywhere', unicodeBidi: 'isolate' }}
    >
      {value === null || value === '' ? '–' : money(value, currency)}
    </Box>
  );
}

/** What people call a coin. */
export function Coin({ code }: { readonly code: string }) {
  const name = useCoinName();
  return <bdi>{name(code)}</bdi>;
}

/** What people call a chain. */
export function ChainName({ code }: { readonly code: string }) {
  const name = useChainNames();
  return <bdi>{name(code)}</bdi>;
}

/** A time in the language and the time zone of the reader, to the minute; the title has the second and the zone. */
export function Time({ value }: { readonly value: string | null }) {
  const [locale] = useLocaleState();
  if (value === null) return <>–</>;
  return (
    <Box
      component="time"
      dateTime={value}
      title={timeText(locale, value, 'long')}
      sx={{ whiteSpace: 'nowrap', unicodeBidi: 'isolate' }}
    >
      {timeText(locale, value)}
    </Box>
  );
}

/** As {@link Time}, as a text. */
export const timeText = (locale: string, value: string, timeStyle: 'short' | 'long' = 'short'): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle }).format(new Date(value));

/** A text that is searched for as it is: an id, a reference, a name in the API. */
export function Code({ children }: { readonly children: string }) {
  return (
    <Box component="code" dir="ltr" sx={{ fontFamily: MONOSPACE, fontSize: '0.875rem', overflowWrap: 'anywhere' }}>
      {children}
    </Box>
  );
}

/** A sentence or an address with long words, which must not widen its table. */
export function LongText({ children, title }: { readonly children: string; readonly title?: string }) {
  return (
    <Box component="span" title={title} sx={{ overflowWrap: 'anywhere', display: 'inline-block', minWidth: '8rem' }}>
      {children}
    </Box>
  );
}

/** A shortened transaction hash or address; the title has the full one. */
export function Hash({ value }: { readonly value: string | null }) {
  if (value === null) return <>–</>;
  return (
    <Box component="code" dir="ltr" title={value} sx={{ fontFamily: MONOSPACE, fontSize: '0.875rem' }}>
      {value.length <= SHOWN ? value : `${value.slice(0, HEAD)}…${value.slice(-TAIL)}`}
    </Box>
  );
}

interface TransactionHashProps {
  /** The code of the chain. */
  readonly chain: string;
  readonly value: string;
  /** The label of the copy button. */
  readonly label: string;
}

/** A transaction's hash with a copy button, and a link to a block explorer where the chain has one. */
export function TransactionHash({ chain, value, label }: TransactionHashProps) {
  return <LookedUp url={useTransactionUrl()(chain, value)} value={value} label={label} />;
}

/** An address with a copy button, and a link to a block explorer where the chain has one. */
export function ChainAddress({ chain, value, label }: TransactionHashProps) {
  return <LookedUp url={useAddressUrl()(chain, value)} value={value} label={label} />;
}

interface LookedUpProps extends Omit<TransactionHashProps, 'chain'> {
  readonly url: string | null;
}

function LookedUp({ url, value, label }: LookedUpProps) {
  const translate = useTranslate();
  return (
    <Box
      component="span"
      sx={{ display: 'inline-flex', flexWrap: 'wrap', alignItems: 'center', gap: 0.5, minWidth: 0 }}
    >
      <Copyable value={value} label={label} />
      {url === null ? null : (
        <Link href={url} target="_blank" rel="noopener noreferrer" variant="body2">
          {translate('tillgate.explorer')}
        </Link>
      )}
    </Box>
  );
}

const [HEAD, TAIL] = [10, 6] as const;
const SHOWN = HEAD + TAIL + 1;

/** A text with a copy button: an address, a hash, a link. */
export function Copyable({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.5, minWidth: 0 }}>
      <Box
        component="code"
        dir="ltr"
        sx={{ fontFamily: MONOSPACE, fontSize: '0.875rem', overflowWrap: 'anywhere', userSelect: 'all', minWidth: 0 }}
      >
        {value}
      </Box>
      <CopyButton value={value} label={label} />
    </Box>
  );
}

/** A button that copies a text. */
export function CopyButton({ value, label }: { readonly value: string; readonly label: string }) {
  const translate = useTranslate();
  const notify = useNotify();
  const copy = (): void => {
    void navigator.clipboard.writeText(value).then(
      () => notify('tillgate.copied', { type: 'success' }),
      () => notify('tillgate.error.copy', { type: 'warning' }),
    );
  };
  const title = translate('tillgate.copy', { what: label });
  return (
    <Tooltip title={title}>
      <IconButton size="small" onClick={copy} aria-label={title}>
        <ContentCopyIcon fontSize="inherit" />
      </IconButton>
    </Tooltip>
  );
}

/** A duration in the largest suitable unit. */
export function Duration({ seconds }: { readonly seconds: number }) {
  const [locale] = useLocaleState();
  return <>{durationText(locale, seconds)}</>;
}

/** As {@link Duration}, as a text. */
export function durationText(locale: string, seconds: number): string {
  const [unit, size] = DURATIONS.find(([, length]) => seconds >= 2 * length) ?? SECOND;
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.round(seconds / size));
}

const SECOND = ['second', 1] as const;
const DURATIONS: readonly (readonly [unit: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
