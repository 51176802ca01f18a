import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import CardActionArea from '@mui/material/CardActionArea';
import CardContent from '@mui/material/CardContent';
import Link from '@mui/material/Link';
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
import { Link as RouterLink } from 'react-router-dom';
import { NoRecords } from './no-records.tsx';
import type { StartFilter } from './no-records.tsx';

/** A column of a list. Its label is `resources.<resource>.fields.<name>`. */
export interface Column<R extends RaRecord> {
  readonly name: string;
  readonly value: (record: R) => ReactNode;
  readonly numeric?: boolean;
  /**
   * Its place in the card of a narrow screen: the first line, the end of that line, the line below without a label, or for
   * buttons the end of the card, where pressing one does not open the record; a line of its own with its label by default.
   */
  readonly card?: 'title' | 'aside' | 'detail' | 'actions';
}

interface RecordTableProps<R extends RaRecord> {
  readonly columns: readonly Column<R>[];
  /** Whether a record has its own page, or the path of the page that it opens; `null` for none. */
  readonly opens?: boolean | ((record: R) => string | null);
  /** The button of an empty list, where its records have no form of their own. */
  readonly next?: ReactNode;
  /** The list's own, with which it is not narrowed. */
  readonly startFilter?: StartFilter;
}

/** The records of a list: a table, and on a narrow screen a card for each. */
export function RecordTable<R extends RaRecord>({ columns, opens = false, startFilter, next }: RecordTableProps<R>) {
  const narrow = useMediaQuery((theme: Theme) => theme.breakpoints.down('md'));
  const pathOf = usePathOf(opens);
  const empty = <NoRecords startFilter={startFilter} next={next} />;
  if (narrow) return <RecordCards columns={columns} pathOf={pathOf} empty={empty} />;
  const click = opens !== false;
  return (
    <DataTable
      empty={empty}
      bulkActionButtons={false}
      rowClick={click ? (_id, _resource, record) => pathOf(record as R) ?? false : false}
      hover={click}
    >
      {columns.map(({ name, value, numeric = false }, index) => (
        <DataTable.Col
          key={name}
          source={name}
          disableSort
          render={(record: RaRecord) => (
            // A click anywhere in the row opens the record; the keyboard uses the link of the first column.
            <RowLink to={index === 0 ? pathOf(record as R) : null}>{value(record as R)}</RowLink>
          )}
          {...(numeric ? { align: 'right' as const } : {})}
        />
      ))}
    </DataTable>
  );
}

type PathOf<R> = (record: R) => string | null;

function usePathOf<R extends RaRecord>(opens: RecordTableProps<R>['opens']): PathOf<R> {
  const resource = useResourceContext() ?? '';
  const createPath = useCreatePath();
  if (typeof opens === 'function') return opens;
  return ({ id }) => (opens === true ? createPath({ resource, type: 'show', id }) : null);
}

function RowLink({ to, children }: { readonly to: string | null; readonly children: ReactNode }) {
  if (to === null) return <>{children}</>;
  return (
    <Link component={RouterLink} to={to} color="inherit" underline="hover" onClick={(event) => event.stopPropagation()}>
      {children}
    </Link>
  );
}

interface RecordCardsProps<R extends RaRecord> {
  readonly columns: readonly Column<R>[];
  readonly pathOf: PathOf<R>;
  readonly empty: ReactNode;
}

function RecordCards<R extends RaRecord>({ columns, pathOf, empty }: RecordCardsProps<R>) {
  const { data } = useListContext<R>();
  if (data === undefined) return null;
  if (data.length === 0) return <Card>{empty}</Card>;
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 1 }}>
      {data.map((record) => (
        <RecordContextProvider key={record.id} value={record}>
          <li>
            <Card>
              <RecordCard record={record} columns={columns} path={pathOf(record)} />
            </Card>
          </li>
        </RecordContextProvider>
      ))}
    </Box>
  );
}

/** The lines of a card that need no labels. */
function CardHead<R extends RaRecord>({ record, columns }: Pick<RecordCardProps<R>, 'record' | 'columns'>) {
  const at = (place: Column<R>['card']) => columns.filter(({ card }) => card === place);
  const details = at('detail');
  return (
    <>
      <Box sx={{ display: 'flex', justifyContent: 'space-between', alignItems: 'start', gap: 1, minWidth: 0 }}>
        <Box component="span" sx={{ fontWeight: 600, overflowWrap: 'anywhere', minWidth: 0 }}>
          {at('title').map(({ name, value }) => (
            <span key={name}>{value(record)}</span>
          ))}
        </Box>
        <Box component="span" sx={{ textAlign: 'end', flexShrink: 0, maxWidth: '60%' }}>
          {at('aside').map(({ name, value }) => (
            <span key={name}>{value(record)}</span>
          ))}
        </Box>
      </Box>
      {details.length === 0 ? null : (
        <Box
          sx={{
            display: 'flex',
            flexWrap: 'wrap',
            columnGap: 1.5,
            minWidth: 0,
            typography: 'body2',
            color: 'text.secondary',
          }}
        >
          {details.map(({ name, value }) => (
            <Box key={name} component="span" sx={{ overflowWrap: 'anywhere', minWidth: 0 }}>
              {value(record)}
            </Box>
          ))}
        </Box>
      )}
    </>
  );
}

interface RecordCardProps<R extends RaRecord> {
  readonly columns: readonly Column<R>[];
  readonly record: R;
  readonly path: string | null;
}

function RecordCard<R extends RaRecord>({ record, columns, path }: RecordCardProps<R>) {
  const resource = useResourceContext() ?? '';
  const label = useTranslateLabel();
  const labelled = columns.filter(({ card }) => card === undefined);
  const actions = columns.filter(({ card }) => card === 'actions');
  const headed = labelled.length + actions.length < columns.length;
  const content = (
    <CardContent sx={{ display: 'grid', gap: 0.5, p: 1.5, '&:last-child': { pb: 1.5 } }}>
      {headed ? <CardHead record={record} columns={columns} /> : null}
      {labelled.map(({ name, value }) => (
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
  return (
    <>
      {path === null ? (
        content
      ) : (
        <CardActionArea component={RouterLink} to={path}>
          {content}
        </CardActionArea>
      )}
      {actions.map(({ name, value }) => (
        <Box key={name} sx={{ px: 1.5, pb: 1.5, '&:empty': { display: 'none' } }}>
          {value(record)}
        </Box>
      ))}
    </>
  );
}
