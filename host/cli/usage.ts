import type { Command } from './command.ts';

/** How a command is written, with its operands and options; what may be left out is in brackets. */
export function usageOf({ words, operands, options }: Command): string {
  const named = Object.entries(options).map(([name, { flag, required, value }]) => {
    const text = flag === true ? `--${name}` : `--${name} ${value ?? name.toUpperCase()}`;
    return required === true ? text : `[${text}]`;
  });
  return [...words, ...operands, ...named].join(' ');
}
