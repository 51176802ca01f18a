import Button from '@mui/material/Button';
import InputAdornment from '@mui/material/InputAdornment';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useTranslate } from 'react-admin';
import type { Field } from './field.ts';
import { PLAIN_COLOUR } from './payer-preview.tsx';

interface DialogFieldProps {
  readonly field: Field;
  readonly value: string;
  readonly problem: string | null;
  readonly focused: boolean;
  /** What a button enters; absent for none. */
  readonly most?: string | undefined;
  readonly onChange: (value: string) => void;
}

const INPUT_MODES = { decimal: 'decimal', code: 'numeric' } as const;

export function DialogField({ field, value, problem, focused, most, onChange }: DialogFieldProps) {
  const translate = useTranslate();
  const { name, label, type = 'text', choices, several = false, help, autoComplete } = field;
  const coded = type === 'decimal' || type === 'code';
  const lines = type === 'lines';
  return (
    <TextField
      name={name}
      label={translate(label)}
      type={coded || lines || type === 'colour' ? 'text' : type}
      multiline={lines}
      value={several ? value.split(',').filter((each) => each !== '') : value}
      onChange={({ target }) => onChange([target.value].flat().join(','))}
      autoFocus={focused}
      fullWidth
      select={choices !== undefined}
      error={problem !== null}
      helperText={problem ?? (help === undefined ? undefined : translate(help))}
      autoComplete={autoComplete ?? (type === 'code' ? 'one-time-code' : 'off')}
      slotProps={{
        ...(coded ? { htmlInput: { inputMode: INPUT_MODES[type] } } : {}),
        ...(most === undefined
          ? {}
          : {
              input: {
                endAdornment: (
                  <InputAdornment position="end">
                    <Button size="small" onClick={() => onChange(most)}>
                      {translate('tillgate.most')}
                    </Button>
                  </InputAdornment>
                ),
              },
            }),
        ...(type === 'colour'
          ? {
              input: {
                endAdornment: (
                  <InputAdornment position="end">
                    <input
                      type="color"
                      value={/^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : PLAIN_COLOUR}
                      aria-label={translate('tillgate.pickColour')}
                      onChange={({ target }) => onChange(target.value)}
                    />
                  </InputAdornment>
                ),
              },
            }
          : {}),
        ...(several ? { select: { multiple: true } } : {}),
        ...(type === 'datetime-local' ? { inputLabel: { shrink: true } } : {}),
      }}
    >
      {choices?.map(({ id, label: text }) => (
        <MenuItem key={id} value={id}>
          {text}
        </MenuItem>
      ))}
    </TextField>
  );
}
