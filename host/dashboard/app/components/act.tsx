import Button from '@mui/material/Button';
import type { ButtonProps } from '@mui/material/Button';
import { Confirm, useLogoutIfAccessDenied, useNotify, useRefresh, useTranslate } from 'react-admin';
import { useState } from 'react';
import { isCancelled } from '../api/api-error.ts';

/** Does something that the API may refuse, and says how it went; `true` when it was done. */
export type Act = (work: () => Promise<unknown>, success?: string) => Promise<boolean>;

/** Runs requests of buttons and dialogs: what is refused is said, and pages show what is new. */
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
  /** A key of the catalogue, and `<key>Title`, `<key>Text` of the question where there is one. */
  readonly label: string;
  readonly work: () => Promise<unknown>;
  readonly success?: string;
  /** Asks before; for what cannot be taken back. */
  readonly confirm?: boolean;
}

/** A button that does one thing of the API. */
export function ActionButton({ label, work, success, confirm = false, ...button }: ActionButtonProps) {
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
          onConfirm={() => void run()}
          onClose={() => setAsked(false)}
        />
      ) : null}
    </>
  );
}
