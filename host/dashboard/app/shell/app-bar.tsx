import RefreshIcon from '@mui/icons-material/Refresh';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { AppBar, LocalesMenuButton, ToggleThemeButton, useLoading, useRefresh, useTranslate } from 'react-admin';
import { useService } from '../components/service.ts';
import { SPACE, TYPE } from '../theme.ts';
import { AccountMenu, useNarrow } from './account-menu.tsx';
import { PageTitle } from './page-title.tsx';
import { SearchButton } from './search-button.tsx';

/** The header: the page's name, the search, the preferences and the account. */
export function DashboardBar() {
  const sandbox = useService()?.sandbox === true;
  return (
    // It contains the page's heading, which must stay visible.
    <AppBar color="default" position="fixed" alwaysOn toolbar={<Tools />} userMenu={<AccountMenu />} sx={BAR}>
      <PageTitle />
      {sandbox ? <SandboxStrip /> : null}
    </AppBar>
  );
}

/** The strip is a row of its own above the others. */
const BAR = { '& .RaAppBar-toolbar': { flexWrap: 'wrap' } } as const;

/** A phone has room for the page's name and two of them: the theme is in the account's menu there, and the browser loads anew. */
function Tools() {
  const narrow = useNarrow();
  return (
    <>
      <SearchButton />
      <LocalesMenuButton />
      {narrow ? null : (
        <>
          <ToggleThemeButton />
          <RefreshButton />
        </>
      )}
    </>
  );
}

/** Reads the page again. It keeps its place and its look while something is loaded: only its icon turns. */
function RefreshButton() {
  const refresh = useRefresh();
  const loading = useLoading();
  const label = useTranslate()('ra.action.refresh');
  return (
    <Tooltip title={label}>
      <IconButton color="inherit" aria-label={label} onClick={() => refresh()}>
        <RefreshIcon sx={loading ? TURNING : {}} />
      </IconButton>
    </Tooltip>
  );
}

const TURNING = {
  '@media (prefers-reduced-motion: no-preference)': {
    animation: 'tillgate-turn 1s linear infinite',
    '@keyframes tillgate-turn': { to: { transform: 'rotate(360deg)' } },
  },
} as const;

/** Says on every page that no money is real. */
function SandboxStrip() {
  const translate = useTranslate();
  return (
    <Box
      sx={{
        order: -1,
        // Over the padding of the toolbar.
        flex: '0 0 calc(100% + 16px)',
        mx: -1,
        height: SPACE.strip,
        display: 'flex',
        alignItems: 'center',
        justifyContent: 'center',
        gap: 1,
        bgcolor: 'sandbox.main',
        color: 'sandbox.contrastText',
        fontSize: TYPE.small,
        fontWeight: 600,
        px: 1,
        whiteSpace: 'nowrap',
        overflow: 'hidden',
      }}
    >
      {translate('tillgate.shell.sandbox')}
    </Box>
  );
}
