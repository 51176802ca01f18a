import SearchIcon from '@mui/icons-material/Search';
import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import InputBase from '@mui/material/InputBase';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { usePermissions, useTranslate } from 'react-admin';
import { useEffect, useId, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useNavigate } from 'react-router-dom';
import { Time } from '../components/values.tsx';
import { sectionsFor } from '../pages/sections.ts';
import type { FoundRecord } from '../records.ts';
import { useApi } from '../till.ts';
import { foundPath, FOUND_RESOURCES, matchingSections } from './found.ts';

/** How long a text must rest before the server is asked, in milliseconds. */
const REST_MS = 250;
/** Shorter texts are the name of a page, or of too many records. */
const LEAST_SEARCHED = 3;
const MOST_PAGES = 6;

/** What can be chosen: a page, or a record. */
interface Choice {
  readonly key: string;
  readonly path: string;
  readonly primary: ReactNode;
  readonly secondary: ReactNode;
}

/** Goes to a page by its name, and to a record by its id, its reference, an address or a transaction's hash. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const list = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const { choices, state } = useChoices(text);
  const chosen = choices[Math.min(at, choices.length - 1)];
  const open = ({ path }: Choice): void => {
    onClose();
    void navigate(path);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && choices.length > 0) {
      event.preventDefault();
      setAt((Math.min(at, choices.length - 1) + step + choices.length) % choices.length);
    }
    if (event.key === 'Enter' && chosen !== undefined) open(chosen);
  };
  const idOf = ({ key }: Choice): string => `${list}-${key}`;
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      aria-label={translate('tillgate.search.open')}
      sx={{ '& .MuiDialog-container': { alignItems: 'start' } }}
      slotProps={{ paper: { sx: { m: { xs: 1, sm: 4 }, width: { xs: 'calc(100% - 16px)' } } } }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, px: 2, borderBottom: 1, borderColor: 'divider' }}>
        <SearchIcon color="action" />
        <InputBase
          autoFocus
          fullWidth
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          placeholder={translate('tillgate.search.hint')}
          inputProps={{
            'aria-label': translate('tillgate.search.hint'),
            role: 'combobox',
            'aria-expanded': choices.length > 0,
            'aria-controls': list,
            'aria-autocomplete': 'list',
            maxLength: 2048,
            ...(chosen === undefined ? {} : { 'aria-activedescendant': idOf(chosen) }),
          }}
          sx={{ py: 1.5 }}
        />
      </Box>
      <Box
        id={list}
        role="listbox"
        aria-label={translate('tillgate.search.results')}
        sx={{ p: 1, maxHeight: '60vh', overflowY: 'auto' }}
      >
        {choices.map((choice) => (
          <Box
            key={choice.key}
            id={idOf(choice)}
            role="option"
            aria-selected={choice === chosen}
            onClick={() => open(choice)}
            sx={{
              px: 1.5,
              py: 1,
              borderRadius: 1,
              cursor: 'pointer',
              bgcolor: choice === chosen ? 'action.selected' : 'transparent',
              '&:hover': { bgcolor: 'action.hover' },
              display: 'flex',
              justifyContent: 'space-between',
              gap: 2,
              minWidth: 0,
            }}
          >
            <Box sx={{ minWidth: 0, overflowWrap: 'anywhere' }}>{choice.primary}</Box>
            <Typography component="span" variant="body2" color="textSecondary" sx={{ flex: 'none' }}>
              {choice.secondary}
            </Typography>
          </Box>
        ))}
      </Box>
      <Typography role="status" variant="body2" color="textSecondary" sx={{ px: 2.5, pb: 1.5 }}>
        {state === null ? '' : translate(`tillgate.search.${state}`)}
      </Typography>
    </Dialog>
  );
}

type State = 'searching' | 'none' | 'failed' | null;

function useChoices(text: string): { readonly choices: readonly Choice[]; readonly state: State } {
  const translate = useTranslate();
  const { permissions } = usePermissions<string>();
  const q = text.trim();
  const { data, isFetching, isError, isResting } = useFound(q);
  const pages = matchingSections(
    sectionsFor(permissions).map(({ name, path, label }) => ({
      ...{ key: name, path, name: translate(label, { smart_count: 2 }) },
    })),
    q,
  ).slice(0, MOST_PAGES);
  const choices = [
    ...(data ?? []).map((found): Choice => ({
      key: `${found.kind}-${found.id}`,
      path: foundPath(found, permissions === 'admin'),
      primary: (
        <>
          {translate(`resources.${FOUND_RESOURCES[found.kind]}.name`, { smart_count: 1 })}{' '}
          <bdi>{found.label ?? found.id}</bdi>
        </>
      ),
      secondary: <Time value={found.created_at} />,
    })),
    ...pages.map(({ key, path, name }): Choice => ({
      key,
      path,
      primary: name,
      secondary: translate('tillgate.search.page'),
    })),
  ];
  if (isError) return { choices, state: 'failed' };
  if (isFetching || isResting) return { choices, state: 'searching' };
  return { choices, state: choices.length === 0 ? 'none' : null };
}

/** The records with a text, asked for once nobody types. */
function useFound(q: string) {
  const api = useApi();
  const [rested, setRested] = useState('');
  const isSearched = q.length >= LEAST_SEARCHED;
  useEffect(() => {
    const timer = setTimeout(() => setRested(q), REST_MS);
    return () => clearTimeout(timer);
  }, [q]);
  const { data, isFetching, isError } = useQuery({
    queryKey: ['search', q],
    queryFn: async ({ signal }) =>
      (await api.get<{ readonly items: readonly FoundRecord[] }>('search', { q }, signal)).items,
    enabled: isSearched && rested === q,
  });
  return { data: isSearched ? data : undefined, isFetching, isError, isResting: isSearched && rested !== q };
}
