import DownloadIcon from '@mui/icons-material/Download';
import Button from '@mui/material/Button';
import { useListContext, useTranslate } from 'react-admin';
import { resourceOf } from '../api/resources.ts';
import { useApi } from '../till.ts';

/** Downloads the whole list, with the present filters, as CSV. */
export function CsvButton() {
  const translate = useTranslate();
  const api = useApi();
  const list = useListContext();
  const { path } = resourceOf(list.resource);
  const filter = list.filterValues as Readonly<Record<string, unknown>>;
  return (
    <Button size="small" startIcon={<DownloadIcon />} href={api.url(`${path}.csv`, filter)} download>
      {translate('tillgate.csv')}
    </Button>
  );
}
