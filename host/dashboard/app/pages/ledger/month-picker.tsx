import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useListContext, useLocaleState, useTranslate } from 'react-admin';
import { useState } from 'react';
import { monthsUntil } from './months.ts';

const MONTHS = 24;
const ALL = 'all';

/** Filters the ledger by a month in UTC, as in its exported file. */
export function MonthPicker() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const [months] = useState(() => monthsUntil(Date.now(), MONTHS));
  const list = useListContext();
  const { from, to, ...others } = list.filterValues as Readonly<Record<string, unknown>>;
  const chosen = months.find((month) => month.from === from && month.to === to);
  const name = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' });
  const choose = (value: string): void => {
    const month = months.find((each) => each.from === value);
    list.setFilters({ ...others, ...month });
  };
  return (
    <TextField
      select
      fullWidth={false}
      size="small"
      label={translate('resources.ledger.month')}
      value={chosen?.from ?? ALL}
      onChange={({ target }) => choose(target.value)}
      sx={{ m: 0, flexGrow: { xs: 1, sm: 0 }, minWidth: '12rem' }}
    >
      <MenuItem value={ALL}>{translate('resources.ledger.allMonths')}</MenuItem>
      {months.map((month) => (
        <MenuItem key={month.from} value={month.from}>
          {name.format(new Date(month.from))}
        </MenuItem>
      ))}
    </TextField>
  );
}
