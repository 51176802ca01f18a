import Button from '@mui/material/Button';
import type { ButtonProps } from '@mui/material/Button';
import { Confirm, useLogoutIfAccessDenied, useNotify, useRefresh, useTranslate } from 'react-admin';
import { useState } from 'react';
import { isCancelled } from '../api/api-error.ts';

/** Performs a request and reports its success or failure; `true` when it succeeded. */
export type Act = (work: () => Promise<unknown>, success?: string) => Promise<boolean>;

/** Runs requests of buttons and dialogs, reports errors, and refreshes the page. */
export function useAct(): Act {
  const notify = useNotify();
  const refresh = useRefresh();
  const logoutIfDenied = useLogoutIfAccessDenied();
  return async (work, success) => {
    try {
      await work();
    } catch (error) {
      if (isCancelled(error) || (await logoutIfDenied(error))) return false;
      notify(error instanceof Error ? error.message : String(error), { type: 'error' });
      return false;
    }
    if (success !== undefined) notify(success, { type: 'success' });
    refresh();
    return true;
  };
}

interface ActionButtonProps extends Pick<ButtonProps, 'color' | 'variant' | 'startIcon' | 'size'> {
  /** A key of the catalogue; the confirmation's texts are `<key>Title` and `<key>Text`. */
  readonly label: string;
  readonly work: () => Promise<unknown>;
  readonly success?: string;
  /** Requires a confirmation, for actions that cannot be undone. */
  readonly confirm?: boolean;
  /**
   * The key of the button that closes the confirmation without acting; needed where the action itself cancels
   * something.
   */
  readonly dismiss?: string;
}

/** A button for one operation of the API. */
export function ActionButton({
  label,
  work,
  success,
  confirm = false,
  dismiss = 'ra.action.cancel',
  ...button
}: ActionButtonProps) {
  const translate = useTranslate();
  const act = useAct();
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setAsked(false);
    setBusy(true);
    await act(work, success);
    setBusy(false);
  };
  return (
    <>
      <Button
        variant="outlined"
        {...button}
        disabled={busy}
        aria-haspopup={confirm ? 'dialog' : undefined}
        onClick={() => {
          if (confirm) setAsked(true);
          else void run();
        }}
      >
        {translate(label)}
      </Button>
      {confirm ? (
        <Confirm
          isOpen={asked}
          title={`${label}Title`}
          content={`${label}Text`}
          confirm={label}
          cancel={dismiss}
          confirmColor={button.color === 'error' ? 'warning' : 'primary'}
          fullWidth
          maxWidth="xs"
          onConfirm={() => void run()}
          onClose={() => setAsked(false)}
        />
      ) : null}
    </>
  );
}
