import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import CardActionArea from '@mui/material/CardActionArea';
import CardContent from '@mui/material/CardContent';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import type { Theme } from '@mui/material/styles';
import {
  DataTable,
  RecordContextProvider,
  useCreatePath,
  useListContext,
  useResourceContext,
  useTranslateLabel,
} from 'react-admin';
import type { RaRecord } from 'react-admin';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';

/** A column of a list. Its label is `resources.<resource>.fields.<name>`. */
export interface Column<R extends RaRecord> {
  readonly name: string;
  readonly value: (record: R) => ReactNode;
  readonly numeric?: boolean;
}

interface RecordTableProps<R extends RaRecord> {
  readonly columns: readonly Column<R>[];
  /** Whether a record has a page of its own, which a click opens. */
  readonly opens?: boolean;
}

/** The records of a list: a table, and on a narrow screen a card for each. */
export function RecordTable<R extends RaRecord>({ columns, opens = false }: RecordTableProps<R>) {
  const narrow = useMediaQuery((theme: Theme) => theme.breakpoints.down('md'));
  if (narrow) return <RecordCards columns={columns} opens={opens} />;
  return (
    <DataTable bulkActionButtons={false} rowClick={opens ? 'show' : false} hover={opens}>
      {columns.map(({ name, value, numeric = false }) => (
        <DataTable.Col
          key={name}
          source={name}
          disableSort
          render={(record: RaRecord) => value(record as R)}
          {...(numeric ? { align: 'right' as const } : {})}
        />
      ))}
    </DataTable>
  );
}

function RecordCards<R extends RaRecord>({ columns, opens = false }: RecordTableProps<R>) {
  const { data = [] } = useListContext<R>();
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 1, display: 'grid', gap: 1 }}>
      {data.map((record) => (
        <RecordContextProvider key={record.id} value={record}>
          <li>
            <Card>
              <RecordCard record={record} columns={columns} opens={opens} />
            </Card>
          </li>
        </RecordContextProvider>
      ))}
    </Box>
  );
}

function RecordCard<R extends RaRecord>({ record, columns, opens }: RecordTableProps<R> & { readonly record: R }) {
  const resource = useResourceContext() ?? '';
  const createPath = useCreatePath();
  const label = useTranslateLabel();
  const content = (
    <CardContent sx={{ display: 'grid', gap: 0.5, p: 1.5, '&:last-child': { pb: 1.5 } }}>
      {columns.map(({ name, value }) => (
        <Box key={name} sx={{ display: 'flex', justifyContent: 'space-between', gap: 2, minWidth: 0 }}>
          <Typography component="span" variant="body2" color="textSecondary">
            {label({ source: name, resource })}
          </Typography>
          <Box component="span" sx={{ textAlign: 'end', overflowWrap: 'anywhere', minWidth: 0 }}>
            {value(record)}
          </Box>
        </Box>
      ))}
    </CardContent>
  );
  if (opens !== true) return content;
  return (
    <CardActionArea component={Link} to={createPath({ resource, type: 'show', id: record.id })}>
      {content}
    </CardActionArea>
  );
}
